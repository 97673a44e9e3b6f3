package cluster

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/host"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
)

// Want is the cluster that is asked for.
type Want struct {
	Nodes    int           // 1 to plan.MaxNodes
	Provider string        // prefix of the nodes' providerIDs, such as aws:///; empty: they have none
	Requeue  time.Duration // DEFAULT_REQUEUE_TIME of the workflow controller: what a plugin step may cost
}

// Up makes the cluster that is wanted out of whatever is there: nothing, a part, another one, or the same.
func (c *Cluster) Up(ctx context.Context, want Want) error {
	if want.Nodes < 1 || want.Nodes > plan.MaxNodes {
		return fmt.Errorf("starting the cluster: %d nodes; 1 to %d would do", want.Nodes, plan.MaxNodes)
	}
	if want.Requeue <= 0 {
		return fmt.Errorf("starting the cluster: requeue time %s; a time above zero would do", want.Requeue)
	}
	if err := host.Packages(ctx, c.say, c.layout.CNI, c.mayApt); err != nil {
		return err
	}
	if err := host.Preflight(ctx, c.layout.State); err != nil {
		return err
	}
	release, err := c.lock()
	if err != nil {
		return err
	}
	defer release()
	if raised, err := host.RaiseWatches(); err != nil {
		c.say("%v; followed logs may end early", err) // a cluster with few of them is well without
	} else if raised {
		c.say("raised this machine's limit of inotify instances (fs.inotify.max_user_instances)")
	}

	state, err := readState(statePath())
	if err != nil {
		c.say("%v: starting anew", err)
	}
	reason := c.unlike(ctx, state, want)
	if reason == "" {
		return c.keep(ctx, state, want)
	}
	if state.Nodes > 0 {
		c.say("replacing the cluster that is there: %s", reason)
	}
	if err := c.builder.Build(ctx); err != nil {
		return err
	}
	if err := c.remove(ctx, state); err != nil {
		return err
	}
	return c.startAll(ctx, want)
}

// unlike says why the cluster with this state cannot stay; empty: it is healthy and as wanted, but for the requeue time.
func (c *Cluster) unlike(ctx context.Context, state State, want Want) string {
	switch {
	case state.Nodes == 0:
		return "there is none"
	case !state.Complete:
		return "its start did not come to an end"
	case state.Folder != c.builder.Folder():
		return "it was built from other versions"
	case state.Nodes != want.Nodes:
		return fmt.Sprintf("it has %d nodes, not %d", state.Nodes, want.Nodes)
	case state.Provider != want.Provider:
		return fmt.Sprintf("its nodes' providerIDs begin with %q, not %q", state.Provider, want.Provider)
	}
	if report := c.inspect(ctx, state); !report.Healthy() {
		return "it is not healthy: " + report.firstTrouble()
	}
	return ""
}

// keep leaves a healthy cluster alone; only the workflow controller is started again when another requeue time is wanted.
func (c *Cluster) keep(ctx context.Context, state State, want Want) error {
	if state.Requeue == want.Requeue.String() {
		c.say("the cluster is up and healthy: %d nodes, requeue %s", state.Nodes, state.Requeue)
		return nil
	}
	c.say("the cluster is up and healthy; restarting the workflow controller with requeue %s (was %s)", want.Requeue, state.Requeue)
	s := &starter{Cluster: c, record: &record{path: statePath(), state: state}}
	return s.restartArgo(ctx, want.Requeue)
}

// startAll starts a cluster on a clean machine.
func (c *Cluster) startAll(ctx context.Context, want Want) error {
	began := time.Now()
	s := &starter{Cluster: c, record: &record{path: statePath()}}
	if err := s.prepare(ctx, want, began); err != nil {
		return err
	}
	c.say("starting %d nodes and the control plane", want.Nodes)
	for _, component := range []plan.Component{c.layout.EtcdComponent(), c.layout.APIServer()} {
		if err := s.startAndAwait(ctx, component); err != nil {
			return err
		}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	for _, component := range c.layout.ControlPlane() {
		group.Go(func() error { return s.startAndAwait(groupCtx, component) })
	}
	group.Go(func() error { return s.controllers(groupCtx, want.Requeue) })
	group.Go(func() error { return s.nodes(groupCtx, want) })
	if err := group.Wait(); err != nil {
		return fmt.Errorf("%w\nlogs are in %s; `down` removes what was started", err, c.layout.Log("*"))
	}
	if err := s.record.change(func(state *State) { state.Complete = true }); err != nil {
		return err
	}
	c.say("the cluster is up: %d nodes, requeue %s, %s", want.Nodes, want.Requeue, time.Since(began).Round(time.Second))
	return nil
}
