package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestWaitingNamesWhoDoesNotAnswer(t *testing.T) {
	w := newWaiting(5)
	require.Equal(t, "0 of 5 ready", w.text())
	w.tried(3, v1alpha1.ProbeResult{Target: "d:22", State: v1alpha1.ProbeSilent, Reason: "no answer within 3s"})
	w.tried(0, v1alpha1.ProbeResult{Target: "a:22", State: v1alpha1.ProbeReady})
	require.Equal(t, "1 of 5 ready; waiting for d:22 silent (no answer within 3s)", w.text())
	for i, target := range []string{"", "b:22", "c:22", "d:22", "e\x1b[31m:22"} {
		if i > 0 {
			w.tried(i, v1alpha1.ProbeResult{Target: target, State: v1alpha1.ProbeRefused, Reason: "refused"})
		}
	}
	require.Equal(t, "1 of 5 ready; waiting for b:22 refused (refused), c:22 refused (refused), d:22 refused (refused), 1 more", w.text())
	for i := range 5 {
		w.tried(i, v1alpha1.ProbeResult{State: v1alpha1.ProbeReady})
	}
	require.Empty(t, w.text())
}
