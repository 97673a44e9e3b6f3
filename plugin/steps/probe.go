package steps

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

// probeWorkers asks every worker's sshd for its banner until all have answered, the launcher runs, or the group has a result.
// It decides nothing: what it saw goes into the record, where score finds it when the time is over.
func probeWorkers(ctx context.Context, r *run, g partition.Group, say func(string)) (bool, string, error) {
	plan, err := r.planned(ctx)
	if err != nil {
		return false, "", err
	}
	w := watchProbe{r: r, g: g, plan: plan, results: map[string]v1alpha1.ProbeResult{}}
	for {
		state := record.Group{}
		if _, err := r.record().Read(ctx, g.Name, &state); err != nil {
			return false, "", err
		}
		if state.Result != nil {
			return w.ended(state)
		}
		if _, err := r.running(ctx); err != nil {
			return false, "", err
		}
		seen, err := r.observe(ctx, plan, g, &state)
		if err != nil {
			return false, "", err
		}
		w.pass(ctx, seen)
		w.write(ctx, state.Attempt)
		switch ready := w.ready(); {
		case ready == plan.Workers(g):
			return true, fmt.Sprintf("%d of %d workers answer%s", ready, plan.Workers(g), w.slowest()), nil
		case seen.launcherRan() && len(w.results) == plan.Workers(g):
			return true, "the launcher runs; " + w.text(), nil
		case seen.now.After(seen.deadline().Add(goneWithin)): // score has had its time, and left no result
			return false, "nobody gave the group a result by its deadline; " + w.text(), nil
		default:
			say(w.progress(seen))
		}
		if err := r.s.pause(ctx, poll); err != nil {
			return false, "", err
		}
	}
}

// watchProbe holds the last state of every worker of a group, by pod.
type watchProbe struct {
	r       *run
	g       partition.Group
	plan    *record.Plan
	results map[string]v1alpha1.ProbeResult
	written []v1alpha1.ProbeResult
}

// pass looks at every worker once: the ones whose container runs are asked, the others' pods say why they cannot be. A worker
// whose banner was read is ready, whatever happens later.
func (w *watchProbe) pass(ctx context.Context, seen observation) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	pods := seen.role(workers)
	if len(pods) > 0 { // a worker that was made anew has another name
		maps.DeleteFunc(w.results, func(name string, _ v1alpha1.ProbeResult) bool {
			return !slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.Name == name })
		})
	}
	before := maps.Clone(w.results)
	for _, p := range pods {
		old := before[p.Name]
		if old.State == v1alpha1.ProbeReady {
			continue
		}
		wait.Go(func() {
			result := w.look(ctx, &p)
			result.Attempts = old.Attempts + 1
			mu.Lock()
			defer mu.Unlock()
			w.results[p.Name] = result
		})
	}
	wait.Wait()
}

func (w *watchProbe) look(ctx context.Context, p *corev1.Pod) v1alpha1.ProbeResult {
	result := v1alpha1.ProbeResult{Target: p.Name, Node: p.Spec.NodeName}
	state, text := podState(p)
	if state != v1alpha1.ProbeReady || p.Status.PodIP == "" {
		if state == v1alpha1.ProbeReady {
			state, text = v1alpha1.ProbeInit, "has no address yet"
		}
		result.State, result.Reason = state, text
		return result
	}
	answer := w.r.s.prober.Once(ctx, net.JoinHostPort(p.Status.PodIP, "22"))
	answer.Target, answer.Node = result.Target, result.Node
	return answer
}

func (w *watchProbe) sorted() []v1alpha1.ProbeResult {
	all := make([]v1alpha1.ProbeResult, 0, len(w.results))
	for _, p := range w.results {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b v1alpha1.ProbeResult) int { return strings.Compare(a.Target, b.Target) })
	return all
}

func (w *watchProbe) ready() int {
	n := 0
	for _, p := range w.results {
		if p.State == v1alpha1.ProbeReady {
			n++
		}
	}
	return n
}

// write records the states when one of them changed; the count of attempts alone is not worth a write.
func (w *watchProbe) write(ctx context.Context, attempt int) {
	now := w.sorted()
	same := slices.EqualFunc(now, w.written, func(a, b v1alpha1.ProbeResult) bool { return a.Target == b.Target && a.State == b.State })
	if same {
		return
	}
	_, err := cluster.Update(ctx, w.r.record(), w.g.Name, func(s *record.Group) error {
		if s.Attempt != attempt || s.Result != nil { // from then on pods go because of the clean-up
			return cluster.ErrUnchanged
		}
		s.Probe = now
		return nil
	})
	if err != nil {
		w.r.s.log.Warn("recording the probe", "group", w.g.Name, "error", err)
		return
	}
	w.written = now
	w.r.states.stale()
}

// ended is the answer once score has a result: red when it blames a worker that never answered.
func (w *watchProbe) ended(state record.Group) (bool, string, error) {
	for _, p := range state.Probe {
		if _, has := w.results[p.Target]; !has {
			w.results[p.Target] = p
		}
	}
	if state.Result.Verdict == v1alpha1.Pass || len(w.results) == 0 || w.ready() == w.plan.Workers(w.g) {
		return true, "the group has its result; " + w.text(), nil
	}
	return state.Result.Cause != v1alpha1.CauseWorkerNotStarted, w.text(), nil
}

// text says how many answer, and of those that do not why.
func (w *watchProbe) text() string {
	text := fmt.Sprintf("%d of %d workers answered", w.ready(), w.plan.Workers(w.g))
	for _, p := range w.sorted() {
		if p.State != v1alpha1.ProbeReady {
			text += fmt.Sprintf("; %s: %s", orNone(p.Node), sshd(p))
		}
	}
	return text
}

// progress adds the page's words once the time to say so has passed. Nothing fails then: a slow pull or a full queue is no fault.
func (w *watchProbe) progress(seen observation) string {
	after := time.Duration(w.plan.Options.ProbeWarnAfter)
	if at, all := seen.scheduled(); all && seen.now.Sub(at) > after {
		return fmt.Sprintf("not every worker answered sshd within %s: %s; waiting until %s", after, w.text(), seen.deadline().UTC().Format(time.RFC3339))
	}
	return w.text()
}

func (w *watchProbe) slowest() string {
	worst := 0.0
	for _, p := range w.results {
		worst = max(worst, p.LatencyMs)
	}
	return fmt.Sprintf(" (at most %.0f ms)", worst)
}
