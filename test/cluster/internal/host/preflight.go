package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Preflight tries everything that the cluster needs from this machine and returns all that is missing at once. What it
// makes in trying lives in namespaces that end with the attempt. Scratch is a folder on the file system of the cluster's state.
func Preflight(ctx context.Context, scratch string) error {
	if os.Geteuid() != 0 {
		return errors.New("checking this machine: the cluster needs root (namespaces, mounts, cgroups); run as root, for instance with sudo -E")
	}
	var missing []error
	for _, check := range []struct {
		try    func() error
		advice string
	}{
		{func() error { return tryNetwork(ctx) }, "network namespaces with bridge and veth devices do not work; in a container: run it privileged; else: modprobe bridge veth"},
		{func() error { return tryOverlay(ctx, scratch) }, "overlayfs does not work in " + scratch + "; in a container: mount a volume of the host there; else: modprobe overlay"},
		{func() error { _, err := readCgroups(os.DirFS(cgroupRoot)); return err }, "containers cannot be bounded; mount the cgroup controllers at " + cgroupRoot},
	} {
		if err := check.try(); err != nil {
			missing = append(missing, fmt.Errorf("checking this machine: %s (%w)", check.advice, err))
		}
	}
	return errors.Join(missing...)
}

func tryNetwork(ctx context.Context) error {
	return run(ctx, "unshare", "--net", "sh", "-ec", "ip link add trial0 type bridge; ip link add trial1 type veth peer name trial2; ip link set trial1 master trial0")
}

func tryOverlay(ctx context.Context, scratch string) error {
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(scratch, "overlay-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, name := range []string{"lower", "upper", "work", "merged"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			return err
		}
	}
	return run(ctx, "unshare", "--mount", "sh", "-ec", `cd "$1"; mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged; touch merged/written`, "sh", dir)
}
