package report

import (
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Causes of a run that ended before it had groups. They are about the run as a whole: nothing was tested, so that they speak
// against no node and the verdict is unknown.
const (
	// CauseBuildFailed: the run could not be resolved into objects.
	CauseBuildFailed v1alpha1.Cause = "build-failed"
	// CausePartitionError: the nodes could not be cut into groups of the asked size.
	CausePartitionError v1alpha1.Cause = "partition-error"
	// CausePlanOnly: only the plan was asked for.
	CausePlanOnly v1alpha1.Cause = "plan-only"
	// CauseNoEligibleNode: the target holds no node.
	CauseNoEligibleNode v1alpha1.Cause = "no-eligible-node"
)

// Threshold is a condition that every group had to meet.
type Threshold struct{ Key, Expression string }

// Input is all that is known of a run, finished or not.
type Input struct {
	// Name to GPUArchitecture are as in v1alpha1.Report.
	Name, Workflow, Scope, Stage, Framework, Platform, GPUArchitecture string
	// Started is nil before the run began, Finished until it ended.
	Started, Finished *time.Time
	// Target are the names of the nodes to be judged, in any order.
	Target []string
	// Excluded were kept out of the target, each with the reason.
	Excluded []v1alpha1.NodeReason
	// Untested gives reasons for target nodes that are in no group. A node without an entry gets that of the run where it has no
	// groups, and a general one where it has.
	Untested []v1alpha1.NodeReason
	// Sampled: the scheduler chose the nodes of the only job, so that the rest of the target goes untested by intent.
	Sampled bool
	// Domains gives the topology domain of nodes by name. A node without an entry has that of its first group.
	Domains map[string]string
	// Groups in any order. A group that was not launched yet belongs here too, with the zero verdict.
	Groups []v1alpha1.GroupResult
	// Isolation is nil when there was none; Settled are the verdicts that it came to, of suspects alone.
	Isolation  *v1alpha1.Isolation
	Settled    []v1alpha1.NodeResult
	Thresholds []Threshold
	Fragments  []v1alpha1.FragmentUse
	Warnings   []string
	// Cause and Message say why the run as a whole did not get on; empty when its groups speak for it.
	// With a cause the run is at best unknown.
	Cause   v1alpha1.Cause
	Message string
	// Ended says why the run was ended before its time; empty when it was not.
	Ended string
}

// Build judges a run. It does not change in, and shares no memory with it that the writers would change.
func Build(in Input) v1alpha1.Report {
	r := v1alpha1.Report{
		Schema: v1alpha1.ReportSchema,
		Name:   in.Name, Workflow: in.Workflow, Scope: in.Scope, Stage: in.Stage,
		Platform: in.Platform, GPUArchitecture: in.GPUArchitecture, Framework: in.Framework,
		Started: in.Started, Finished: in.Finished,
	}
	// 1. Order.
	r.Groups = orderedGroups(in.Groups)
	r.Excluded = orderedReasons(in.Excluded)
	r.Fragments = append([]v1alpha1.FragmentUse{}, in.Fragments...)
	r.Warnings = append([]string{}, in.Warnings...)
	// 2. Groups.
	for i := range r.Groups {
		holdToThresholds(&r.Groups[i], in.Thresholds)
	}
	r.Thresholds = overallThresholds(in.Thresholds, r.Groups)
	// 3. Nodes, then the run.
	r.Nodes = judgeNodes(in.Target, whyUntested(in), whyInNone(in), r.Groups)
	placeNodes(r.Nodes, in.Domains, r.Groups)
	suspectOutliers(r.Nodes, r.Groups, in.Thresholds)
	r.Isolation = settle(in, r.Nodes)
	r.Counts = count(r.Nodes, len(r.Excluded))
	r.Warnings = append(r.Warnings, strangers(r.Nodes, r.Groups)...)
	r.Verdict, r.Cause, r.Message = judgeRun(in, r)
	return r
}

func count(nodes []v1alpha1.NodeResult, excluded int) v1alpha1.Counts {
	c := v1alpha1.Counts{Target: len(nodes), Excluded: excluded}
	for _, n := range nodes {
		switch n.Verdict {
		case v1alpha1.Passed:
			c.Passed++
		case v1alpha1.Failed:
			c.Failed++
		case v1alpha1.Suspect:
			c.Suspect++
		case v1alpha1.Untested:
			c.Untested++
		default:
			c.Unknown++
		}
	}
	return c
}
