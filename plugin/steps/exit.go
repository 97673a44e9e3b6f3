package steps

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// firstBad finds the watched container that was the first to exit with another code than 0, now or before a restart; nil for none.
func (o observation) firstBad() (of *corev1.Pod, end *corev1.ContainerStateTerminated) {
	for _, p := range o.watched() {
		t := badExit(&p)
		if t == nil || p.DeletionTimestamp != nil { // what is being deleted was told to end
			continue
		}
		if end == nil || t.FinishedAt.Time.Before(end.FinishedAt.Time) {
			of, end = &p, t
		}
	}
	return of, end
}

// firstExit is the evidence of that container's end.
func (o observation) firstExit() (score.Evidence, bool) {
	p, t := o.firstBad()
	if t == nil {
		return score.Evidence{}, false
	}
	e := score.Evidence{
		Ending: score.Exited, Message: o.roleName(p) + " " + endedWith(t),
		Exits: o.exits(), Workers: o.nodes, Began: o.began(),
	}
	switch {
	case t.Reason == "OOMKilled":
		e.Cause, e.Message = v1alpha1.CauseOutOfMemory, o.roleName(p)+" was killed for want of memory"
	case !began(t): // a mistake in the file, and no evidence against a node
		e.Message = o.roleName(p) + " could not start: " + heard(t.Message)
	}
	return e, true
}

// settled says whether the exits of the other commands are known as well, or have had their time: what one node did alone speaks
// against it, what all did speaks against none. The launcher of an MPI job is the only one that is watched.
func (o observation) settled() bool {
	if o.framework == v1alpha1.FrameworkMPI || o.exitSeen.IsZero() {
		return o.framework == v1alpha1.FrameworkMPI
	}
	ended := map[string]bool{}
	for _, p := range o.role(workers) {
		s := containerStatus(&p)
		if badExit(&p) != nil || s != nil && s.State.Terminated != nil {
			ended[indexOf(&p)] = true
		}
	}
	wait := settleFor
	if o.began() < o.nodes {
		wait = beginFor
	}
	return len(ended) >= o.nodes || o.now.Sub(o.exitSeen) >= wait
}

const (
	// settleFor is how long after the first exit the other commands may take to fail as well: torchrun gives its processes 30 s to
	// end, and a pod's status is seconds old.
	settleFor = 40 * time.Second
	// beginFor is the same where some have not begun yet: their nodes may still pull the image.
	beginFor = 2 * time.Minute
)

// exits are the workers that ended by themselves with an error, each once: a Job makes another pod for one that failed.
func (o observation) exits() []score.Exit {
	var all []score.Exit
	seen := map[string]bool{}
	pods := slices.SortedStableFunc(slices.Values(o.role(workers)), func(a, b corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	for _, p := range pods {
		t := badExit(&p)
		if t == nil || !began(t) || p.DeletionTimestamp != nil || seen[indexOf(&p)] {
			continue
		}
		seen[indexOf(&p)] = true
		x := score.Exit{Pod: p.Name, Node: p.Spec.NodeName, Code: t.ExitCode, Started: t.StartedAt.Time, Ended: t.FinishedAt.Time}
		switch {
		case o.framework == v1alpha1.FrameworkMPI:
			x.Reason = fmt.Sprintf("its worker %s (%s)", endedWith(t), t.Reason)
		case t.Reason == "OOMKilled":
			x.Reason = o.roleName(&p) + " was killed for want of memory"
		default:
			x.Reason = o.roleName(&p) + " " + endedWith(t)
		}
		all = append(all, x)
	}
	return all
}

// began is how many workers' containers have begun.
func (o observation) began() int {
	begun := map[string]bool{}
	for _, p := range o.role(workers) {
		if s := containerStatus(&p); s != nil && (s.State.Running != nil || s.State.Terminated != nil && began(s.State.Terminated) || s.LastTerminationState.Terminated != nil) {
			begun[indexOf(&p)] = true
		}
	}
	return len(begun)
}

// endedWith says how a container ended that was no success.
func endedWith(t *corev1.ContainerStateTerminated) string {
	if t.Reason == reasonRestarted {
		return "failed and was started again"
	}
	return fmt.Sprintf("exited with %d", t.ExitCode)
}

// began says whether a container that ended had begun at all.
func began(t *corev1.ContainerStateTerminated) bool {
	return t.Reason != "StartError" && t.Reason != "ContainerCannotRun"
}

// indexOf tells the workers of a job apart, whatever pod each has.
func indexOf(p *corev1.Pod) string {
	if index, indexed := p.Labels[batchv1.JobCompletionIndexAnnotation]; indexed {
		return index
	}
	return p.Name
}

// badExit is the first end of a pod's workload container that was no success; nil when there is none.
func badExit(p *corev1.Pod) *corev1.ContainerStateTerminated {
	s := containerStatus(p)
	if s == nil {
		return nil
	}
	for _, t := range []*corev1.ContainerStateTerminated{s.LastTerminationState.Terminated, s.State.Terminated} {
		if t != nil && t.ExitCode != 0 {
			return t
		}
	}
	if t := s.State.Terminated; t != nil && s.RestartCount > 0 && s.LastTerminationState.Terminated == nil {
		return &corev1.ContainerStateTerminated{ExitCode: codeLost, Reason: reasonRestarted, StartedAt: t.StartedAt, FinishedAt: t.StartedAt}
	}
	return nil
}

// A container that was started again had failed (restartPolicy OnFailure), also where the kubelet has dropped the dead container that its
// status told that of: it keeps one.
const (
	codeLost        = -1
	reasonRestarted = "Restarted"
)

func (o observation) roleName(p *corev1.Pod) string {
	if p.Labels[labelReplicated] == launcher {
		return "the launcher"
	}
	return "the command on " + p.Spec.NodeName
}

// allSucceeded says whether every watched container ended with 0, and when the last one did.
func (o observation) allSucceeded() (bool, time.Time) {
	want := 1
	if o.framework != v1alpha1.FrameworkMPI {
		want = o.nodes
	}
	var last time.Time
	good := 0
	for _, p := range o.watched() {
		if s := containerStatus(&p); s != nil && s.State.Terminated != nil && s.State.Terminated.ExitCode == 0 {
			good++
			if t := s.State.Terminated.FinishedAt.Time; t.After(last) {
				last = t
			}
		}
	}
	return good >= want, last
}
