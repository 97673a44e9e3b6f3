package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// need is a file of a Debian package, by which one sees that the package is there.
type need struct {
	file    string // a program looked for in PATH, or an absolute path
	debian  string // the package
	purpose string
}

// needs are the Debian packages of the cluster. Everything else is built from source.
func needs(cniFolder string) []need {
	return []need{
		{"containerd", "containerd", "runs the containers of every node"},
		{"ctr", "containerd", "loads images"},
		{"containerd-shim-runc-v2", "containerd", "holds each container"},
		{"runc", "runc", "starts each container"},
		{filepath.Join(cniFolder, "bridge"), "containernetworking-plugins", "connects pods"},
		{filepath.Join(cniFolder, "host-local"), "containernetworking-plugins", "gives pods addresses"},
		{filepath.Join(cniFolder, "loopback"), "containernetworking-plugins", "gives pods their own lo"},
		{"ip", "iproute2", "makes the network namespace"},
		{"nsenter", "util-linux", "enters the network namespace"},
		{"unshare", "util-linux", "tries kernel features"},
	}
}

// Packages makes sure that the Debian packages are there, and installs those that are missing when this is root and
// installing is allowed.
func Packages(ctx context.Context, say func(format string, args ...any), cniFolder string, mayInstall bool) error {
	missing := missingPackages(needs(cniFolder), present)
	if len(missing) == 0 {
		return nil
	}
	command := "apt-get update && apt-get install -y --no-install-recommends " + strings.Join(missing, " ")
	switch {
	case os.Geteuid() != 0:
		return fmt.Errorf("looking for Debian packages: %s missing, and only root may install; run: %s", strings.Join(missing, ", "), command)
	case !mayInstall:
		return fmt.Errorf("looking for Debian packages: %s missing, and SEATRIAL_NO_APT forbids to install; run: %s", strings.Join(missing, ", "), command)
	}
	say("installing Debian packages: %s", strings.Join(missing, ", "))
	for _, argv := range [][]string{
		{"apt-get", "update", "-q"},
		slices.Concat([]string{"apt-get", "install", "-q", "-y", "--no-install-recommends"}, missing),
	} {
		if err := run(ctx, append([]string{"env", "DEBIAN_FRONTEND=noninteractive"}, argv...)...); err != nil {
			return fmt.Errorf("installing Debian packages: %w; the whole command is: %s", err, command)
		}
	}
	if still := missingPackages(needs(cniFolder), present); len(still) > 0 {
		return fmt.Errorf("installing Debian packages: apt-get succeeded, yet files of %s are missing", strings.Join(still, ", "))
	}
	return nil
}

// missingPackages returns the packages with a file that is not present, each once, in the order of the needs.
func missingPackages(needs []need, present func(file string) bool) []string {
	var out []string
	for _, need := range needs {
		if !present(need.file) && !slices.Contains(out, need.debian) {
			out = append(out, need.debian)
		}
	}
	return out
}

func present(file string) bool {
	_, err := exec.LookPath(file)
	return err == nil
}
