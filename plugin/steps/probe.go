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
// It decides nothing: what it saw goes into the record, where score finds it when the time is over. Score begins further attempts,
// when this step may long be over, and has them probed by itself.
func probeWorkers(ctx context.Context, r *run, g partition.Group, say func(string)) (bool, string, error) {
	plan, err := r.planned(ctx)
	if err != nil {
		return false, "", err
	}
	return newWatchProbe(r, g, plan).watch(ctx, 0, say)
}

// probeBeside probes an attempt until the function that it returns is called, which waits for it to end.
func (r *run) probeBeside(ctx context.Context, plan *record.Plan, g partition.Group, attempt int) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	wait.Go(func() {
		defer r.s.recovered("probing "+g.Name, func(string) {})
		err := r.s.insist(ctx, func(string) {}, func() error {
			_, _, err := newWatchProbe(r, g, plan).watch(ctx, attempt, func(string) {})
			return err
		})
		if err != nil && ctx.Err() == nil {
			r.s.log.Warn("probing", "group", g.Name, "attempt", attempt, "error", err)
		}
	})
	return func() {
		cancel()
		wait.Wait()
	}
}

func newWatchProbe(r *run, g partition.Group, plan *record.Plan) *watchProbe {
	return &watchProbe{r: r, g: g, plan: plan, results: map[string]v1alpha1.ProbeResult{}, wrote: r.s.clock.Now()}
}

// watch probes one attempt; 0 is the one that is under way.
func (w *watchProbe) watch(ctx context.Context, attempt int, say func(string)) (bool, string, error) {
	r, g, plan := w.r, w.g, w.plan
	for {
		state, err := r.state(ctx, g.Name, r.fresh())
		if err != nil {
			return false, "", err
		}
		if attempt == 0 {
			attempt = state.Attempt
		}
		if state.Attempt != attempt { // between two looks it had its result, and another one began
			return true, fmt.Sprintf("attempt %d is over; %s", attempt, w.text()), nil
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
		ready := w.ready()
		if all := ready == plan.Workers(g); all || !r.quiet() || seen.launcherRan() || seen.now.Sub(w.wrote) >= r.noteEvery() {
			w.write(ctx, state.Attempt, seen.now)
		}
		switch {
		case ready == plan.Workers(g):
			return true, fmt.Sprintf("%d of %d workers answer%s", ready, plan.Workers(g), w.slowest()), nil
		case seen.launcherRan() && len(w.results) == plan.Workers(g):
			return true, "the launcher runs; " + w.text(), nil
		case seen.now.After(seen.deadline().Add(goneWithin)): // score has had its time, and left no result
			return false, "nobody gave the group a result by its deadline; " + w.text(), nil
		default:
			say(w.progress(seen))
		}
		if err := r.s.pause(ctx, r.fresh()); err != nil {
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
	// written is what the record has, and wrote when it was last looked whether it has all: in a large run, what changes on the
	// way to an answer is written once a while.
	written []v1alpha1.ProbeResult
	wrote   time.Time
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
	events := w.events(ctx, seen, pods)
	for _, p := range pods {
		old := before[p.Name]
		if old.State == v1alpha1.ProbeReady {
			continue
		}
		wait.Go(func() {
			result := w.look(ctx, &p, old, events[p.Name])
			mu.Lock()
			defer mu.Unlock()
			w.results[p.Name] = result
		})
	}
	wait.Wait()
}

// eventsAfter is how long a group of a large run may take to start before anybody asks why: there are several events a pod.
const eventsAfter = 2 * time.Minute

// events are the newest telling events by pod, read only while some worker waits. They only explain: none is no fault.
func (w *watchProbe) events(ctx context.Context, seen observation, pods []corev1.Pod) map[string]podEvent {
	if !slices.ContainsFunc(pods, func(p corev1.Pod) bool { state, _ := podState(&p); return waits(state) }) {
		return nil
	}
	if w.r.quiet() && seen.now.Sub(seen.admitted) < eventsAfter {
		return nil
	}
	events, err := w.r.events.within(ctx, seen.now, 5*w.r.fresh())
	if err != nil {
		w.r.s.log.Warn("reading events", "group", w.g.Name, "error", err)
	}
	return events
}

// look says what one worker's sshd does, or why it cannot do anything yet. Old is what it did before.
func (w *watchProbe) look(ctx context.Context, p *corev1.Pod, old v1alpha1.ProbeResult, event podEvent) v1alpha1.ProbeResult {
	result := v1alpha1.ProbeResult{Target: p.Name, Node: p.Spec.NodeName, Attempts: old.Attempts}
	state, text := podState(p)
	if state == v1alpha1.ProbeReady && p.Status.PodIP == "" {
		state, text = v1alpha1.ProbeInit, "has no address yet"
	}
	if state != v1alpha1.ProbeReady {
		result.State, result.Reason = explained(state, text, event)
		return result
	}
	answer := w.ask(ctx, p)
	if answer.Attempts == 0 && old.Attempts > 0 {
		return old // the fault is ours: what is known of the worker stays
	}
	answer.Target, answer.Node, answer.Attempts = result.Target, result.Node, old.Attempts+answer.Attempts
	if answer.State != v1alpha1.ProbeReady && answer.State != v1alpha1.ProbeDNS && podReady(p) {
		answer.Reason = "not reachable from here, though its readiness probe has a session with it: " + answer.Reason
	}
	return answer
}

// ask probes a worker under the name that mpirun uses, JobSet's. Names are asked for only once the pod has its address: a name server
// remembers for a while that there is none. When the name does not resolve, its address still shows how the sshd is.
func (w *watchProbe) ask(ctx context.Context, p *corev1.Pod) v1alpha1.ProbeResult {
	byAddress := net.JoinHostPort(p.Status.PodIP, "22")
	if p.Spec.Hostname == "" || p.Spec.Subdomain == "" {
		return w.r.s.prober.Once(ctx, byAddress)
	}
	named := w.r.s.prober.Once(ctx, net.JoinHostPort(p.Spec.Hostname+"."+p.Spec.Subdomain, "22"))
	if named.State != v1alpha1.ProbeDNS || ctx.Err() != nil {
		return named
	}
	answer := w.r.s.prober.Once(ctx, byAddress)
	if answer.State == v1alpha1.ProbeReady {
		named.Reason = "its sshd answers at " + p.Status.PodIP + ", but not by name: " + named.Reason
		return named
	}
	answer.Reason += "; and its name does not resolve: " + named.Reason
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

// write records the states when one of them or its reason changed; the count of attempts alone is not worth a write.
func (w *watchProbe) write(ctx context.Context, attempt int, at time.Time) {
	w.wrote = at
	now := w.sorted()
	same := slices.EqualFunc(now, w.written, func(a, b v1alpha1.ProbeResult) bool {
		return a.Target == b.Target && a.State == b.State && a.Reason == b.Reason
	})
	if same {
		return
	}
	_, err := w.r.update(ctx, w.g.Name, func(s *record.Group) error {
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
}

// ended is the answer once score has a result: red when the job failed because workers never answered.
func (w *watchProbe) ended(state record.Group) (bool, string, error) {
	for _, p := range state.Probe {
		if _, has := w.results[p.Target]; !has {
			w.results[p.Target] = p
		}
	}
	if state.Result.Verdict == v1alpha1.Pass || len(w.results) == 0 || w.ready() == w.plan.Workers(w.g) {
		return true, "the group has its result; " + w.text(), nil
	}
	switch state.Result.Cause {
	case v1alpha1.CauseWorkerNotStarted, v1alpha1.CauseImagePull, v1alpha1.CauseVolume, v1alpha1.CauseUnschedulable, v1alpha1.CauseDNS:
		return false, "not every worker answered sshd: " + w.text(), nil
	default: // the workers' sshds are not what it failed by
		return true, w.text(), nil
	}
}

// text says how many answer, and of those that do not why.
func (w *watchProbe) text() string {
	text := fmt.Sprintf("%d of %d workers answered", w.ready(), w.plan.Workers(w.g))
	all := w.sorted()
	if allNameless(all) {
		return text + "; no worker's name resolves, so the name service is at fault and no worker: " + all[0].Reason
	}
	waiting := slices.DeleteFunc(all, func(p v1alpha1.ProbeResult) bool { return p.State == v1alpha1.ProbeReady })
	for i, p := range waiting {
		if i == maxNamed {
			text += fmt.Sprintf("; and %d more", len(waiting)-i)
			break
		}
		text += fmt.Sprintf("; %s: %s", orNone(p.Node), sshd(p))
	}
	return text
}

// maxNamed is how many workers a message names; the record has them all.
const maxNamed = 8

// allNameless says whether no worker's name resolves: that many do not lose their names at once.
func allNameless(workers []v1alpha1.ProbeResult) bool {
	return len(workers) > 1 && !slices.ContainsFunc(workers, func(p v1alpha1.ProbeResult) bool { return p.State != v1alpha1.ProbeDNS })
}

// progress adds the page's words once the time to say so has passed since the workers were scheduled. Nothing fails then: a slow pull or a
// full queue is no fault, and the page waits until timeoutPerJob.
func (w *watchProbe) progress(seen observation) string {
	after := time.Duration(w.plan.Options.ProbeWarnAfter)
	if at, all := seen.scheduled(); all && seen.now.Sub(at) > after {
		return fmt.Sprintf("not every worker answered sshd within %s: %s; waiting until %s (timeoutPerJob)", minutes(after), w.text(), seen.deadline().UTC().Format(time.RFC3339))
	}
	return w.text()
}

// minutes writes a duration as the page does, if it is one of whole minutes.
func minutes(d time.Duration) string {
	if d%time.Minute != 0 || d == time.Minute {
		return d.String()
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}

func (w *watchProbe) slowest() string {
	worst := 0.0
	for _, p := range w.results {
		worst = max(worst, p.LatencyMs)
	}
	return fmt.Sprintf(" (at most %.0f ms)", worst)
}
