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

// steps writes a step of nanoGPT for each time in ms.
func steps(times ...float64) string {
	var b strings.Builder
	for i, ms := range times {
		fmt.Fprintf(&b, "iter %d: loss 4.5, time %.2fms\n", i, ms)
	}
	return b.String()
}

func TestTraining(t *testing.T) {
	t.Run("a training is not judged by its log", func(t *testing.T) {
		got := of(steps(100, 100))
		require.Equal(t, v1alpha1.KindTraining, got.Kind)
		require.Equal(t, v1alpha1.Unknown, got.Verdict)
		require.Empty(t, got.Cause)
		require.InDelta(t, 0.1, *got.Training.AvgStepTimeSec, 1e-9)
		require.Nil(t, got.Training.Drift)
		require.Nil(t, got.Training.GoodputRatio)
		require.InDelta(t, 4.5, *got.Training.LossLast, 0)
	})
	t.Run("warm-up steps are not in the mean", func(t *testing.T) {
		got := of(steps(1700, 500, 100, 100, 100, 100, 100, 100)).Training
		require.Len(t, got.StepTimesSec, 8)
		require.InDelta(t, 0.1, *got.AvgStepTimeSec, 1e-9)
	})
	t.Run("a slow step later is", func(t *testing.T) {
		got := of(steps(100, 100, 100, 100, 100, 100, 100, 800)).Training
		require.InDelta(t, 0.1875, *got.AvgStepTimeSec, 1e-9)
	})
	t.Run("a drift is a fail", func(t *testing.T) {
		var times []float64
		for i := range 60 {
			times = append(times, 100+float64(i))
		}
		got := of(steps(times...))
		require.Equal(t, v1alpha1.Fail, got.Verdict)
		require.Equal(t, v1alpha1.CauseSlowDrift, got.Cause)
		require.Greater(t, *got.Training.Drift, 0.2)
	})
	t.Run("a few steps that all become slower are too, one slow end is not", func(t *testing.T) {
		require.Equal(t, v1alpha1.CauseSlowDrift, of(steps(100, 104, 111, 118, 124, 131, 138, 145)).Cause)
		require.Empty(t, of(steps(100, 100, 100, 160, 100, 100, 100, 160)).Cause)
	})
	t.Run("steady steps have none", func(t *testing.T) {
		got := of(steps(slicesOf(100, 60)...))
		require.Equal(t, v1alpha1.Unknown, got.Verdict)
		require.Zero(t, *got.Training.Drift)
	})
	t.Run("a loss that is no number is a fail", func(t *testing.T) {
		got := of("iter 1: loss nan, time 5.00ms\n")
		require.Equal(t, v1alpha1.Fail, got.Verdict)
		require.Equal(t, v1alpha1.CauseNaNLoss, got.Cause)
		require.Equal(t, []string{"line 1: the loss is not a number"}, got.Reasons)
	})
	t.Run("the last loss is that of the last step, or none", func(t *testing.T) {
		require.Nil(t, of("iter 1: loss 1.5, time 5.00ms\niter 2: loss nan, time 5.00ms\n").Training.LossLast)
		require.InDelta(t, 1.5, *of("iter 1: loss nan, time 5.00ms\niter 2: loss 1.5, time 5.00ms\n").Training.LossLast, 0)
	})
	t.Run("iterations that Megatron counts as no number are a fail", func(t *testing.T) {
		got := of(" iteration 10/ 100 | elapsed time per iteration (ms): 1000.0 | number of skipped iterations: 0 | number of nan iterations: 10 |\n")
		require.Equal(t, v1alpha1.Fail, got.Verdict)
		require.Equal(t, v1alpha1.CauseNaNLoss, got.Cause)
		require.Equal(t, []string{"line 1: the loss is not a number"}, got.Reasons)
	})
	t.Run("a hang is a fail", func(t *testing.T) {
		got := of(steps(100, 100) + "[rank0]:[E321 02:07:08 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580)\n")
		require.Equal(t, v1alpha1.Fail, got.Verdict)
		require.Equal(t, v1alpha1.CauseHang, got.Cause)
	})
	t.Run("a warning before later steps was overcome", func(t *testing.T) {
		require.Equal(t, v1alpha1.Fail, of(steps(100)+warning).Verdict)
		require.Equal(t, v1alpha1.Unknown, of(warning+steps(100)).Verdict)
	})
}

// TestSaved: a saved log's program that ended by an exception has failed; in a run its exit tells, and the log only why.
func TestSaved(t *testing.T) {
	const (
		traceback = "[rank3]: Traceback (most recent call last):\n[rank3]: ValueError: bad shard\n"
		childs    = "Traceback (most recent call last):\ntorch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"
		root      = "Root Cause (first observed failure):\n  host      : node07\n  rank      : 11 (local_rank: 3)\n  exitcode  : CODE (pid: 222)\n"
	)
	code := func(text, code string) string { return strings.ReplaceAll(text, "CODE", code) }
	for name, c := range map[string]struct {
		text, reason string
		nodes        []string
	}{
		"an exception":         {steps(100) + traceback, "line 2: ValueError: bad shard", nil},
		"without a step":       {traceback, "line 1: ValueError: bad shard", nil},
		"a signal":             {steps(100) + "torch.x.SignalException: Process 99 got signal: 15\n", "line 2: torch.x.SignalException: Process 99 got signal: 15", nil},
		"a killed process":     {childs + code(root, "-9"), "line 1: torchrun names rank 11 on node07 as the first to fail, with exit code -9", []string{"node07"}},
		"one that was ended":   {childs + code(root, "-15"), "line 1: torchrun names rank 11 on node07 as the first to fail, with exit code -15", nil},
		"one that raised":      {traceback + childs + code(root, "1"), "line 1: torchrun names rank 11 on node07 as the first to fail, with exit code 1: ValueError: bad shard", nil},
		"one that only exited": {steps(100) + childs + code(root, "1"), "line 2: torchrun names rank 11 on node07 as the first to fail, with exit code 1", []string{"node07"}},
	} {
		t.Run(name, func(t *testing.T) {
			log := of(c.text)
			require.Equal(t, v1alpha1.Unknown, log.Verdict, "which leaves it to the exits of a run")
			got := score.Saved(log)
			require.Equal(t, v1alpha1.Fail, got.Verdict)
			require.Equal(t, v1alpha1.CauseJobFailed, got.Cause)
			require.Equal(t, []string{c.reason}, got.Reasons)
			require.ElementsMatch(t, c.nodes, got.Nodes)
		})
	}
	t.Run("one that went on did not end", func(t *testing.T) {
		require.Equal(t, v1alpha1.Unknown, score.Saved(of(traceback+steps(100))).Verdict)
	})
	t.Run("a known cause explains an exception", func(t *testing.T) {
		got := score.Saved(of("iter 1: loss nan, time 5.00ms\n" + traceback))
		require.Equal(t, v1alpha1.CauseNaNLoss, got.Cause)
	})
	t.Run("a table is judged by its own rules", func(t *testing.T) {
		log := of("# nThread 1 nGpus 8 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n" + traceback)
		require.Equal(t, log, score.Saved(log))
	})
}

// TestUnreadCaptures: what a profile captures and nobody can read leaves the answer open, and is said.
func TestUnreadCaptures(t *testing.T) {
	p, err := v1alpha1.LoadLogProfile("own.yaml", []byte(`apiVersion: nvcre.nvidia.com/v1alpha1
kind: LogProfile
metadata: {name: mine}
spec:
  timestamp: {layout: "2006-01-02 15:04:05"}
  patterns:
    trainingStep: {regex: 'STEP=(?P<globalStep>\d+) t=(?P<stepTiming>\S+) tf=(?P<tflops>\S+)'}
    bandwidthResult: {regex: 'BW (?P<size>\d+) (?P<algBW>\S+) (?P<busBW>\S+)'}
`))
	require.NoError(t, err)
	compiled, err := parse.NewProfile(p)
	require.NoError(t, err)
	for text, reason := range map[string]string{
		"BW 8 1.0 2.0\nBW 16 nan inf\n":              "line 2: a row that the profile captures cannot be read",
		"BW 16 1 22xyz\n":                            "line 1: a row that the profile captures cannot be read",
		"STEP=1 t=100 tf=300\nSTEP=2 t=100 tf=inf\n": "line 2: a value that the profile captures cannot be read",
		"BW 8 1.0 2.0\nBW 16 3.0 4.0\n":              "",
		"STEP=1 t=100 tf=300\nSTEP=2 t=100 tf=310\n": "",
	} {
		parser := parse.Parser{Profile: compiled}
		_, _ = parser.Write([]byte(text))
		got := score.Log("x", parser.Finish())
		require.Equal(t, v1alpha1.Unknown, got.Verdict, text)
		if reason == "" {
			require.Empty(t, got.Reasons, text)
			require.NotEmpty(t, score.Unjudged(got), text)
			continue
		}
		require.Equal(t, []string{reason}, got.Reasons, text)
	}
}

// TestLongTraining: what is measured over a run is measured over all of it, or is no value, for a reason that is given.
func TestLongTraining(t *testing.T) {
	const kept = 1 << 16
	var b strings.Builder
	step := func(n, second, ms, tflops int) {
		at := time.Date(2026, 1, 2, 3, 0, second, 0, time.UTC).Format("2006-01-02 15:04:05")
		fmt.Fprintf(&b, " [%s] iteration %d/ 200000 | elapsed time per iteration (ms): %d.0 | throughput per GPU (TFLOP/s/GPU): %d.0 | lm loss: %d.5 |\n", at, n, ms, tflops, n%2)
	}
	for n := 1; n <= 2*kept; n++ {
		if n <= kept {
			step(n, n, 1000, 400)
		} else {
			step(n, 10*n, 10000, 40)
		}
	}
	got := of(b.String())
	require.Equal(t, []int{1, 2 * kept}, got.Training.Steps)
	require.InDelta(t, 5.5, *got.Training.AvgStepTimeSec, 1e-6)
	require.InDelta(t, 220, *got.Training.AvgTFLOPsPerGPU, 1e-6)
	require.InDelta(t, 0.5, *got.Training.LossLast, 0)
	require.Equal(t, kept, got.Training.MoreSteps)
	require.Nil(t, got.Training.Drift)
	require.Nil(t, got.Training.GoodputRatio)
	for key, want := range map[string]string{
		v1alpha1.KeyStepTime: "missed", v1alpha1.KeyTFLOPs: "missed", v1alpha1.KeyGoodput: "more than 65536 steps",
	} {
		threshold, err := v1alpha1.ParseThreshold(key, map[string]string{v1alpha1.KeyStepTime: "value < 5", v1alpha1.KeyTFLOPs: "value > 390", v1alpha1.KeyGoodput: "value > 0.9"}[key])
		require.NoError(t, err)
		r := score.Thresholds([]v1alpha1.Threshold{threshold}, got)[0]
		require.False(t, r.Met, key)
		if want == "missed" {
			require.NotNil(t, r.Value, key)
			continue
		}
		require.Nil(t, r.Value, key)
		require.Contains(t, score.Missing(r, got), want)
	}
	require.Equal(t, v1alpha1.Unknown, got.Verdict)
	require.Empty(t, got.Reasons, "a run whose job ended well and that meets its thresholds passes")
	require.Contains(t, score.Unjudged(got), "more than 65536 steps")
}

func slicesOf(v float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = v
	}
	return values
}

// TestNoAverage: steps that the profile leaves out are no average, and the answer says why.
func TestNoAverage(t *testing.T) {
	megatron := func(numbers ...int) string {
		var b strings.Builder
		for _, n := range numbers {
			fmt.Fprintf(&b, " [2026-01-02 03:00:%02d] iteration %d/ 100 | consumed samples: 1 | elapsed time per iteration (ms): 5444.9 | throughput per GPU (TFLOP/s/GPU): 239.8 | lm loss: 1.8 |\n", n%60, n)
		}
		return b.String()
	}
	under := func(profile, text string) v1alpha1.LogScore {
		compiled, err := parse.NewProfile(v1alpha1.BuiltinLogProfile(profile))
		require.NoError(t, err)
		p := parse.Parser{Profile: compiled}
		_, _ = p.Write([]byte(text))
		return score.Log("x.txt", p.Finish())
	}
	for name, c := range map[string]struct {
		profile, text, why string
	}{
		"all are warm-up":          {"megatron-bridge", megatron(1, 2, 3), "all 3 timed steps are inside the profile's warm-up of 5 steps"},
		"all that count are":       {"megatron-training", megatron(5, 10, 15), "the only timed step that counts is inside the profile's warm-up of 10 steps"},
		"all are between two":      {"megatron-training", megatron(1, 2, 3), "no timed step, of 3, is a multiple of the profile's log interval of 10"},
		"one counts":               {"megatron-bridge", megatron(1, 2, 3, 4, 5, 6), ""},
		"none was timed":           {"megatron-bridge", " iteration 1/ 100 | consumed samples: 1 | lm loss: 1.8 |\n", ""},
		"no profile, no exception": {"nccl-bandwidth", megatron(1, 2, 3), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := under(c.profile, c.text)
			require.Equal(t, c.why, got.Training.AvgProblem)
			if c.why == "" {
				return
			}
			require.Nil(t, got.Training.AvgStepTimeSec)
			threshold, err := v1alpha1.ParseThreshold(v1alpha1.KeyStepTime, "value < 6")
			require.NoError(t, err)
			r := score.Group(score.Evidence{Ending: score.Complete, Logs: []v1alpha1.LogScore{got}, Thresholds: []v1alpha1.Threshold{threshold}})
			require.Equal(t, v1alpha1.Unknown, r.Verdict)
			require.Equal(t, "the threshold avgStepTimeSec needs a value that the log does not hold: "+c.why, r.Message)
		})
	}
	t.Run("an expression without an answer is said to be one", func(t *testing.T) {
		threshold, err := v1alpha1.ParseThreshold(v1alpha1.KeyBusBandwidth, "1 / (int(value) - 37) == 1")
		require.NoError(t, err)
		r := score.Group(score.Evidence{Ending: score.Complete, Logs: []v1alpha1.LogScore{of(good)}, Thresholds: []v1alpha1.Threshold{threshold}})
		require.Equal(t, v1alpha1.Unknown, r.Verdict)
		require.Equal(t, "the threshold busBandwidthGBps cannot be evaluated: 1 / (int(value) - 37) == 1 has no answer for 37.77", r.Message)
	})
}
