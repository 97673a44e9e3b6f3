package cluster

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/host"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/proc"
)

// Stop ends a component and leaves the rest alone: what it served is refused until Start. A kubelet's containers live on.
func (c *Cluster) Stop(component string) error {
	return c.with(component, func(s *starter, component plan.Component) error {
		return proc.Stop([]proc.Identity{s.record.process(component.Name)}, stopGrace)
	})
}

// Start starts a component that was stopped and waits until it is well. One that runs is left alone.
func (c *Cluster) Start(ctx context.Context, component string) error {
	return c.with(component, func(s *starter, component plan.Component) error {
		switch identity := s.record.process(component.Name); {
		case identity.Alive(proc.Proc{}):
			return s.await(ctx, component)
		case strings.HasPrefix(component.Name, plan.KubeletPrefix):
			return s.kubelet(ctx, s.indexOf(component.Name))
		}
		return s.startAndAwait(ctx, component)
	})
}

// Pause halts a component where it is (SIGSTOP): whoever asks it waits. Resume lets it go on.
func (c *Cluster) Pause(component string) error { return c.signal(component, syscall.SIGSTOP) }

// Resume lets a paused component go on.
func (c *Cluster) Resume(component string) error { return c.signal(component, syscall.SIGCONT) }

func (c *Cluster) signal(component string, signal syscall.Signal) error {
	return c.with(component, func(s *starter, component plan.Component) error {
		identity := s.record.process(component.Name)
		if !identity.Alive(proc.Proc{}) {
			return fmt.Errorf("it does not run; `start %s` would start it", component.Name)
		}
		proc.Signal([]proc.Identity{identity}, signal)
		return nil
	})
}

// Slow lets a component work only in slices, as on a disk or a processor that others hold, for a while: of each slice of
// two seconds it is paused for share, above 0 and below 1.
func (c *Cluster) Slow(ctx context.Context, component string, share float64, total time.Duration) error {
	if share <= 0 || share >= 1 {
		return fmt.Errorf("slowing %s: share %g; one between 0 and 1 would do", component, share)
	}
	const slice = 2 * time.Second
	paused := time.Duration(share * float64(slice))
	for end := time.Now().Add(total); time.Now().Before(end) && ctx.Err() == nil; {
		if err := c.Pause(component); err != nil {
			return err
		}
		wait(ctx, paused)
		if err := c.Resume(component); err != nil { // whatever ended the wait
			return err
		}
		wait(ctx, slice-paused)
	}
	return ctx.Err()
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// Lose makes a node silent, as one that lost its power: its kubelet is paused, and all its containers are killed. Resume of
// its kubelet brings it back.
func (c *Cluster) Lose(node string) error {
	if err := c.Pause(plan.KubeletPrefix + node); err != nil {
		return err
	}
	if err := host.KillCgroups([]string{c.layout.CgroupName(node)}); err != nil {
		return fmt.Errorf("losing %s: %w", node, err)
	}
	return nil
}

// with does something to a component of the recorded cluster.
func (c *Cluster) with(name string, do func(s *starter, component plan.Component) error) error {
	release, err := c.lock()
	if err != nil {
		return err
	}
	defer release()
	state, err := readState(statePath())
	if err != nil {
		return err
	}
	component, err := c.of(state).component(state, name)
	if err != nil {
		return err
	}
	if err := do(&starter{Cluster: c.of(state), record: &record{path: statePath(), state: state}}, component); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// component returns the component of a name, or an error with the names that there are.
func (c *Cluster) component(state State, name string) (plan.Component, error) {
	if state.Nodes == 0 {
		return plan.Component{}, fmt.Errorf("%s: there is no cluster; run `up` first", name)
	}
	requeue, err := time.ParseDuration(state.Requeue)
	if err != nil {
		return plan.Component{}, fmt.Errorf("reading the state of the cluster: requeue: %w", err)
	}
	var names []string
	for _, component := range c.layout.Components(state.Nodes, requeue) {
		if component.Name == name {
			return component, nil
		}
		names = append(names, component.Name)
	}
	return plan.Component{}, fmt.Errorf("there is no component %q; one of %s would do", name, strings.Join(names, ", "))
}

// indexOf is the number of the node whose kubelet has the name.
func (s *starter) indexOf(kubelet string) int {
	for i := 1; i <= s.record.state.Nodes; i++ {
		if s.layout.Kubelet(i).Name == kubelet {
			return i
		}
	}
	return 0 // the name is that of a component, so that there is one
}
