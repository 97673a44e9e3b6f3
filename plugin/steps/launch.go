package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

const (
	// createFor bounds the attempts to create a group's objects. Trainer's webhook reads runtimes from a cache, so that a
	// TrainJob is refused for a moment after its runtime was created; an object of the same name may still be going away.
	createFor = 2 * time.Minute
	poll      = 2 * time.Second
)

// launch waits for the group's turn and creates its objects.
func launch(ctx context.Context, r *run, g partition.Group, say func(string)) (bool, string, error) {
	state, err := r.ensureAttempt(ctx, g)
	if err != nil {
		return false, "", err
	}
	if state.Result != nil {
		return true, "has a result already", nil
	}
	switch err := r.launchAttempt(ctx, g, state, say); {
	case errors.Is(err, errSuperseded):
		return true, err.Error(), nil
	case err != nil:
		return false, "", err
	}
	where := " on " + report.NodeList(g.Nodes)
	if len(g.Nodes) == 0 {
		where = " on nodes of the scheduler's choice"
	}
	return true, "TrainJob " + r.base(g, state.Attempt) + where, nil
}

// launchAttempt creates the objects of an attempt once it is its turn, or verifies that they exist. When they cannot be made,
// that is the group's result, and nobody's fault.
func (r *run) launchAttempt(ctx context.Context, g partition.Group, state *record.Group, say func(string)) error {
	err := r.awaitTurn(ctx, g, state, say)
	if err == nil {
		err = r.create(ctx, g, state.Attempt, say)
	} else if !errors.As(err, new(errOverTime)) {
		return err
	}
	if err == nil || errors.Is(err, errEnding) || errors.Is(err, errSuperseded) || errors.Is(err, errForgotten) ||
		errors.Is(err, record.ErrNoPlan) || bearable(err) > 0 || ctx.Err() != nil {
		return err
	}
	end := score.Evidence{Ending: score.NotStarted, Message: oneLine(err)}
	if errors.As(err, new(errOverTime)) {
		end.Ending, end.Cause = score.Stopped, v1alpha1.CauseTimeout
	}
	if finished := r.finish(ctx, g, state.Attempt, end, nil); finished != nil {
		return finished
	}
	return err
}

// create makes the attempt's objects, each only while the run goes on, and takes them back when it ended meanwhile.
func (r *run) create(ctx context.Context, g partition.Group, attempt int, say func(string)) error {
	base := r.base(g, attempt)
	if r.isMade(base) {
		return nil
	}
	plan, err := r.planned(ctx)
	if err != nil {
		return err
	}
	objects, err := resolve.Objects(plan.Objects(r.owner, r.scope, g, attempt))
	if err != nil {
		return err
	}
	started := r.s.clock.Now()
	for _, o := range objects {
		for {
			err := r.createWhileOpen(ctx, g, attempt, o)
			if err == nil {
				break
			}
			if errors.Is(err, errEnding) || !passing(err) || r.s.clock.Now().Sub(started) > createFor {
				return err
			}
			say(fmt.Sprintf("trying again for up to %s: %v", createFor, err))
			if err := r.s.pause(ctx, poll); err != nil {
				return err
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made[base] = true
	return nil
}

// isMade says whether this process has created or verified an attempt's objects: score need not do again what launch did.
func (r *run) isMade(base string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.made[base]
}

// createWhileOpen creates an object if the run goes on, and takes the attempt's objects back if it ended meanwhile. Only then:
// when nobody can say whether it goes on, the objects may be those of a job that has run for hours.
func (r *run) createWhileOpen(ctx context.Context, g partition.Group, attempt int, o *unstructured.Unstructured) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	if err := r.s.cluster.Create(ctx, o, r.owner); err != nil {
		return err
	}
	err := r.open(ctx)
	if errors.Is(err, errEnding) {
		return errors.Join(err, r.s.cluster.Delete(context.WithoutCancel(ctx), r.owner, r.selector(g, attempt)))
	}
	return err
}

// open returns errEnding when the run may create nothing more: it asks for the closed mark as well as for the workflow.
func (r *run) open(ctx context.Context) error {
	w, err := r.running(ctx)
	if err != nil {
		return err
	}
	closed, err := r.closed.after(ctx, r.s.clock.Now())
	if err != nil {
		return err
	}
	if closed.Epoch == w.Epoch() {
		return fmt.Errorf("%w: %s", errEnding, closed.Reason)
	}
	return nil
}

// passing says whether creating the same object again may work soon.
func passing(err error) bool {
	return errors.Is(err, cluster.ErrTerminating) || strings.Contains(err.Error(), "must be created before") ||
		apierrors.IsInternalError(err) || // a webhook whose pod is not there
		bearable(err) > 0
}

func (r *run) base(g partition.Group, attempt int) string { return r.names(g, attempt).Base() }

func (r *run) names(g partition.Group, attempt int) resolve.Names {
	return resolve.Names{Workflow: r.owner.Name, Scope: r.scope, Group: g.Name, Attempt: attempt}
}

// selector matches the objects of one attempt of a group, and no other's: a clean-up that comes late must leave the next one alone.
func (r *run) selector(g partition.Group, attempt int) string {
	return fmt.Sprintf("%s,%s=%s", attemptsOf(r.owner.Name, r.scope, attempt), resolve.LabelGroup, g.Name)
}

// attemptsOf matches the objects of the n-th attempts of all groups of a run.
func attemptsOf(workflow, scope string, attempt int) string {
	run := resolve.OfRun(workflow, scope)
	if attempt <= 1 {
		return run + ",!" + resolve.LabelAttempt
	}
	return fmt.Sprintf("%s,%s=%d", run, resolve.LabelAttempt, attempt)
}
