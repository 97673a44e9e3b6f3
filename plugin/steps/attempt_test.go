package steps

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/record"
)

func TestNextAttempt(t *testing.T) {
	result := func(v v1alpha1.Verdict) *v1alpha1.GroupResult {
		return &v1alpha1.GroupResult{Verdict: v, Message: "why"}
	}
	for name, c := range map[string]struct {
		state   record.Group
		retries int
		want    record.Group
	}{
		"the first":                   {record.Group{}, 0, record.Group{Attempt: 1, Epoch: "now"}},
		"one that is under way stays": {record.Group{Attempt: 1, Epoch: "now"}, 3, record.Group{Attempt: 1, Epoch: "now"}},
		"one that is under way stays in a later epoch": {record.Group{Attempt: 2, Epoch: "then"}, 3, record.Group{Attempt: 2, Epoch: "then"}},
		"a pass is never run again": {record.Group{Attempt: 1, Epoch: "then", Cleaned: true, Result: result(v1alpha1.Pass)}, 3,
			record.Group{Attempt: 1, Epoch: "then", Cleaned: true, Result: result(v1alpha1.Pass)}},
		"a failure of this epoch stands": {record.Group{Attempt: 1, Epoch: "now", Cleaned: true, Result: result(v1alpha1.Fail)}, 0,
			record.Group{Attempt: 1, Epoch: "now", Cleaned: true, Result: result(v1alpha1.Fail)}},
		"argo retry runs a failure again": {record.Group{Attempt: 1, Epoch: "then", Cleaned: true, Result: result(v1alpha1.Fail)}, 0,
			record.Group{Attempt: 2, Epoch: "now", Earlier: []string{"attempt 1: fail: why"}}},
		"argo retry runs an unknown again": {record.Group{Attempt: 2, Epoch: "then", Result: result(v1alpha1.Unknown), Earlier: []string{"attempt 1: fail: why"}}, 0,
			record.Group{Attempt: 3, Epoch: "now", Earlier: []string{"attempt 1: fail: why", "attempt 2: unknown: why"}}},
		"argo retry begins the allowed retries anew": {record.Group{Attempt: 2, Retries: 1, Epoch: "then", Cleaned: true, Result: result(v1alpha1.Fail)}, 1,
			record.Group{Attempt: 3, Epoch: "now", Earlier: []string{"attempt 2: fail: why"}}},
		"an allowed retry": {record.Group{Attempt: 1, Epoch: "now", Cleaned: true, Result: result(v1alpha1.Fail)}, 1,
			record.Group{Attempt: 2, Retries: 1, Epoch: "now", Earlier: []string{"attempt 1: fail: why"}}},
		"an allowed retry waits for the pods to go": {record.Group{Attempt: 1, Epoch: "now", Result: result(v1alpha1.Fail)}, 1,
			record.Group{Attempt: 1, Epoch: "now", Result: result(v1alpha1.Fail)}},
		"no more retries than allowed": {record.Group{Attempt: 2, Retries: 1, Epoch: "now", Cleaned: true, Result: result(v1alpha1.Fail)}, 1,
			record.Group{Attempt: 2, Retries: 1, Epoch: "now", Cleaned: true, Result: result(v1alpha1.Fail)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, changed := nextAttempt(c.state, "now", c.retries)
			require.Equal(t, c.want, got)
			require.Equal(t, got.Attempt != c.state.Attempt, changed)
			again, changed := nextAttempt(got, "now", c.retries)
			require.Equal(t, got, again, "launch and score find the same attempt")
			require.False(t, changed)
		})
	}
}
