// Package cluster starts, watches and removes one real Kubernetes cluster on this machine: etcd, API server, controller
// manager, scheduler, CoreDNS, kubelets with a containerd each, JobSet, Kubeflow Trainer and Argo's workflow controller, all
// in one network namespace that nothing leaves.
//
//  1. Up: take the lock; keep a healthy cluster of the same kind; else build, clean up, and start from nothing.
//  2. Start: etcd, API server; then control plane, nodes and controllers side by side; then wait for every one of them.
//  3. Status: ask each component and each node.
//  4. Use: run a command inside, load an image, read a log.
//  5. Down: end what is recorded, and take back mounts, cgroups, network and folders.
package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/build"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/host"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
)

// There is one local cluster on a machine, whoever started it and from which work tree.
const (
	stateFolder = "/var/lib/seatrial-cluster"
	runFolder   = "/run/seatrial-cluster"
	lockFile    = "/run/seatrial-cluster.lock"
	netNS       = "seatrial"
)

// Cluster is the local cluster, running or not.
type Cluster struct {
	builder *build.Builder
	layout  plan.Layout
	network host.Network
	say     build.Say // progress
	mayApt  bool
}

// New describes the cluster that is made of what the builder builds.
func New(builder *build.Builder, say build.Say, mayInstallPackages bool) *Cluster {
	layout := plan.Layout{State: stateFolder, Run: runFolder, NetNS: netNS, CNI: plan.CNIFolder}
	layout.Bin, layout.Manifests, layout.Images = build.Folders(builder.Folder())
	return &Cluster{
		builder: builder, layout: layout, say: say, mayApt: mayInstallPackages,
		network: host.Network{
			Name: netNS, File: layout.NetNSFile(), Addresses: []string{plan.ServiceAddress, plan.HostAddress},
			Bridge: plan.Bridge, BridgeCIDR: plan.BridgeAddress + "/" + strconv.Itoa(plan.BridgeMask),
		},
	}
}

// of returns the cluster as it was recorded: made of what was built then, although other versions may be pinned by now.
func (c *Cluster) of(state State) *Cluster {
	recorded := *c
	if state.Folder != "" {
		recorded.layout.Bin, recorded.layout.Manifests, recorded.layout.Images = build.Folders(state.Folder)
	}
	return &recorded
}

// lock keeps two of `up` and `down` apart.
func (c *Cluster) lock() (release func(), err error) {
	return host.Lock(lockFile, func() { c.say("waiting for another up or down to end") })
}

// inside returns the command line that runs argv in the cluster's network. Not `ip netns exec`: that mounts /sys anew, and
// kubelet and runc then find no cgroups.
func (c *Cluster) inside(argv []string) []string {
	return append([]string{"nsenter", "--net=" + c.network.File, "--"}, argv...)
}

// kubectl runs kubectl as administrator and returns what it prints; its errors are in the error.
func (c *Cluster) kubectl(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	argv := c.inside(append([]string{filepath.Join(c.layout.Bin, "kubectl"), "--kubeconfig", c.layout.Kubeconfig()}, args...))
	command := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = stdin, &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("running kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// retry calls f until it succeeds or the patience is over, and then returns its last error.
func retry(ctx context.Context, patience, interval time.Duration, f func() error) error {
	for deadline := time.Now().Add(patience); ; {
		err := f()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; last: %w", ctx.Err(), err)
		case <-time.After(interval):
		}
	}
}
