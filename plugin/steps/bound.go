package steps

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// bound is maxDuration. It counts from the workflow's start, which every process of the plugin finds in the workflow; `argo
// retry` begins it anew. The zero value is no bound.
type bound struct {
	most  time.Duration
	until time.Time
}

func boundOf(plan *record.Plan, w cluster.Workflow) bound {
	most := time.Duration(plan.Options.MaxDuration)
	if most == 0 || w.StartedAt.IsZero() {
		return bound{}
	}
	return bound{most, w.StartedAt.Add(most)}
}

// before says whether the bound is the first of two ends.
func (b bound) before(t time.Time) bool { return b.most > 0 && b.until.Before(t) }

// String reads: until the time, and why.
func (b bound) String() string {
	return fmt.Sprintf("until %s (maxDuration %s)", b.until.UTC().Format(time.RFC3339), b.most)
}

// cutShort is the end of a job that still ran when the time of the whole run was over. That is nobody's fault.
func (b bound) cutShort() score.Evidence {
	return score.Evidence{Ending: score.Stopped, Cause: v1alpha1.CauseTimeout, Message: fmt.Sprintf("the run's time was over %s, and the job was still running", b.passed())}
}

func (b bound) passed() string {
	return fmt.Sprintf("at %s (maxDuration %s)", b.until.UTC().Format(time.RFC3339), b.most)
}

// errOverTime says that the run's time was over before the group's turn came.
type errOverTime struct{ bound }

// Error is the group's message.
func (e errOverTime) Error() string {
	return "not started: the run's time was over " + e.passed()
}

// retries is how often a group may run again. Once the run's time is over, none does: what it came to stands.
func (r *run) retries(ctx context.Context, plan *record.Plan) (int, error) {
	w, err := r.running(ctx)
	if err != nil {
		return 0, err
	}
	if boundOf(plan, w).before(r.s.clock.Now()) {
		return 0, nil
	}
	return plan.Options.RetryFailedGroups, nil
}
