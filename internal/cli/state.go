package cli

import (
	"context"
	"errors"
	"fmt"
	"sort"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// labelFramework is on every Workflow of a WorkloadRun.
const labelFramework = "seatrial.dev/framework"

// state is what a cluster holds of a workflow and its runs at one moment.
type state struct {
	workflow cluster.Workflow
	// gone: the workflow was deleted, and only its record is left.
	gone bool
	// runs are sorted by scope. There is none before discover has begun.
	runs []runState
}

// runState is one invocation of the template `run`.
type runState struct {
	scope  string
	plan   record.Plan
	groups map[string]record.Group
	// planned is false while there is no plan.
	planned bool
	// end is nil while the run goes on.
	end *record.Close
}

// errNoRun says that there is neither a workflow of a name nor a record of one.
var errNoRun = errors.New("no run")

// readState reads a workflow and the records of all its runs.
func readState(ctx context.Context, c *cluster.Cluster, namespace, name string) (state, error) {
	w, err := c.Workflow(ctx, namespace, name)
	if apierrors.IsNotFound(err) {
		s := state{workflow: cluster.Workflow{Owner: cluster.Owner{Namespace: namespace, Name: name}}, gone: true}
		s, err = s.withRuns(ctx, c)
		if err == nil && len(s.runs) == 0 {
			err = fmt.Errorf("%w %s in namespace %s", errNoRun, name, namespace)
		}
		return s, err
	}
	if err != nil {
		return state{}, err
	}
	return state{workflow: w}.withRuns(ctx, c)
}

// withRuns reads the records of the workflow's runs.
func (s state) withRuns(ctx context.Context, c *cluster.Cluster) (state, error) {
	records, err := c.Records(ctx, s.workflow.Owner)
	if err != nil {
		return s, err
	}
	for _, r := range records {
		run := runState{scope: r.Scope()}
		if run.plan, run.groups, run.planned, err = record.Read(ctx, r); err != nil {
			return s, err
		}
		var closed record.Close
		if _, err := r.Read(ctx, record.KeyClose, &closed); err != nil {
			return s, err
		}
		run.end = s.endOf(closed)
		s.runs = append(s.runs, run)
	}
	sort.Slice(s.runs, func(i, j int) bool { return s.runs[i].scope < s.runs[j].scope })
	return s, nil
}

// endOf is how a run ended: when it was closed in this execution of the workflow, or with the workflow itself.
// `argo retry` begins another execution, for which an earlier end does not hold.
func (s state) endOf(closed record.Close) *record.Close {
	switch {
	case closed.Epoch != "" && (s.gone || closed.Epoch == s.workflow.Epoch()):
		return &closed
	case !s.workflow.FinishedAt.IsZero():
		return &record.Close{Reason: s.workflow.WhyEnding(), Finished: s.workflow.FinishedAt}
	}
	return nil
}

// over says that the workflow has ended, its exit handler too, or is gone.
func (s state) over() bool { return s.gone || !s.workflow.FinishedAt.IsZero() }

// phase is Argo's word for where the workflow is, for people to read.
func (s state) phase() string {
	switch {
	case s.gone:
		return "deleted"
	case s.workflow.Phase == "":
		return "Pending" // the controller has not seen it yet
	}
	return s.workflow.Phase
}

// reports returns a report for each run, in the order of their start, and one that says why there is nothing when nothing is recorded.
func (s state) reports() []v1alpha1.Report {
	runs := s.runs
	if len(runs) == 0 {
		none := runState{}
		if s.over() {
			none.end = &record.Close{Finished: s.workflow.FinishedAt}
		}
		runs = []runState{none}
	}
	all := make([]v1alpha1.Report, 0, len(runs))
	for _, r := range runs {
		all = append(all, s.report(r))
	}
	report.Order(all)
	return all
}

func (s state) report(r runState) v1alpha1.Report {
	plan := r.plan
	if !r.planned {
		plan.Run = s.workflow.Labels[resolve.LabelRun]
		if plan.Run == "" {
			plan.Run = s.workflow.Name
		}
		plan.Framework, plan.Started = s.workflow.Labels[labelFramework], s.workflow.StartedAt
		plan.Cause, plan.Message = v1alpha1.CauseInfrastructure, s.whyNoPlan()
	}
	full := record.Report(s.workflow.Name, r.scope, plan, r.groups, r.end)
	if plan.Started.IsZero() {
		full.Started = nil
	}
	if r.end == nil && full.Verdict == v1alpha1.Pass {
		full.Verdict, full.Message = v1alpha1.Unknown, "the run is not over"
	}
	return full
}

func (s state) whyNoPlan() string {
	text := "the workflow is " + s.phase() + " and has no plan yet"
	if s.over() {
		text = "the workflow ended without a plan: it is " + s.phase()
	}
	for _, why := range []string{s.workflow.Message, s.workflow.FirstFailure} {
		if why != "" {
			text += ": " + why
		}
	}
	if s.over() && s.workflow.AgentFailure != "" {
		text += fmt.Sprintf("; `argo retry %s` runs it again", s.workflow.Name)
	}
	return text
}

// verdictCode is the exit code of reports: a fail over what could not be told over a pass. A report of a run that goes on
// could not be told, whatever it shows so far.
func verdictCode(reports []v1alpha1.Report) Code { return codeOf(report.Overall(reports)) }

// tally counts the groups of all runs.
type tally struct {
	Total int `json:"total"`
	// Done counts the groups that ended by themselves, EndedEarly those that were ended with the run before that.
	Done       int `json:"done"`
	EndedEarly int `json:"endedEarly"`
	Failed     int `json:"failed"`
	// BestBusGBps is the best bus bandwidth of the groups that are done, in GB/s; nil without one.
	BestBusGBps *float64 `json:"bestBusGBps"`
}

func (s state) tally() tally {
	var t tally
	for _, r := range s.runs {
		all := r.plan.All()
		t.Total += len(all)
		for _, planned := range all {
			group := r.groups[planned.Name]
			result := group.Result
			if result == nil {
				continue
			}
			if result.Verdict == v1alpha1.Fail {
				t.Failed++
			}
			if group.EndedEarly {
				t.EndedEarly++
				continue
			}
			t.Done++
			if b := result.Bandwidth; b != nil && b.PeakBusGBps != nil && (t.BestBusGBps == nil || *b.PeakBusGBps > *t.BestBusGBps) {
				t.BestBusGBps = b.PeakBusGBps
			}
		}
	}
	return t
}

func unfinished(r v1alpha1.Report) bool { return r.Finished == nil }
