package score_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// told is a Megatron-LM log whose lines carry the kubelet's time, in seconds since a beginning: "10 step 1", "12 save 1".
func told(lines ...string) string {
	begin := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	var b strings.Builder
	for _, line := range lines {
		var (
			second, n int
			what      string
		)
		_, _ = fmt.Sscan(line, &second, &what, &n)
		text := map[string]string{
			"start":   "using world size: 16, data-parallel size: 2, context-parallel size: 1, x, tensor-model-parallel size: 8, pipeline-model-parallel size: 1",
			"restore": "Loading checkpoint from /c",
			"step":    fmt.Sprintf(" [2026-01-01 00:00:00] iteration %d/ 100 | elapsed time per iteration (ms): 1000.0 | lm loss: 1.8E+00 |", n),
			"save":    fmt.Sprintf(" [2026-01-01 00:00:00] saving checkpoint at iteration %d to /c", n),
			"done":    fmt.Sprintf(" [2026-01-01 00:00:00] scheduled an async checkpoint save at iteration %d to /c", n),
			"saved":   fmt.Sprintf("Global Checkpoint Save : Rank: 0 : Iteration: %d : Start time: 1s : Save duration: 4s", n),
			"words":   "nothing of importance",
		}[what]
		fmt.Fprintf(&b, "%s %s\n", begin.Add(time.Duration(second)*time.Second).Format(time.RFC3339Nano), text)
	}
	return b.String()
}

func TestGoodput(t *testing.T) {
	ratio := func(v float64) *float64 { return &v }
	for name, c := range map[string]struct {
		lines []string
		want  *float64
	}{
		"without a time there is none":              {[]string{}, nil},
		"one step has no duration":                  {[]string{"10 step 1"}, nil},
		"steps alone are all good":                  {[]string{"10 step 1", "110 step 100"}, ratio(1)},
		"the first start counts as resume":          {[]string{"0 start", "10 step 1", "110 step 100"}, ratio(0.9)},
		"every checkpoint is a pause":               {[]string{"10 step 1", "20 save 1", "25 done 1", "30 step 2", "40 save 2", "45 done 2", "110 step 3"}, ratio(0.9)},
		"a pause that a line tells of by itself":    {[]string{"10 step 1", "20 saved 1", "110 step 3"}, ratio(0.96)},
		"a pause that never ended is none":          {[]string{"10 step 1", "20 save 1", "110 step 3"}, ratio(1)},
		"work since the last checkpoint is lost":    {[]string{"10 step 1", "20 save 1", "20 done 1", "40 step 5", "50 start", "60 restore", "70 step 2", "110 step 6"}, ratio((100.0 - 20 - 20 - 10) / (100 - 10))},
		"before the first one, all of it is":        {[]string{"10 step 1", "40 step 5", "50 start", "60 step 1", "110 step 6"}, ratio((100.0 - 30 - 10 - 10) / (100 - 10))},
		"and not twice":                             {[]string{"10 step 1", "40 step 5", "40 start", "40 step 1", "60 step 3", "60 start", "60 step 1", "110 step 6"}, ratio(0.5)},
		"a start without a step back is no restart": {[]string{"10 step 1", "40 step 5", "50 start", "60 step 6", "110 step 7"}, ratio(1)},
		"nothing that lasted is a true zero":        {[]string{"0 start", "100 step 1", "120 step 2"}, ratio(0)},
	} {
		t.Run(name, func(t *testing.T) {
			log := parse.Text([]byte(told(c.lines...)))
			if log.Training == nil {
				require.Nil(t, c.want)
				return
			}
			got := score.Log("x", log).Training.GoodputRatio
			if c.want == nil {
				require.Nil(t, got)
				return
			}
			require.NotNil(t, got)
			require.InDelta(t, *c.want, *got, 1e-6)
		})
	}
	t.Run("the first pod's checkpoints and the last pod's steps are one training", func(t *testing.T) {
		first := parse.Text([]byte(told("0 start", "20 save 1", "30 done 1")))
		last := parse.Text([]byte(told("10 step 1", "110 step 100")))
		got := score.Logs([]string{"w-0", "w-1"}, []parse.Log{first, last})
		require.Nil(t, got[0].Training)
		require.InDelta(t, 0.8, *got[1].Training.GoodputRatio, 1e-6)
	})
}

// TestWarmUp: what the profile says of warm-up and of the interval holds.
func TestWarmUp(t *testing.T) {
	var b strings.Builder
	step := func(n, ms int) {
		fmt.Fprintf(&b, "iteration %d/ 100 | elapsed time per iteration (ms): %d.0 | lm loss: 1.8E+00 |\n", n, ms)
	}
	for n := 5; n <= 40; n += 5 {
		step(n, 1000+n)
	}
	b.WriteString("Loading checkpoint from /c\n")
	step(35, 9000)
	step(50, 1050)
	p, err := parse.NewProfile(v1alpha1.BuiltinLogProfile("megatron-training"))
	require.NoError(t, err)
	parser := parse.Parser{Profile: p}
	_, _ = parser.Write([]byte(b.String()))
	got := score.Log("x", parser.Finish()).Training
	require.InDelta(t, (1.020+1.030+1.040)/3, *got.AvgStepTimeSec, 1e-9, "multiples of ten, ten steps after each start")
	require.Len(t, got.StepTimesSec, 10, "a step that is taken again is another")
}

// TestCustom: a table of the user's own is measured, and only the exit and the thresholds judge it.
func TestCustom(t *testing.T) {
	p, err := v1alpha1.LoadLogProfile("p", []byte(`{"apiVersion": "nvcre.nvidia.com/v1alpha1", "kind": "LogProfile", "metadata": {"name": "mine"}, "spec": {"timestamp": {"layout": "x"},
		"patterns": {"bandwidthResult": {"regex": "size=(?P<size>\\d+) alg=(?P<algBW>[\\d.]+) bus=(?P<busBW>[\\d.]+)"}}}}`))
	require.NoError(t, err)
	compiled, err := parse.NewProfile(p)
	require.NoError(t, err)
	parser := parse.Parser{Profile: compiled}
	_, _ = parser.Write([]byte("size=8 alg=1.5 bus=2.5\nsize=16 alg=3.5 bus=4.5\n"))
	got := score.Log("x", parser.Finish())
	require.Equal(t, v1alpha1.Unknown, got.Verdict)
	require.Empty(t, got.Cause)
	require.True(t, got.Bandwidth.Custom && got.Bandwidth.Complete)
	require.InDelta(t, 4.5, *got.Bandwidth.BusBandwidthGBps, 0)
	e := score.Evidence{Ending: score.Complete, Logs: []v1alpha1.LogScore{got}, Asked: true, Thresholds: atLeast(t, v1alpha1.KeyBusBandwidth, "value >= 4")}
	require.Equal(t, v1alpha1.Pass, score.Group(e).Verdict, score.Group(e).Message)
	e.Thresholds = atLeast(t, v1alpha1.KeyBusBandwidth, "value >= 5")
	require.Equal(t, v1alpha1.Fail, score.Group(e).Verdict)
}
