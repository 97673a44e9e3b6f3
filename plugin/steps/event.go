package steps

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// maxEvent is the most runes of an event's message in a reason. The kubelet's own texts on volumes take up to 250.
const maxEvent = 300

// podEvent is what the newest telling event says of a pod.
type podEvent struct {
	at time.Time
	// state is what the pod waits for; empty when the event says that something was done.
	state v1alpha1.ProbeState
	text  string
}

// telling returns the newest event of each pod that says what it waits for, or that it waits no longer.
func telling(events []corev1.Event) map[string]podEvent {
	newest := map[string]podEvent{}
	for _, e := range events {
		state, tells := eventState(e.Reason, e.Message)
		if e.InvolvedObject.Kind != "Pod" || !tells {
			continue
		}
		at := eventTime(&e)
		if old, has := newest[e.InvolvedObject.Name]; has && old.at.After(at) {
			continue
		}
		newest[e.InvolvedObject.Name] = podEvent{at, state, plain.Cut(heard(e.Reason+": "+e.Message), maxEvent)}
	}
	return newest
}

// heard is a text of the cluster's as one line that shows no secret: the runtime quotes the URLs that it was given.
func heard(text string) string { return parse.Mask(plain.Line(text)) }

// eventState names what an event says that a pod waits for: reasons of the kubelet (pkg/kubelet/events), the attach-detach controller and
// the scheduler, as of Kubernetes 1.35. An event that tells nothing of waiting does not tell.
func eventState(reason, message string) (state v1alpha1.ProbeState, tells bool) {
	switch reason {
	case "FailedMount", "FailedAttachVolume", "FailedMapVolume", "VolumeResizeFailed":
		return v1alpha1.ProbeVolume, true
	case "Pulling", "InspectFailed", "ErrImageNeverPull":
		return v1alpha1.ProbeImagePull, true
	case "FailedScheduling":
		return v1alpha1.ProbeNotScheduled, true
	case "FailedCreatePodSandBox", "NetworkNotReady":
		return v1alpha1.ProbeInit, true
	case "Failed", "BackOff": // of an image, a volume or a container; only the message tells which
		if strings.Contains(message, "subPath") {
			return v1alpha1.ProbeVolume, true
		}
		if strings.Contains(strings.ToLower(message), "image") || strings.Contains(message, "ImagePull") {
			return v1alpha1.ProbeImagePull, true
		}
		return v1alpha1.ProbeCrash, true
	case "Scheduled", "Pulled", "Created", "Started", "SuccessfulAttachVolume":
		return "", true
	}
	return "", false
}

func eventTime(e *corev1.Event) time.Time {
	at := e.CreationTimestamp.Time
	for _, t := range []time.Time{e.EventTime.Time, e.LastTimestamp.Time} {
		if t.After(at) {
			at = t
		}
	}
	if e.Series != nil && e.Series.LastObservedTime.After(at) {
		at = e.Series.LastObservedTime.Time
	}
	return at
}

// explained joins what a pod's status says with its newest telling event. A status of "being created" holds no reason: there the event
// decides what it waits for.
func explained(state v1alpha1.ProbeState, text string, event podEvent) (v1alpha1.ProbeState, string) {
	switch {
	case event.state == "" || !waits(state):
		return state, text
	case state == v1alpha1.ProbeVolume:
		return event.state, "is being created: " + event.text
	case event.state == state:
		return state, text + " (" + event.text + ")"
	}
	return state, text
}

// waits says whether a pod in this state has yet to start.
func waits(state v1alpha1.ProbeState) bool {
	switch state {
	case v1alpha1.ProbeNotScheduled, v1alpha1.ProbeImagePull, v1alpha1.ProbeVolume, v1alpha1.ProbeInit, v1alpha1.ProbeCrash:
		return true
	default:
		return false
	}
}
