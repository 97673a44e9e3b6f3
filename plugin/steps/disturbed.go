package steps

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// followFor is how long the exit of a job is looked at twice whose other pods were taken away: where the whole JobSet was
// deleted, the launcher's pod follows within its grace period of 30 s, and Trainer makes the job anew.
const followFor = 45 * time.Second

// defaultGrace is a pod's terminationGracePeriodSeconds where it names none (Kubernetes API reference, PodSpec).
const defaultGrace = 30 * time.Second

// undisturbed is the evidence of an exit, unless pods that the job needs were taken away before it, by a drain, a preemption or
// somebody's hand: then the exit says nothing about nodes. The commands of exec do not need each other.
func (o observation) undisturbed(e score.Evidence) score.Evidence {
	if o.framework == v1alpha1.FrameworkExec {
		return e
	}
	_, first := o.firstBad() // which e is of
	at := first.FinishedAt.Time
	failed := o.failed()
	taken := o.takenAway
	switch {
	case taken != "":
	case failed != nil: // JobSet has deleted pods since
		taken = o.deleted(func(told time.Time) bool { return !told.After(at) && told.Before(failed.LastTransitionTime.Time) })
	default:
		taken = o.taken(at)
	}
	switch {
	case taken == "":
		return e
	case failed == nil && o.now.Sub(at) < followFor:
		return score.Evidence{}
	}
	return score.Evidence{Ending: score.Lost, Message: fmt.Sprintf("%s after %s, and not by Seatrial", e.Message, taken)}
}

// takenBeforeExit is what was taken away before the first exit, while the job has not failed by itself.
func (o observation) takenBeforeExit() string {
	_, first := o.firstBad()
	if first == nil || o.framework == v1alpha1.FrameworkExec || o.failed() != nil {
		return ""
	}
	// The number of workers proves nothing here: JobSet may be deleting them for a failure that the TrainJob does not show yet.
	return o.deleted(func(told time.Time) bool { return !told.After(first.FinishedAt.Time) })
}

// taken says which of the job's pods was taken away up to a time; "" for none.
func (o observation) taken(at time.Time) string {
	if pod := o.deleted(func(told time.Time) bool { return !told.After(at) }); pod != "" {
		return pod
	}
	pods := o.role(workers)
	for _, p := range pods {
		if o.workersAt != nil && p.CreationTimestamp.After(*o.workersAt) { // all workers had a node by then
			return fmt.Sprintf("a worker was deleted and replaced by the pod %s (%s)", p.Name, orNone(p.Spec.NodeName))
		}
	}
	if o.workersAt != nil && len(pods) < o.nodes {
		return fmt.Sprintf("%d of %d workers were deleted", o.nodes-len(pods), o.nodes)
	}
	return ""
}

// deleted says which of the job's pods was told to go at such a time; "" for none.
func (o observation) deleted(when func(told time.Time) bool) string {
	for _, p := range o.pods {
		if told := deletedAt(&p); !told.IsZero() && when(told) {
			return fmt.Sprintf("the pod %s (%s) was deleted", p.Name, orNone(p.Spec.NodeName))
		}
	}
	return ""
}

// deletedAt is when somebody asked for a pod's deletion; the zero time when nobody has. The API has the end of its grace period, until the
// kubelet's own last word puts the present in its place, with no grace: then the workload's container, which was told to end first, knows best.
func deletedAt(p *corev1.Pod) time.Time {
	if p.DeletionTimestamp == nil {
		return time.Time{}
	}
	grace := time.Duration(0)
	if p.DeletionGracePeriodSeconds != nil {
		grace = time.Duration(*p.DeletionGracePeriodSeconds) * time.Second
	}
	told := p.DeletionTimestamp.Add(-grace)
	if s := containerStatus(p); grace == 0 && s != nil && s.State.Terminated != nil {
		if ended := s.State.Terminated.FinishedAt.Time; ended.Before(told) && told.Sub(ended) <= defaultGrace {
			return ended
		}
	}
	return told
}
