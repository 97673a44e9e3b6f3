package steps

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

// goneWithin bounds the wait for pods to go: a pod may take its grace period of 30 s, and a kubelet is slow under load.
const goneWithin = 5 * time.Minute

// watch looks whether the workflow is stopped while a task works, so that a run is cleaned up even when nobody calls again:
// Argo tells a plugin nothing of a stop.
func (r *run) watch(ctx context.Context) {
	for {
		if err := r.s.pause(ctx, 5*time.Second); err != nil {
			return
		}
		if _, err := r.running(ctx); errors.Is(err, errEnding) {
			r.s.log.Info("the workflow is ending", "workflow", r.owner.Name, "scope", r.scope, "why", err)
			if err := r.closeIfEnding(ctx); err != nil && ctx.Err() == nil {
				r.s.log.Error("cleaning up", "workflow", r.owner.Name, "scope", r.scope, "error", err)
				continue
			}
			return
		}
	}
}

// closeIfEnding closes the run when its workflow is stopped, over or gone.
func (r *run) closeIfEnding(ctx context.Context) error {
	w, err := r.s.cluster.Workflow(ctx, r.owner.Namespace, r.owner.Name)
	switch {
	case apierrors.IsNotFound(err), err == nil && w.UID != r.owner.UID:
		return nil // what the run made goes with its owner
	case err != nil:
		return err
	case !w.Ending():
		return nil
	}
	c := Closer{Cluster: r.s.cluster, Clock: r.s.clock, Log: r.s.log}
	return c.close(ctx, w, r.record())
}

// Closer ends runs, whatever state they are in.
type Closer struct {
	Cluster *cluster.Cluster
	Clock   clock.Clock
	Log     *slog.Logger
}

// Insist does work again while the API server gives no answer, for as long as a step would.
func (c Closer) Insist(ctx context.Context, work func() error) error {
	return insist(ctx, c.Clock, c.Log, func(string) {}, work)
}

// Workflow ends every run of a workflow: it marks them closed, so that nothing is created any more, gives each group
// without a result one, deletes what is left and returns when every pod is gone, or an error that names what is not.
// A run that kept the objects of its finished groups on purpose keeps them; one whose record is gone keeps nothing.
func (c Closer) Workflow(ctx context.Context, owner cluster.Owner) error {
	w, err := c.Cluster.Workflow(ctx, owner.Namespace, owner.Name)
	if err != nil {
		return err
	}
	if owner.UID != "" && w.UID != owner.UID {
		return fmt.Errorf("workflow %s is another one of that name", owner.Name)
	}
	records, err := c.Cluster.Records(ctx, w.Owner)
	if err != nil {
		return err
	}
	lost, err := c.unrecorded(ctx, w, records)
	if err != nil {
		return err
	}
	var problems []error
	for _, r := range append(records, lost...) {
		if err := c.close(ctx, w, r); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// unrecorded returns empty records for the scopes that have jobs and no record: somebody deleted it.
func (c Closer) unrecorded(ctx context.Context, w cluster.Workflow, records []*cluster.Record) ([]*cluster.Record, error) {
	known := map[string]bool{}
	for _, r := range records {
		known[r.Scope()] = true
	}
	jobs, err := c.Cluster.TrainJobs(ctx, w.Namespace, resolve.LabelWorkflow+"="+w.Name)
	if apierrors.IsNotFound(err) { // a cluster without Trainer
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var lost []*cluster.Record
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		job := jobs[name]
		scope := job.Labels[resolve.LabelScope]
		if known[scope] || !w.Owns(job) {
			continue
		}
		known[scope] = true
		lost = append(lost, c.Cluster.Record(w.Owner, scope, job.Labels[resolve.LabelRun]))
	}
	return lost, nil
}

func (c Closer) close(ctx context.Context, w cluster.Workflow, r *cluster.Record) error {
	reason := w.WhyEnding()
	// 1. Nothing new.
	_, err := cluster.Update(ctx, r, record.KeyClose, func(k *record.Close) error {
		if k.Epoch == w.Epoch() {
			return cluster.ErrUnchanged
		}
		*k = record.Close{Epoch: w.Epoch(), Reason: reason, Finished: c.Clock.Now().UTC()}
		return nil
	})
	if err != nil {
		return err
	}
	plan, groups, ok, err := record.Read(ctx, r)
	if err != nil {
		return err
	}
	if !ok {
		return c.sweep(ctx, w, r)
	}
	// 2. The pods of all groups begin to go: an agent that is deleted has half a minute for everything.
	left := map[string]int{} // the attempt, by group
	for _, g := range plan.All() {
		if s := groups[g.Name]; !s.Cleaned && s.Admitted != nil {
			left[g.Name] = s.Attempt
		}
	}
	selectors := selecting(w.Name, r.Scope(), left)
	var problems []error
	for _, selector := range selectors {
		problems = append(problems, c.Cluster.DeleteJobs(ctx, r.Owner(), selector))
	}
	// 3. A verdict for each group that was begun.
	for _, g := range plan.All() {
		problems = append(problems, c.settle(ctx, r, g, groups[g.Name], reason))
	}
	// 4. No pod is left, but for those of groups that were kept.
	if len(left) == 0 {
		return errors.Join(problems...)
	}
	run := resolve.OfRun(w.Name, r.Scope())
	pods, err := awaitGone(ctx, c.Cluster, c.Clock, r.Owner().Namespace, run, left, nil)
	problems = append(problems, err)
	// 5. What the pods used goes after them, or after the wait for them.
	for _, selector := range selectors {
		problems = append(problems, c.Cluster.DeleteUsed(ctx, r.Owner(), selector, cluster.AllKinds))
	}
	for group, attempt := range left {
		if err == nil || len(pods) > 0 && !slices.ContainsFunc(pods, ofGroup(group)) {
			_, err := cluster.Update(ctx, r, group, clean(attempt))
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// sweep deletes all that a run without a plan has: nobody can say what of it was to be kept.
func (c Closer) sweep(ctx context.Context, w cluster.Workflow, r *cluster.Record) error {
	run := resolve.OfRun(w.Name, r.Scope())
	problem := c.Cluster.DeleteJobs(ctx, r.Owner(), run)
	if problem == nil {
		_, problem = awaitGone(ctx, c.Cluster, c.Clock, w.Namespace, run+","+resolve.LabelGroup, nil, nil)
	}
	return errors.Join(problem, c.Cluster.DeleteUsed(ctx, r.Owner(), run, cluster.AllKinds))
}

// selecting returns selectors that match the objects of these attempts of groups, and of no others.
func selecting(workflow, scope string, attempts map[string]int) []string {
	groups := map[int][]string{}
	for _, group := range slices.Sorted(maps.Keys(attempts)) {
		groups[attempts[group]] = append(groups[attempts[group]], group)
	}
	var selectors []string
	for _, attempt := range slices.Sorted(maps.Keys(groups)) {
		for some := range slices.Chunk(groups[attempt], selectAtOnce) {
			selectors = append(selectors, fmt.Sprintf("%s,%s in (%s)", attemptsOf(workflow, scope, attempt), resolve.LabelGroup, strings.Join(some, ",")))
		}
	}
	return selectors
}

// attemptOf is the attempt that a pod is of.
func attemptOf(p *corev1.Pod) int {
	n, err := strconv.Atoi(p.Labels[resolve.LabelAttempt])
	if err != nil { // the first has no label
		return 1
	}
	return n
}

// selectAtOnce keeps a selector well below the 8 KiB that a request's address may have.
const selectAtOnce = 100

func ofGroup(group string) func(corev1.Pod) bool {
	return func(p corev1.Pod) bool { return p.Labels[resolve.LabelGroup] == group }
}

// clean notes that the pods of an attempt are gone.
func clean(attempt int) func(*record.Group) error {
	return func(s *record.Group) error {
		if s.Attempt != attempt || s.Cleaned {
			return cluster.ErrUnchanged
		}
		s.Cleaned, s.Leftover = true, ""
		return nil
	}
}

// settle gives a group that was begun and has no result an unknown one.
func (c Closer) settle(ctx context.Context, r *cluster.Record, g partition.Group, state record.Group, reason string) error {
	if state.Attempt == 0 || state.Result != nil {
		return nil
	}
	_, err := cluster.Update(ctx, r, g.Name, func(s *record.Group) error {
		if s.Result != nil || s.Attempt != state.Attempt {
			return cluster.ErrUnchanged
		}
		s.Result = &v1alpha1.GroupResult{
			Name: g.Name, Nodes: g.Nodes, Overflow: g.Overflow, Borrowed: g.Borrowed, Attempts: s.Attempt,
			Cause: v1alpha1.CauseInfrastructure, Message: "had no result when " + reason, Probe: s.Probe, FailureLog: s.Tail,
		}
		s.Tail, s.Logs, s.EndedEarly = nil, nil, true
		s.Result = fit(g.Name, s, s.Result)
		return nil
	})
	return err
}

// awaitGone returns when no pod matches the selector any more, or after goneWithin the pods that do with an error that names one.
// Attempts, if not nil, are those whose pods count, by group. late, if not nil, is told once of those that are there after silentAfter.
func awaitGone(ctx context.Context, c *cluster.Cluster, clk clock.Clock, namespace, selector string, attempts map[string]int, late func([]corev1.Pod)) ([]corev1.Pod, error) {
	began := clk.Now()
	for {
		pods, err := c.Pods(ctx, namespace, selector)
		if attempts != nil {
			pods = slices.DeleteFunc(pods, func(p corev1.Pod) bool { return attempts[p.Labels[resolve.LabelGroup]] != attemptOf(&p) })
		}
		if err == nil && len(pods) == 0 {
			return nil, nil
		}
		waited := clk.Now().Sub(began)
		if waited > goneWithin {
			if err != nil {
				return nil, err
			}
			return pods, fmt.Errorf("%d pods are not gone after %s, such as %s on %s", len(pods), goneWithin, pods[0].Name, nodeOf(&pods[0]))
		}
		if waited > silentAfter && late != nil && err == nil {
			late(pods)
			late = nil
		}
		timer := clk.NewTimer(max(time.Second, clk.Now().Sub(began)/4)) // who waits for long asks less often
		select {
		case <-ctx.Done():
			timer.Stop()
			return pods, ctx.Err()
		case <-timer.C():
		}
	}
}

func nodeOf(p *corev1.Pod) string { return orNone(p.Spec.NodeName) }
