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
		"but not what the run goes on from":         {[]string{"10 step 1", "30 step 3", "40 step 5", "40 restore", "40 step 4", "110 step 6"}, ratio(0.9)},
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
	t.Run("a restart without the kubelet's times counts by the program's", func(t *testing.T) {
		const ( // which have no time of their own
			start = "using world size: 16, data-parallel size: 2, context-parallel size: 1, x, tensor-model-parallel size: 8, pipeline-model-parallel size: 1\n"
			load  = "Loading checkpoint from /c\n"
		)
		at := func(second int) string {
			return time.Date(2026, 1, 2, 3, 0, second, 0, time.UTC).Format(" [2006-01-02 15:04:05] ")
		}
		run := func(from, to, second int) string {
			var b strings.Builder
			for n := from; n <= to; n++ {
				fmt.Fprintf(&b, "%siteration %d/ 100 | elapsed time per iteration (ms): 5000.0 | lm loss: 1.8E+00 |\n", at(second+5*(n-from)), n)
			}
			return b.String()
		}
		saved := at(95) + "saving checkpoint at iteration 20 to /c\n" + at(98) + "scheduled an async checkpoint save at iteration 20 to /c\n"
		crashed := run(1, 20, 0) + saved + run(21, 30, 100)
		// Of 145 and 145 s, 3 s were for the checkpoint, and the 47 s after it were lost.
		const want = (145.0 + 145 - 3 - 47) / (145 + 145)
		for name, text := range map[string]string{
			"with a start and a load": start + crashed + start + load + run(21, 50, 3600),
			"with a load":             crashed + load + run(21, 50, 3600),
			"with a start":            crashed + start + run(21, 50, 3600),
			"with neither":            crashed + run(21, 50, 3600),
		} {
			got := of(text).Training
			require.NotNil(t, got.GoodputRatio, name)
			require.InDelta(t, want, *got.GoodputRatio, 1e-3, name)
			require.Len(t, got.StepTimesSec, 60, name)
		}
		got := of(run(1, 30, 0) + run(1, 30, 600)).Training
		require.InDelta(t, 0.5, *got.GoodputRatio, 1e-3, "all of the first attempt was lost")
		done := at(95) + "saving checkpoint at iteration 20 to /c\nSuccessfully saved checkpoint from iteration 20 to /c\n"
		got = of(run(1, 20, 0) + done + run(21, 30, 100) + run(21, 50, 3600)).Training
		require.InDelta(t, (145.0+145-50)/290, *got.GoodputRatio, 1e-3, "what has no time was when the step before it was")
	})
	t.Run("a restart of which nothing says when is no goodput", func(t *testing.T) {
		got := of(steps(1000, 1000, 1000))
		require.Nil(t, got.Training.GoodputRatio)
		threshold, err := v1alpha1.ParseThreshold(v1alpha1.KeyGoodput, "value > 0.9")
		require.NoError(t, err)
		r := score.Thresholds([]v1alpha1.Threshold{threshold}, got)[0]
		require.False(t, r.Met)
		require.Contains(t, score.Missing(r, got), "does not say when its steps were")
	})
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
