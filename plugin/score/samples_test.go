package score_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// samplesDir holds what tools really printed, with what a careful reader says of each in labels.jsonl.
const samplesDir = "../parse/testdata/samples"

// label is the careful reader's word on one sample.
type label struct {
	File         string           `json:"file"`
	Kind         v1alpha1.Kind    `json:"kind"`
	PeakBusGBps  *float64         `json:"peakBusGBps"`
	AvgBusGBps   *float64         `json:"avgBusGBps"`
	Wrong        *int64           `json:"wrong"`
	Ranks        *int             `json:"ranks"`
	Steps        []int            `json:"steps"`
	StepTimesSec []float64        `json:"stepTimesSec"`
	TFLOPsPerGPU []float64        `json:"tflopsPerGPU"`
	Verdict      v1alpha1.Verdict `json:"verdict"` // null reads as unknown
	Cause        v1alpha1.Cause   `json:"cause"`
	Nodes        []string         `json:"nodes"`
}

func labels(t testing.TB) []label {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(samplesDir, "labels.jsonl"))
	require.NoError(t, err)
	var all []label
	for line := range bytes.Lines(text) {
		var l label
		require.NoError(t, json.Unmarshal(line, &l))
		all = append(all, l)
	}
	require.Len(t, all, 46)
	return all
}

func sample(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(samplesDir, file))
	require.NoError(t, err)
	return text
}

func TestSamples(t *testing.T) {
	for _, want := range labels(t) {
		t.Run(want.File, func(t *testing.T) {
			got := score.Log(want.File, parse.Text(sample(t, want.File)))
			require.Equal(t, want.Kind, got.Kind, "kind")
			require.Equal(t, want.Verdict, got.Verdict, "verdict: %v", got.Reasons)
			require.Equal(t, want.Cause, got.Cause, "cause: %v", got.Reasons)
			require.ElementsMatch(t, want.Nodes, got.Nodes, "nodes: %v", got.Reasons)
			if want.Kind == v1alpha1.KindBandwidth {
				require.NotNil(t, got.Bandwidth)
				require.Equal(t, want.PeakBusGBps, got.Bandwidth.PeakBusGBps, "peak")
				require.Equal(t, want.AvgBusGBps, got.Bandwidth.AvgBusGBps, "average")
				require.Equal(t, want.Wrong, got.Bandwidth.Wrong, "wrong")
				require.Equal(t, want.Ranks, got.Bandwidth.Ranks, "ranks")
			}
			if want.Kind == v1alpha1.KindTraining {
				require.NotNil(t, got.Training)
				require.ElementsMatch(t, want.Steps, got.Training.Steps, "steps")
				require.InDeltaSlice(t, want.StepTimesSec, got.Training.StepTimesSec, 1e-9, "step times")
				require.InDeltaSlice(t, want.TFLOPsPerGPU, got.Training.TFLOPsPerGPU, 1e-9, "throughput")
			}
		})
	}
}
