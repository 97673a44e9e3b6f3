package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// tool is a program and the Debian package that has it.
type tool struct{ program, debian string }

// buildTools are what building the image needs, mpiTools what compiling and running its programs here needs.
var (
	mpiTools   = []tool{{"gcc", "gcc"}, {"mpicc", "libopenmpi-dev"}, {"mpirun", "openmpi-bin"}, {"as", "libc6-dev"}}
	buildTools = append([]tool{{"debootstrap", "debootstrap"}}, mpiTools...)
)

// ensurePackages installs what is missing: only as root, and not when SEATRIAL_NO_APT says so. Otherwise the error
// is the command that a person would run.
func ensurePackages(ctx context.Context, log io.Writer, tools []tool) error {
	var missing []string
	for _, t := range tools {
		if _, err := exec.LookPath(t.program); err != nil && !slices.Contains(missing, t.debian) {
			missing = append(missing, t.debian)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	install := "apt-get update && apt-get install -y --no-install-recommends " + strings.Join(missing, " ")
	if os.Geteuid() != 0 || os.Getenv("SEATRIAL_NO_APT") != "" {
		return fmt.Errorf("missing on this machine: %s; as root: %s", strings.Join(missing, ", "), install)
	}
	// Somebody else may be installing; wait for the lock instead of failing.
	wait := []string{"-q", "-o", "DPkg::Lock::Timeout=300"}
	if err := run(ctx, log, "apt-get", append(wait, "update")...); err != nil {
		return fmt.Errorf("%w; missing: %s", err, strings.Join(missing, ", "))
	}
	return run(ctx, log, "env", append(append([]string{"DEBIAN_FRONTEND=noninteractive", "apt-get"}, wait...),
		append([]string{"install", "-y", "--no-install-recommends"}, missing...)...)...)
}
