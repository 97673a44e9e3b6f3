package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/build"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/proc"
)

// Report is the state of the cluster as it shows itself. The zero Report is not healthy.
type Report struct {
	State      State
	Components []ComponentFact
	Nodes      []NodeFact
	NodesError error
	Versions   []build.Version
}

// ComponentFact is what one component shows.
type ComponentFact struct {
	Name    string
	PID     int
	Trouble error // nil: it runs and answers
}

// Healthy tells whether everything that belongs to the cluster runs, answers and is ready.
func (r Report) Healthy() bool {
	return len(r.Components) > 0 && r.State.Complete && r.firstTrouble() == ""
}

// firstTrouble names the first thing that is not well; empty: all is.
func (r Report) firstTrouble() string {
	for _, component := range r.Components {
		if component.Trouble != nil {
			return component.Name + ": " + component.Trouble.Error()
		}
	}
	if r.NodesError != nil {
		return r.NodesError.Error()
	}
	if len(r.Nodes) != r.State.Nodes {
		return fmt.Sprintf("%d nodes of %d are there", len(r.Nodes), r.State.Nodes)
	}
	for _, node := range r.Nodes {
		if err := node.trouble(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// Status asks the recorded cluster how it is.
func (c *Cluster) Status(ctx context.Context) (Report, error) {
	state, err := readState(statePath())
	if err != nil {
		return Report{}, err
	}
	report := c.inspect(ctx, state)
	report.Versions, err = c.builder.Versions()
	return report, err
}

// inspect asks every component and the nodes.
func (c *Cluster) inspect(ctx context.Context, state State) Report {
	c = c.of(state)
	report := Report{State: state}
	if state.Nodes == 0 {
		return report
	}
	requeue, _ := time.ParseDuration(state.Requeue) // what Argo is asked does not depend on it
	components := c.layout.Components(state.Nodes, requeue)
	report.Components = make([]ComponentFact, len(components))
	var group errgroup.Group
	for i, component := range components {
		group.Go(func() error {
			identity := state.Processes[component.Name]
			report.Components[i] = ComponentFact{Name: component.Name, PID: identity.PID, Trouble: c.trouble(ctx, identity, component)}
			return nil
		})
	}
	_ = group.Wait() // troubles are in the facts
	report.Nodes, report.NodesError = c.nodeFacts(ctx)
	return report
}

func (c *Cluster) trouble(ctx context.Context, identity proc.Identity, component plan.Component) error {
	if identity.PID == 0 {
		return errors.New("was never started")
	}
	if !identity.Alive(proc.Proc{}) {
		return fmt.Errorf("process %d has ended", identity.PID)
	}
	return c.probe(ctx, component.Probe)
}

// Print writes the report as a table.
func (r Report) Print(out io.Writer) error {
	if len(r.Components) == 0 {
		_, err := fmt.Fprintln(out, "there is no cluster")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(table, format+"\n", args...) } // kept until Flush, which tells
	line("COMPONENT\tPID\tSTATE")
	for _, component := range r.Components {
		state := "running"
		if component.Trouble != nil {
			state = component.Trouble.Error()
		}
		line("%s\t%s\t%s", component.Name, strconv.Itoa(component.PID), state)
	}
	line("\nNODE\tGPUS\tSTATE")
	for _, node := range r.Nodes {
		state := "ready"
		if err := node.trouble(); err != nil {
			state = err.Error()
		}
		line("%s\t%d\t%s", node.Name, node.GPUs, state)
	}
	if r.NodesError != nil {
		line("(%v)", r.NodesError)
	}
	line("\nPROGRAM\tVERSION")
	for _, version := range r.Versions {
		line("%s\t%s", version.Program, version.Version)
	}
	verdict := "healthy"
	if !r.Healthy() {
		verdict = "NOT healthy"
	}
	line("\n%s: %d nodes, requeue %s, since %s, from %s", verdict, r.State.Nodes, r.State.Requeue, r.State.Started.Format(time.DateTime), r.State.Folder)
	return table.Flush()
}
