// Package record is what a run keeps in the cluster: its plan, the state of each group and whether it is closed.
// The plugin's steps write it; `seatrial workloadrun report` and the finish container read it.
package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// Keys of the record. A group's key is its name.
const (
	KeyPlan  = "plan"
	KeyClose = "close"
	KeyTurns = cluster.KeyTurns
)

// Plan is what discover and partition decided. Everything later follows it, whatever happens to the cluster's nodes meanwhile.
type Plan struct {
	// Epoch is the execution of the workflow that made the plan (cluster.Workflow.Epoch).
	Epoch   string    `json:"epoch"`
	Started time.Time `json:"started"`
	// Run is the name that overrides refer to.
	Run string `json:"run"`
	// Stage is the place of the run in a larger workflow; empty for the only run of one.
	Stage     string                   `json:"stage,omitempty"`
	Framework string                   `json:"framework"`
	Spec      v1alpha1.WorkloadRunSpec `json:"spec"`
	Options   v1alpha1.Options         `json:"options"`
	// Cause and Message say why there is no plan; then the rest may be empty.
	Cause   v1alpha1.Cause `json:"cause,omitempty"`
	Message string         `json:"message,omitempty"`
	// Problems are what Message says, where it is about fields of the run or of a fragment: each may have a file and a line, which
	// a reader of the file finds. No record keeps them.
	Problems v1alpha1.Problems `json:"-"`
	// Facts are what the nodes have in common.
	Facts resolve.Facts `json:"facts"`
	// Fragments are those that match, in their order, as they were when the plan was made.
	Fragments []v1alpha1.NamedFragment `json:"fragments,omitempty"`
	Nodes     []resolve.Node           `json:"nodes,omitempty"`
	Excluded  []v1alpha1.NodeReason    `json:"excluded,omitempty"`
	Warnings  []string                 `json:"warnings,omitempty"`
	// TopologyKeys are the labels by which groups are kept together, outermost first; nil where nodes are cut by name.
	TopologyKeys []string `json:"topologyKeys,omitempty"`
	// Untested are nodes that partition could put into no group.
	Untested []v1alpha1.NodeReason `json:"untested,omitempty"`
	// LogProfile is the one that the run refers to, as it was when the plan was made; nil for none.
	LogProfile *v1alpha1.LogProfile `json:"logProfile,omitempty"`
	// Groups is nil until the partition step has run.
	Groups []partition.Group `json:"groups,omitempty"`
	// Rounds are those of isolation so far, in order; the last one may be empty, which ends it.
	Rounds []Round `json:"rounds,omitempty"`
}

// Group is the state of one group.
type Group struct {
	// Attempt counts from 1; 0 means that nobody has asked for the group yet.
	Attempt int `json:"attempt"`
	// Retries counts the attempts that retryFailedGroups allowed in the present epoch.
	Retries int    `json:"retries,omitempty"`
	Epoch   string `json:"epoch"`
	// Admitted is when the attempt's turn came; its objects may exist from then on.
	Admitted *time.Time `json:"admitted,omitempty"`
	// Scheduled is when the last of its workers was bound to a node.
	Scheduled *time.Time `json:"scheduled,omitempty"`
	// TakenAway says which of its pods was deleted, and not by Seatrial, before its first exit; "" when none was seen to be.
	TakenAway string `json:"takenAway,omitempty"`
	// Hosts maps the names of the attempt's pods to their nodes, as far as they were seen.
	Hosts map[string]string `json:"hosts,omitempty"`
	// Placed are the nodes that the scheduler chose, once all workers have one; nil where the group names its nodes.
	Placed []string `json:"placed,omitempty"`
	// Probe is the last state of every worker's sshd.
	Probe []v1alpha1.ProbeResult `json:"probe,omitempty"`
	// Tail is the end of the log so far, for the case that nobody comes back to read it.
	Tail *v1alpha1.FailureLog `json:"tail,omitempty"`
	// Logs is how far each log of the attempt has been read, by pod uid and restart: a kubelet that rotates a log keeps only its
	// end, so that another process can go on from there.
	Logs map[string]json.RawMessage `json:"logs,omitempty"`
	// Result is the attempt's final result; nil while there is none.
	Result *v1alpha1.GroupResult `json:"result,omitempty"`
	// EndedEarly: the result is not of a job that ended by itself. The run was stopped, or its time was over, before that.
	EndedEarly bool `json:"endedEarly,omitempty"`
	// Cleaned: the attempt's pods are gone, so that a group that shares nodes may start.
	Cleaned bool `json:"cleaned,omitempty"`
	// Leftover says which pods could not be seen gone in time, such as those of a dead node. Nobody waits for them any longer.
	Leftover string `json:"leftover,omitempty"`
	// Earlier holds one line for each attempt before this one.
	Earlier []string `json:"earlier,omitempty"`
}

// Close says that a run takes no new work. `argo retry` begins another epoch, for which it does not hold.
type Close struct {
	Epoch    string    `json:"epoch"`
	Reason   string    `json:"reason"`
	Finished time.Time `json:"finished"`
}

// ReasonReported is the reason of a run that came to its end.
const ReasonReported = "the report was written"

// Early says why a run was ended before it came to its report; "" for one that was not.
func (c Close) Early() string {
	if c.Reason == ReasonReported {
		return ""
	}
	return c.Reason
}

// State is the group's state as the order of turns sees it.
func (g Group) State(admitted bool) partition.State {
	switch {
	case g.Result != nil && (g.Cleaned || g.Leftover != "" || g.Admitted == nil):
		return partition.Done
	case admitted:
		return partition.Running
	}
	return partition.Waiting
}

// Read reads the plan and every group's state. ok is false when there is no plan.
func Read(ctx context.Context, r *cluster.Record) (plan Plan, groups map[string]Group, ok bool, err error) {
	ok, err = r.Read(ctx, KeyPlan, &plan)
	if err != nil || !ok {
		return plan, nil, ok, err
	}
	groups, err = Groups(ctx, r)
	return plan, groups, true, err
}

// ErrNoPlan says that a record has no plan: then what it says of groups, or does not say, means nothing.
var ErrNoPlan = errors.New("the run has no plan: its record was deleted, or discover did not run")

// Groups reads every group's state, by name. It is ErrNoPlan when the plan is not there.
func Groups(ctx context.Context, r *cluster.Record) (map[string]Group, error) {
	groups := map[string]Group{}
	planned := false
	err := r.ReadEach(ctx, func(key string, group bool, decode func(any) error) error {
		planned = planned || key == KeyPlan
		if !group {
			return nil
		}
		var g Group
		if err := decode(&g); err != nil {
			return err
		}
		groups[key] = g
		return nil
	})
	if err == nil && !planned {
		return nil, ErrNoPlan
	}
	return groups, err
}

// Report builds the report of what is recorded. end is nil while the run goes on.
func Report(workflow, scope string, plan Plan, groups map[string]Group, end *Close) v1alpha1.Report {
	in := report.Input{
		Name: plan.Run, Workflow: workflow, Scope: scope, Stage: plan.Stage,
		Cause: plan.Cause, Message: plan.Message,
		Platform: plan.Facts.Platform, GPUArchitecture: plan.Facts.Architecture, Framework: plan.Framework,
		Excluded: plan.Excluded, Untested: plan.Untested, Warnings: plan.Warnings,
		Sampled: plan.Spec.Unpinned(),
	}
	if !plan.Started.IsZero() {
		in.Started = &plan.Started
	}
	if end != nil {
		in.Finished, in.Ended = &end.Finished, end.Early()
	}
	for _, f := range plan.Fragments {
		in.Fragments = append(in.Fragments, v1alpha1.FragmentUse{Name: f.Name, ResourceVersion: f.ResourceVersion})
	}
	for _, n := range plan.Nodes {
		in.Target = append(in.Target, n.Name)
	}
	for _, key := range slices.Sorted(maps.Keys(plan.Spec.Thresholds)) {
		in.Thresholds = append(in.Thresholds, report.Threshold{Key: key, Expression: plan.Spec.Thresholds[key]})
	}
	for _, g := range plan.Groups {
		in.Groups = append(in.Groups, result(g, groups[g.Name]))
	}
	in.Isolation, in.Settled = isolation(plan, groups)
	return report.Build(in)
}

// result is the group's recorded result, or the little that is known of an unfinished one.
func result(g partition.Group, state Group) v1alpha1.GroupResult {
	r := v1alpha1.GroupResult{Message: "not started", Attempts: state.Attempt}
	switch {
	case state.Result != nil:
		r = *state.Result
	case state.Admitted != nil:
		r.Message, r.Probe, r.FailureLog = "no result yet", state.Probe, state.Tail
	case state.Attempt > 0:
		r.Message = "waiting for its turn"
	}
	r.Name, r.Nodes, r.Overflow, r.Borrowed, r.Domain = g.Name, g.Nodes, g.Overflow, g.Borrowed, strings.Join(g.Domains, ", ")
	r.Started = state.Admitted
	if len(g.Nodes) == 0 {
		r.Nodes = append([]string{}, state.Placed...)
	}
	r.Warnings = append(append([]string{}, r.Warnings...), state.Earlier...)
	if state.Leftover != "" {
		r.Warnings = append(r.Warnings, "cleaning up: "+state.Leftover)
	}
	sort.Strings(r.Warnings)
	return r
}

// Names returns the names of one attempt of a group.
func (p Plan) Names(workflow, scope, group string, attempt int) resolve.Names {
	return resolve.Names{Workflow: workflow, Scope: scope, Run: p.Run, Group: group, Attempt: attempt}
}

// Objects returns what resolve makes of one attempt of a group.
func (p *Plan) Objects(owner cluster.Owner, scope string, g partition.Group, attempt int) resolve.Group {
	in := resolve.Group{
		Names: p.Names(owner.Name, scope, g.Name, attempt), Namespace: owner.Namespace,
		Spec: &p.Spec, Facts: p.Facts, Fragments: p.Fragments,
	}
	byName := map[string]resolve.Node{}
	for _, n := range p.Nodes {
		byName[n.Name] = n
	}
	for _, name := range g.Nodes {
		in.Nodes = append(in.Nodes, byName[name])
	}
	if p.Spec.Unpinned() {
		in.Nodes = p.Nodes
	}
	return in
}

// Workers is how many nodes a group's job has.
func (p *Plan) Workers(g partition.Group) int {
	if p.Spec.Unpinned() {
		return int(p.Spec.GroupSize())
	}
	return len(g.Nodes)
}

// Find returns the group of a name.
func (p *Plan) Find(name string) (partition.Group, error) {
	for _, g := range p.All() {
		if g.Name == name {
			return g, nil
		}
	}
	return partition.Group{}, fmt.Errorf("the plan has no %s", name)
}
