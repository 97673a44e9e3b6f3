package steps

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// run is one scope of one workflow. What it holds besides its identity are short-lived copies of what the cluster says,
// shared by the tasks of all its groups, so that a hundred groups cost as many requests as one.
type run struct {
	s      *Steps
	owner  cluster.Owner
	scope  string
	groups atomic.Int32

	workflow copyOf[cluster.Workflow]
	states   copyOf[map[string]record.Group]
	turns    copyOf[record.Turns]
	pods     copyOf[map[string][]corev1.Pod]
	jobs     copyOf[map[string]*trainer.TrainJob]
	// events is the newest telling event of each pod that waits, by the pod's name.
	events copyOf[map[string]podEvent]
	// nodes are those that are not ready, with what their condition says.
	nodes  copyOf[map[string]string]
	closed copyOf[record.Close]

	mu   sync.Mutex
	plan *record.Plan
	// made are the attempts, by the name of their TrainJob, whose objects this process has created or verified.
	made map[string]bool
	// turn lets one task of this process at a time ask whose turn it is.
	turn sync.Mutex
}

// errEnding says that the workflow was stopped or is over, so that nothing new may start.
var errEnding = errors.New("the workflow is stopped")

// errForgotten says that the record lost the attempt that a step works for.
var errForgotten = errors.New("the group's record was deleted")

func newRun(s *Steps, owner cluster.Owner, scope string) *run {
	r := &run{s: s, owner: owner, scope: scope, made: map[string]bool{}}
	c, ns := s.cluster, owner.Namespace
	selector := resolve.OfRun(owner.Name, scope)
	r.workflow.load = func(ctx context.Context) (cluster.Workflow, error) { return c.Workflow(ctx, ns, owner.Name) }
	r.states.load = func(ctx context.Context) (map[string]record.Group, error) { return record.Groups(ctx, r.record()) }
	r.closed.load = func(ctx context.Context) (c record.Close, err error) {
		_, err = r.record().Read(ctx, record.KeyClose, &c)
		return c, err
	}
	r.turns.load = func(ctx context.Context) (t record.Turns, err error) {
		_, err = r.record().Read(ctx, record.KeyTurns, &t)
		return t, err
	}
	r.jobs.load = func(ctx context.Context) (map[string]*trainer.TrainJob, error) { return c.TrainJobs(ctx, ns, selector) }
	r.pods.load = func(ctx context.Context) (map[string][]corev1.Pod, error) {
		all, err := c.Pods(ctx, ns, selector)
		byJob := map[string][]corev1.Pod{}
		for _, p := range all {
			name := p.Labels[labelJobSet]
			byJob[name] = append(byJob[name], p)
		}
		return byJob, err
	}
	r.events.load = func(ctx context.Context) (map[string]podEvent, error) {
		all, err := c.PodEvents(ctx, ns)
		return telling(all), err
	}
	r.nodes.load = func(ctx context.Context) (map[string]string, error) {
		all, err := c.Nodes(ctx, "")
		unwell := map[string]string{}
		for i := range all {
			if why := unreadyNode(&all[i]); why != "" {
				unwell[all[i].Name] = why
			}
		}
		return unwell, err
	}
	return r
}

func (r *run) record() *cluster.Record {
	name := ""
	r.mu.Lock()
	if r.plan != nil {
		name = r.plan.Run
	}
	r.mu.Unlock()
	return r.s.cluster.Record(r.owner, r.scope, name)
}

// planned returns the plan with its groups; it is an error when discover or partition have not written it.
func (r *run) planned(ctx context.Context) (*record.Plan, error) {
	r.mu.Lock()
	plan := r.plan
	r.mu.Unlock()
	if plan != nil && plan.Groups != nil {
		return plan, nil
	}
	return r.reread(ctx)
}

// reread is planned without the copy.
func (r *run) reread(ctx context.Context) (*record.Plan, error) {
	plan := &record.Plan{}
	ok, err := r.record().Read(ctx, record.KeyPlan, plan)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, record.ErrNoPlan
	case plan.Message != "":
		return nil, errors.New(plan.Message)
	case plan.Groups == nil:
		return nil, errors.New("the run has no groups: partition did not run")
	}
	r.remember(plan)
	return plan, nil
}

func (r *run) remember(plan *record.Plan) {
	r.mu.Lock()
	r.plan = plan
	r.mu.Unlock()
	r.groups.Store(int32(min(len(plan.All()), 1<<30)))
}

func (r *run) quiet() bool { return r.groups.Load() > quietAbove }

// fresh is how old a copy may be: the more groups there are, the longer the lists that are read. It is 5 s for 500 groups and 10 s
// for 1,000 and more.
func (r *run) fresh() time.Duration {
	return min(max(2*time.Second, time.Duration(r.groups.Load())*10*time.Millisecond), 10*time.Second)
}

// running returns the workflow, or errEnding when it is stopped, over, gone, replaced by one of the same name, or when the
// run was closed in this epoch.
func (r *run) running(ctx context.Context) (cluster.Workflow, error) {
	w, err := r.workflow.within(ctx, r.s.clock.Now(), r.fresh())
	switch {
	case apierrors.IsNotFound(err):
		return w, fmt.Errorf("%w: it was deleted", errEnding)
	case err != nil:
		return w, err
	case w.UID != r.owner.UID:
		return w, fmt.Errorf("%w: another one took its name", errEnding)
	case w.Shutdown != "":
		return w, fmt.Errorf("%w: %s was asked for", errEnding, w.Shutdown)
	case w.Ending():
		return w, fmt.Errorf("%w: it is over", errEnding)
	}
	return w, nil
}
