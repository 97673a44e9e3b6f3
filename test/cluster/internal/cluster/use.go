package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
)

// Exec replaces this process by a command inside the cluster's network, as administrator, with the cluster's programs first
// in PATH. Standard streams, signals and the exit code are the command's own. It returns only when that is not possible.
func (c *Cluster) Exec(argv []string) error {
	if _, err := os.Stat(c.network.File); err != nil {
		return errors.New("running a command: there is no cluster; run `up` first")
	}
	state, err := readState(statePath())
	if err != nil {
		return err
	}
	nsenter, err := exec.LookPath("nsenter")
	if err != nil {
		return fmt.Errorf("running a command: %w", err)
	}
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "KUBECONFIG=") || strings.HasPrefix(entry, "PATH=")
	})
	env = append(env, "KUBECONFIG="+c.layout.Kubeconfig(), "PATH="+c.of(state).layout.Bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return fmt.Errorf("running a command: %w", syscall.Exec(nsenter, c.inside(argv), env))
}

// importers is how many nodes take an image at once: it is bound by the processors.
const importers = 2

// Load imports an image archive (docker's or OCI's) into every node.
func (c *Cluster) Load(ctx context.Context, archive string) error {
	state, err := readState(statePath())
	if err != nil {
		return err
	}
	if state.Nodes == 0 {
		return errors.New("loading an image: there is no cluster; run `up` first")
	}
	if _, err := os.Stat(archive); err != nil {
		return fmt.Errorf("loading an image: %w", err)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importers)
	began := time.Now()
	for _, node := range plan.NodeNames(state.Nodes) {
		group.Go(func() error { return c.importImage(ctx, node, archive) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	c.say("loaded %s into %d nodes, %s", archive, state.Nodes, time.Since(began).Round(time.Second))
	return nil
}

// importImage loads an archive into the containerd of one node, into the namespace that kubelets look in.
func (c *Cluster) importImage(ctx context.Context, node, archive string) error {
	out, err := exec.CommandContext(ctx, "ctr", "--address", c.layout.Socket(node), "--namespace", "k8s.io", "images", "import", archive).CombinedOutput()
	if err != nil {
		return fmt.Errorf("loading %s into %s: %w: %s", archive, node, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Logs writes the log of a component.
func (c *Cluster) Logs(component string, out io.Writer) error {
	file, err := os.Open(c.layout.Log(filepath.Base(component)))
	if err != nil {
		names, _ := filepath.Glob(c.layout.Log("*"))
		for i, name := range names {
			names[i] = strings.TrimSuffix(filepath.Base(name), ".log")
		}
		return fmt.Errorf("reading the log of %s: %w; there are: %s", component, err, strings.Join(names, ", "))
	}
	defer func() { _ = file.Close() }()
	_, err = io.Copy(out, file)
	return err
}
