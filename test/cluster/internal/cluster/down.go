package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/host"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/proc"
)

// stopGrace is how long components may take to end by themselves. Their state is thrown away, so it need not be long.
const stopGrace = 3 * time.Second

// Down removes everything that `up` made. When nothing is there it says so.
func (c *Cluster) Down(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return errors.New("removing the cluster: only root can; run as root")
	}
	release, err := c.lock()
	if err != nil {
		return err
	}
	defer release()
	state, err := readState(statePath())
	if err != nil {
		c.say("%v", err) // what has a fixed name can still be removed
	}
	_, missing := os.Stat(stateFolder)
	began := time.Now()
	if err := c.remove(ctx, state); err != nil { // also without a state: a crash may have left the rest
		return err
	}
	if errors.Is(missing, os.ErrNotExist) {
		c.say("there is no cluster")
		return nil
	}
	c.say("the cluster is gone, %s", time.Since(began).Round(time.Second))
	return nil
}

// remove takes back everything, of a whole cluster or of what a crash left. The order matters: kubelets end before their
// containers, or they would start them again; and containers before mounts.
func (c *Cluster) remove(ctx context.Context, state State) error {
	var runtimes, others []proc.Identity
	for name, identity := range state.Processes {
		if strings.HasPrefix(name, "containerd-") {
			runtimes = append(runtimes, identity)
		} else {
			others = append(others, identity)
		}
	}
	shims := func() error {
		found, err := proc.Find(isShim)
		if err != nil {
			return err
		}
		return proc.Stop(found, 0)
	}
	for _, step := range []func() error{
		func() error { return proc.Stop(others, stopGrace) },
		func() error { return host.RemoveCgroups([]string{c.layout.CgroupName("gpu-node-*")}) },
		func() error { return proc.Stop(runtimes, stopGrace) },
		shims,
		func() error { return host.RemoveCgroups([]string{c.layout.CgroupName("gpu-node-*")}) },
		func() error { return host.RemovePodNetworks(ctx, plan.PodNetwork) },
		func() error { return host.RemoveFolders(stateFolder, runFolder) },
		func() error { return c.network.Remove(ctx) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("removing the cluster: %w", err)
		}
	}
	return nil
}

// isShim knows the processes that hold our containers, by the containerd socket that each names: containerd starts them, so
// their ids are recorded nowhere.
func isShim(argv []string) bool {
	if filepath.Base(argv[0]) != "containerd-shim-runc-v2" {
		return false
	}
	at := slices.Index(argv, "-address")
	return at >= 0 && at+1 < len(argv) && strings.HasPrefix(argv[at+1], runFolder+"/")
}
