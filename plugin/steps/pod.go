package steps

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// podState is what told says, fit to be shown.
func podState(p *corev1.Pod) (v1alpha1.ProbeState, string) {
	state, text := told(p)
	return state, heard(text)
}

// told reads a pod's status as the state of a probe's target: why nobody can answer in it yet, or ready when its
// workload container runs.
func told(p *corev1.Pod) (v1alpha1.ProbeState, string) {
	if p.DeletionTimestamp != nil {
		return v1alpha1.ProbeTerminated, "is being deleted"
	}
	switch p.Status.Phase {
	case corev1.PodSucceeded:
		return v1alpha1.ProbeReady, "ended"
	case corev1.PodFailed:
		return v1alpha1.ProbeTerminated, strings.TrimSpace("failed " + p.Status.Reason + " " + p.Status.Message)
	default: // its containers say more
	}
	if p.Spec.NodeName == "" {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status != corev1.ConditionTrue {
				return v1alpha1.ProbeNotScheduled, strings.TrimSpace("not scheduled: " + c.Message)
			}
		}
		return v1alpha1.ProbeNotScheduled, "not scheduled yet"
	}
	for _, s := range p.Status.InitContainerStatuses {
		if s.State.Terminated != nil && s.State.Terminated.ExitCode == 0 {
			continue
		}
		if w := s.State.Waiting; w != nil && imageProblem(w.Reason) {
			return v1alpha1.ProbeImagePull, w.Reason + ": " + w.Message
		}
		if s.State.Running != nil || s.State.Terminated != nil || s.RestartCount > 0 {
			return v1alpha1.ProbeInit, fmt.Sprintf("init container %s has not ended (%d restarts)", s.Name, s.RestartCount)
		}
	}
	s := containerStatus(p)
	switch {
	case s == nil || s.State.Waiting != nil && (s.State.Waiting.Reason == "ContainerCreating" || s.State.Waiting.Reason == "PodInitializing"):
		return v1alpha1.ProbeVolume, "is being created: an image, a volume or the network is not there yet"
	case s.State.Waiting != nil && imageProblem(s.State.Waiting.Reason):
		return v1alpha1.ProbeImagePull, s.State.Waiting.Reason + ": " + s.State.Waiting.Message
	case s.State.Waiting != nil && s.State.Waiting.Reason == "CreateContainerConfigError" && strings.Contains(s.State.Waiting.Message, "subPath"):
		return v1alpha1.ProbeVolume, s.State.Waiting.Reason + ": " + s.State.Waiting.Message // the kubelet says no more, so that the host's files stay unknown
	case s.State.Waiting != nil:
		return v1alpha1.ProbeCrash, s.State.Waiting.Reason + ": " + s.State.Waiting.Message
	case s.State.Terminated != nil:
		return v1alpha1.ProbeTerminated, fmt.Sprintf("exited with %d", s.State.Terminated.ExitCode)
	}
	return v1alpha1.ProbeReady, "runs"
}

// podReady says whether a pod's readiness probe succeeds: for a worker, a session of ssh with its own sshd.
func podReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func imageProblem(reason string) bool {
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable":
		return true
	}
	return false
}
