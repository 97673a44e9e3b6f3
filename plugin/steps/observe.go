package steps

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// Labels that JobSet puts on pods, and the name of every workload container.
const (
	labelJobSet     = "jobset.sigs.k8s.io/jobset-name"
	labelReplicated = "jobset.sigs.k8s.io/replicatedjob-name"
	workers         = "node"
	launcher        = "launcher"
	containerNode   = "node"
)

// completeWithin is how long after the last container's end a TrainJob may take to say that it is Complete.
const completeWithin = 2 * time.Minute

// observation is what the cluster says of one attempt at one moment. Its methods are pure.
type observation struct {
	framework string
	nodes     int
	timeout   time.Duration
	// bound is the whole run's.
	bound bound
	now   time.Time
	job   *trainer.TrainJob
	pods  []corev1.Pod
	// workersAt is when the last worker was scheduled, as the record remembers it; nil when it does not.
	workersAt *time.Time
	admitted  time.Time
	probe     []v1alpha1.ProbeResult
	// exitSeen is when a watched container was first seen to have failed; zero when none was.
	exitSeen time.Time
	// takenAway is what was found to have been taken away before the first exit, when that was looked at first: once the job has failed, its
	// pods are gone anyway. "" for nothing.
	takenAway string
}

func (r *run) observe(ctx context.Context, plan *record.Plan, g partition.Group, state *record.Group) (observation, error) {
	now := r.s.clock.Now()
	jobs, err := r.jobs.within(ctx, now, r.fresh())
	if err != nil {
		return observation{}, err
	}
	pods, err := r.pods.within(ctx, now, r.fresh())
	if err != nil {
		return observation{}, err
	}
	recorded, err := r.state(ctx, g.Name, 2*r.fresh())
	if err != nil {
		return observation{}, err
	}
	if recorded.Attempt < state.Attempt {
		return observation{}, errForgotten
	}
	o := observation{
		framework: plan.Framework, nodes: plan.Workers(g), timeout: plan.Spec.Timeout(), now: now,
		workersAt: recorded.Scheduled, probe: recorded.Probe, takenAway: recorded.TakenAway,
	}
	if state.Admitted != nil {
		o.admitted = *state.Admitted
	}
	base := r.base(g, state.Attempt)
	o.job = jobs[base]
	for _, p := range pods[base] {
		// Pods of an earlier workflow of the same name may linger.
		if o.job == nil || !p.CreationTimestamp.Before(&o.job.CreationTimestamp) {
			o.pods = append(o.pods, p)
		}
	}
	sort.Slice(o.pods, func(i, j int) bool { return o.pods[i].Name < o.pods[j].Name })
	return o, nil
}

// watched are the pods whose exit and log decide: the launcher of an MPI job, every node of another.
func (o observation) watched() []corev1.Pod {
	if o.framework == v1alpha1.FrameworkMPI {
		return o.role(launcher)
	}
	return o.role(workers)
}

func (o observation) role(name string) []corev1.Pod {
	var pods []corev1.Pod
	for _, p := range o.pods {
		if p.Labels[labelReplicated] == name {
			pods = append(pods, p)
		}
	}
	return pods
}

// scheduled returns when the last worker was bound to a node, and whether all of them are.
func (o observation) scheduled() (time.Time, bool) {
	if o.workersAt != nil {
		return *o.workersAt, true
	}
	var last time.Time
	bound := 0
	for _, p := range o.role(workers) {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue {
				bound++
				if c.LastTransitionTime.After(last) {
					last = c.LastTransitionTime.Time
				}
			}
		}
	}
	return last, bound >= o.nodes && bound > 0
}

// chosen are the nodes on which the workers are, sorted: of each worker its newest pod.
func (o observation) chosen() []string {
	newest := map[string]corev1.Pod{}
	for _, p := range o.role(workers) {
		index := indexOf(&p)
		if old, has := newest[index]; !has || old.CreationTimestamp.Before(&p.CreationTimestamp) {
			newest[index] = p
		}
	}
	nodes := []string{}
	for _, p := range newest {
		if p.Spec.NodeName != "" {
			nodes = append(nodes, p.Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// deadline is when timeoutPerJob has passed: counted from the scheduling of the last worker, or from the TrainJob's creation
// while some worker has no node.
func (o observation) deadline() time.Time {
	if at, all := o.scheduled(); all {
		return at.Add(o.timeout)
	}
	if o.job != nil {
		return o.job.CreationTimestamp.Add(o.timeout)
	}
	return o.admitted.Add(o.timeout)
}

// ended says how the job came to its end. A zero Evidence says that it has not.
func (o observation) ended() score.Evidence {
	e, exited := o.firstExit()
	if exited && (len(e.Exits) == 0 || o.settled() || o.job == nil || o.failed() != nil) {
		return o.undisturbed(e)
	}
	if o.job == nil {
		if o.now.Sub(o.admitted) > completeWithin {
			return score.Evidence{Ending: score.Lost, Message: "the TrainJob was deleted before it ended, and not by Seatrial"}
		}
		return score.Evidence{}
	}
	if c := o.failed(); c != nil {
		message := "the TrainJob failed: " + heard(c.Message)
		if o.framework == v1alpha1.FrameworkMPI && len(o.pods) > 0 && !o.launcherRan() { // its init container gave up waiting, or nothing started
			message += ": " + o.stuck()
		}
		return o.stalled(score.Evidence{Ending: score.JobFailed, Message: message})
	}
	if c := condition(o.job, trainer.TrainJobComplete); c != nil {
		if ok, _ := o.allSucceeded(); ok {
			return score.Evidence{Ending: score.Complete}
		}
		if o.now.Sub(c.LastTransitionTime.Time) > completeWithin {
			return score.Evidence{Ending: score.Lost, Message: "the TrainJob is Complete, but nobody saw its containers end"}
		}
		return score.Evidence{}
	}
	if ok, at := o.allSucceeded(); ok && o.now.Sub(at) > completeWithin {
		return score.Evidence{Ending: score.Lost, Message: fmt.Sprintf("every container exited with 0, but the TrainJob did not become Complete within %s", completeWithin)}
	}
	if exited && (o.bound.before(o.now) || o.now.After(o.deadline())) {
		return o.undisturbed(e)
	}
	if o.bound.before(o.now) && o.bound.before(o.deadline()) {
		return o.bound.cutShort()
	}
	if o.now.After(o.deadline()) {
		return o.stalled(score.Evidence{Ending: score.TimedOut, Message: o.stuck()})
	}
	return score.Evidence{}
}

// stalled adds to an end without an exit that decides what is known of the workers.
func (o observation) stalled(e score.Evidence) score.Evidence {
	e.Cause, e.Blamed = o.waitingCause(), o.deafWorkers()
	e.Exits, e.Workers, e.Began = o.exits(), o.nodes, o.began()
	return e
}

// deafWorkers are the nodes that kept an MPI job from starting: their sshd was asked and never answered. Where that of every worker
// does the same, it is no single node's fault. A worker that waits for a node, an image or a volume is none either; one that is ready
// by its own account is only not reachable from here.
func (o observation) deafWorkers() []v1alpha1.NodeReason {
	var deaf []v1alpha1.NodeReason
	if o.launcherRan() {
		return nil
	}
	ready := map[string]bool{}
	for _, p := range o.pods {
		ready[p.Name] = podReady(&p)
	}
	states := map[v1alpha1.ProbeState]bool{}
	for _, p := range o.probe {
		switch p.State {
		case v1alpha1.ProbeRefused, v1alpha1.ProbeSilent, v1alpha1.ProbeNoBanner, v1alpha1.ProbeThrottled:
			if p.Attempts > 0 && !ready[p.Target] {
				states[p.State] = true
				deaf = append(deaf, v1alpha1.NodeReason{Name: p.Node, Reason: "its sshd did not answer: " + sshd(p)})
			}
		default: // it answered, or waits for something that is no node's fault
		}
	}
	if len(deaf) >= o.nodes && o.nodes > 1 && len(states) == 1 {
		return nil
	}
	return deaf
}

// state says what a pod does, as its status has it; where the probe has seen an event that says more, as the probe has it.
func (o observation) state(p *corev1.Pod) (v1alpha1.ProbeState, string) {
	state, text := podState(p)
	for _, seen := range o.probe {
		if seen.Target == p.Name && waits(state) && waits(seen.State) && (seen.State == state || state == v1alpha1.ProbeVolume) {
			return seen.State, seen.Reason
		}
	}
	return state, text
}

func sshd(p v1alpha1.ProbeResult) string {
	if p.Reason == "" {
		return string(p.State)
	}
	return string(p.State) + ", " + p.Reason
}

func (o observation) launcherRan() bool {
	for _, p := range o.role(launcher) {
		if s := containerStatus(&p); s != nil && (s.State.Running != nil || s.State.Terminated != nil || s.RestartCount > 0) {
			return true
		}
	}
	return false
}

// stuck says what the job was doing when its time was over.
func (o observation) stuck() string {
	var parts []string
	for _, p := range o.pods {
		if state, text := o.state(&p); state != v1alpha1.ProbeReady {
			parts = append(parts, fmt.Sprintf("%s (%s): %s", p.Name, orNone(p.Spec.NodeName), text))
		}
	}
	blamed := map[string]bool{}
	for _, x := range o.exits() {
		blamed[x.Node] = true
		parts = append(parts, x.Node+": "+x.Reason)
	}
	for _, b := range o.deafWorkers() {
		blamed[b.Name] = true
		parts = append(parts, b.Name+": "+b.Reason)
	}
	for _, p := range o.probe {
		if !o.launcherRan() && !blamed[p.Node] && p.State != v1alpha1.ProbeReady && !waits(p.State) && p.State != v1alpha1.ProbeTerminated {
			parts = append(parts, orNone(p.Node)+": "+sshd(p))
		}
	}
	switch {
	case len(o.pods) == 0:
		return "no pod exists"
	case len(parts) == 0 && o.launcherRan():
		return "the job was still running"
	case len(parts) == 0:
		return "the workers run, and the launcher was not started"
	}
	return strings.Join(parts, "; ")
}

func orNone(node string) string {
	if node == "" {
		return "no node"
	}
	return node
}

// waitingCause names what most of the waiting is for.
func (o observation) waitingCause() v1alpha1.Cause {
	for _, p := range o.pods {
		switch state, _ := o.state(&p); state {
		case v1alpha1.ProbeNotScheduled:
			return v1alpha1.CauseUnschedulable
		case v1alpha1.ProbeImagePull:
			return v1alpha1.CauseImagePull
		case v1alpha1.ProbeVolume:
			return v1alpha1.CauseVolume
		default: // it runs, or ended
		}
	}
	if o.framework != v1alpha1.FrameworkMPI || len(o.pods) == 0 || o.launcherRan() {
		return ""
	}
	if allNameless(o.probe) {
		return v1alpha1.CauseDNS
	}
	return v1alpha1.CauseWorkerNotStarted
}

// progress is what the step says while the job runs.
func (o observation) progress(best string) string {
	running := 0
	for _, p := range o.pods {
		if p.Status.Phase == corev1.PodRunning {
			running++
		}
	}
	text := fmt.Sprintf("%d of %d pods run", running, len(o.pods))
	if best != "" {
		text += ", " + best
	}
	if o.bound.before(o.deadline()) {
		return text + "; " + o.bound.String()
	}
	return fmt.Sprintf("%s; until %s (timeoutPerJob %s)", text, o.deadline().UTC().Format(time.RFC3339), o.timeout)
}

// addHosts remembers which pod is on which node, under the pod's name and its hostname: logs speak of both.
func (o observation) addHosts(hosts map[string]string) {
	for _, p := range o.pods {
		if p.Spec.NodeName == "" {
			continue
		}
		hosts[p.Name] = p.Spec.NodeName
		if p.Spec.Hostname != "" {
			hosts[p.Spec.Hostname] = p.Spec.NodeName
		}
		if p.Status.PodIP != "" && p.Labels[labelReplicated] == workers {
			hosts[p.Status.PodIP] = p.Spec.NodeName
		}
	}
}

// failed is the condition by which the TrainJob has failed; nil when it has not, or is not there.
func (o observation) failed() *metav1.Condition {
	if o.job == nil {
		return nil
	}
	return condition(o.job, trainer.TrainJobFailed)
}

func condition(job *trainer.TrainJob, kind string) *metav1.Condition {
	for i := range job.Status.Conditions {
		if c := &job.Status.Conditions[i]; c.Type == kind && c.Status == metav1.ConditionTrue {
			return c
		}
	}
	return nil
}

func containerStatus(p *corev1.Pod) *corev1.ContainerStatus {
	for i := range p.Status.ContainerStatuses {
		if s := &p.Status.ContainerStatuses[i]; s.Name == containerNode {
			return s
		}
	}
	return nil
}
