package steps

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
)

// noise is text that does not compress.
func noise(bytes int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < bytes {
		b.WriteRune(rune(0x4e00 + random.IntN(0x5000)))
	}
	return b.String()
}

func TestFit(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	peak := 400.0
	for name, c := range map[string]struct {
		change func(*record.Group, *v1alpha1.GroupResult)
		check  func(*testing.T, *v1alpha1.GroupResult)
	}{
		"what fits is left alone": {func(*record.Group, *v1alpha1.GroupResult) {}, func(t *testing.T, r *v1alpha1.GroupResult) { require.Empty(t, r.Warnings) }},
		"a long log keeps its end": {
			func(_ *record.Group, r *v1alpha1.GroupResult) {
				r.FailureLog = &v1alpha1.FailureLog{Tail: noise(32<<10) + "the end"}
			},
			func(t *testing.T, r *v1alpha1.GroupResult) {
				require.True(t, strings.HasSuffix(r.FailureLog.Tail, "the end"))
				require.True(t, utf8.ValidString(r.FailureLog.Tail))
			},
		},
		"a long table keeps its largest sizes": {
			func(_ *record.Group, r *v1alpha1.GroupResult) {
				r.Bandwidth = &v1alpha1.Bandwidth{PeakBusGBps: &peak}
				for i := range 2000 {
					r.Bandwidth.Results = append(r.Bandwidth.Results, v1alpha1.BandwidthSize{SizeBytes: int64(i), OutOfPlace: &v1alpha1.Placement{BusGBps: random.Float64()}})
				}
			},
			func(t *testing.T, r *v1alpha1.GroupResult) {
				require.Equal(t, &peak, r.Bandwidth.PeakBusGBps)
				require.NotEmpty(t, r.Bandwidth.Results)
				require.EqualValues(t, 1999, r.Bandwidth.Results[len(r.Bandwidth.Results)-1].SizeBytes)
				require.Len(t, r.Warnings, 1, "it is said once, however often it was halved")
			},
		},
		"a long training keeps its last steps": {
			func(_ *record.Group, r *v1alpha1.GroupResult) {
				r.Training = &v1alpha1.Training{AvgStepTimeSec: &peak}
				for range 5_000 {
					r.Training.StepTimesSec = append(r.Training.StepTimesSec, random.Float64())
				}
			},
			func(t *testing.T, r *v1alpha1.GroupResult) {
				require.NotEmpty(t, r.Training.StepTimesSec)
				require.Equal(t, &peak, r.Training.AvgStepTimeSec)
				require.Len(t, r.Warnings, 1)
			},
		},
		"texts without bounds are cut at last": {
			func(s *record.Group, r *v1alpha1.GroupResult) {
				r.Message = noise(30 << 10)
				r.Blamed = []v1alpha1.NodeReason{{Name: "gpu-node-01", Reason: noise(30 << 10)}}
				for i := range 100 {
					s.Earlier = append(s.Earlier, fmt.Sprint(i, noise(2<<10)))
				}
			},
			func(t *testing.T, r *v1alpha1.GroupResult) {
				require.True(t, strings.HasSuffix(r.Message, "…"))
				require.Equal(t, "gpu-node-01", r.Blamed[0].Name, "a blamed node stays blamed")
			},
		},
		"many workers lose their probe": {
			func(s *record.Group, r *v1alpha1.GroupResult) {
				for i := range 1000 {
					s.Probe = append(s.Probe, v1alpha1.ProbeResult{Target: fmt.Sprint(i), LatencyMs: random.Float64()})
				}
				r.Probe = s.Probe
			},
			func(t *testing.T, r *v1alpha1.GroupResult) { require.Nil(t, r.Probe) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := record.Group{Attempt: 1, Epoch: "now"}
			result := &v1alpha1.GroupResult{Name: "group-0", Verdict: v1alpha1.Fail, Cause: v1alpha1.CauseThreshold, Message: "slow"}
			c.change(&state, result)
			got := fit("group-0", &state, result)
			state.Result = got
			require.True(t, cluster.Fits("group-0", state), "a result is never lost for its length")
			require.Equal(t, v1alpha1.Fail, got.Verdict)
			require.Equal(t, v1alpha1.CauseThreshold, got.Cause)
			c.check(t, got)
		})
	}
}
