package steps

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func event(pod, reason, message string, at time.Duration) corev1.Event {
	return corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: pod + reason + at.String(), Namespace: namespace},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: pod}, Reason: reason, Message: message, LastTimestamp: metav1.NewTime(noon.Add(at)),
	}
}

func TestTelling(t *testing.T) {
	for name, c := range map[string]struct {
		events []corev1.Event
		state  v1alpha1.ProbeState
		text   string
	}{
		"a volume that is not there":            {[]corev1.Event{event("w", "FailedMount", `MountVolume.SetUp failed for volume "data"`, 0)}, v1alpha1.ProbeVolume, `FailedMount: MountVolume.SetUp failed for volume "data"`},
		"an image that is being pulled":         {[]corev1.Event{event("w", "Pulling", `Pulling image "i"`, 0)}, v1alpha1.ProbeImagePull, `Pulling: Pulling image "i"`},
		"an image that cannot be":               {[]corev1.Event{event("w", "Failed", `Failed to pull image "i": not found`, 0)}, v1alpha1.ProbeImagePull, `Failed: Failed to pull image "i": not found`},
		"a volume's part":                       {[]corev1.Event{event("w", "Failed", `Error: failed to prepare subPath for volumeMount "v" of container "node"`, 0)}, v1alpha1.ProbeVolume, `Failed: Error: failed to prepare subPath for volumeMount "v" of container "node"`},
		"a container that fails":                {[]corev1.Event{event("w", "BackOff", "Back-off restarting failed container node", 0)}, v1alpha1.ProbeCrash, "BackOff: Back-off restarting failed container node"},
		"no node":                               {[]corev1.Event{event("w", "FailedScheduling", "0/3 nodes", 0)}, v1alpha1.ProbeNotScheduled, "FailedScheduling: 0/3 nodes"},
		"no network":                            {[]corev1.Event{event("w", "FailedCreatePodSandBox", "cni", 0)}, v1alpha1.ProbeInit, "FailedCreatePodSandBox: cni"},
		"the newest counts":                     {[]corev1.Event{event("w", "FailedMount", "m", time.Minute), event("w", "FailedScheduling", "s", 0)}, v1alpha1.ProbeVolume, "FailedMount: m"},
		"what was done is waited for no longer": {[]corev1.Event{event("w", "Pulling", "p", 0), event("w", "Pulled", "p", time.Minute)}, "", "Pulled: p"},
		"what tells nothing is left out":        {[]corev1.Event{event("w", "FailedMount", "m", 0), event("w", "Unhealthy", "probe", time.Minute)}, v1alpha1.ProbeVolume, "FailedMount: m"},
		"hostile text is cleaned and cut":       {[]corev1.Event{event("w", "FailedMount", "a\x1b[31m\n"+strings.Repeat("b", 10_000), 0)}, v1alpha1.ProbeVolume, "FailedMount: a " + strings.Repeat("b", 300-len("FailedMount: a ")-1) + "…"},
		"another's event":                       {[]corev1.Event{event("x", "FailedMount", "m", 0)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := telling(c.events)["w"]
			require.Equal(t, c.state, got.state)
			require.Equal(t, c.text, got.text)
		})
	}
	series := event("w", "FailedMount", "old", time.Hour)
	newer := event("w", "FailedScheduling", "new", 0)
	newer.Series = &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(noon.Add(2 * time.Hour))}
	require.Equal(t, v1alpha1.ProbeNotScheduled, telling([]corev1.Event{series, newer})["w"].state, "a series is as new as its last")
	series.InvolvedObject.Kind = "Job"
	require.Empty(t, telling([]corev1.Event{series}))
}

func TestExplained(t *testing.T) {
	mount := podEvent{noon, v1alpha1.ProbeVolume, "FailedMount: m"}
	for name, c := range map[string]struct {
		state v1alpha1.ProbeState
		event podEvent
		want  v1alpha1.ProbeState
		text  string
	}{
		"being created holds no reason":               {v1alpha1.ProbeVolume, mount, v1alpha1.ProbeVolume, "is being created: FailedMount: m"},
		"it may be an image":                          {v1alpha1.ProbeVolume, podEvent{noon, v1alpha1.ProbeImagePull, "Pulling: i"}, v1alpha1.ProbeImagePull, "is being created: Pulling: i"},
		"without an event the status stands":          {v1alpha1.ProbeVolume, podEvent{}, v1alpha1.ProbeVolume, "status"},
		"an event of the same is added":               {v1alpha1.ProbeNotScheduled, podEvent{noon, v1alpha1.ProbeNotScheduled, "FailedScheduling: s"}, v1alpha1.ProbeNotScheduled, "status (FailedScheduling: s)"},
		"an older event of something else is not":     {v1alpha1.ProbeInit, mount, v1alpha1.ProbeInit, "status"},
		"a pod that runs waits for nothing":           {v1alpha1.ProbeReady, mount, v1alpha1.ProbeReady, "status"},
		"a pod that is being deleted waits for none":  {v1alpha1.ProbeTerminated, mount, v1alpha1.ProbeTerminated, "status"},
		"what was done is no reason to wait any more": {v1alpha1.ProbeVolume, podEvent{noon, "", "Pulled: p"}, v1alpha1.ProbeVolume, "status"},
	} {
		t.Run(name, func(t *testing.T) {
			state, text := explained(c.state, "status", c.event)
			require.Equal(t, c.want, state)
			require.Equal(t, c.text, text)
		})
	}
}
