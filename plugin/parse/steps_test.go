package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSteps(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want Step
	}{
		"Megatron-LM": {" [2024-04-06 02:59:36] iteration       43/     100 | consumed samples:         5504 | elapsed time per iteration (ms): 5444.9 | throughput per GPU (TFLOP/s/GPU): 239.8 | learning rate: 8.600000E-06 | global batch size:   128 | lm loss: 1.825991E+00 | loss scale: 1.0 |",
			Step{Number: 43, TimeSec: seen(5.4449), TFLOPs: seen(239.8), Loss: seen(1.825991)}},
		"Megatron-LM 2023": {" iteration       10/  500000 | consumed samples:        10240 | elapsed time per iteration (ms): 13035.3 | learning rate: 0.000E+00 |",
			Step{Number: 10, TimeSec: seen(13.0353)}},
		"Megatron-DeepSpeed": {" iteration       10/  500000 | consumed samples: 10240 | elapsed time per iteration (ms): 1000.5 | lm loss: 1.5 | samples per second: 3.8 | TFLOPs: 123.4 |",
			Step{Number: 10, TimeSec: seen(1.0005), TFLOPs: seen(123.4), Loss: seen(1.5)}},
		"Primus": {"[2026-01-16 07:32:24] iteration        5/     100 | consumed samples:        10240 | elapsed time per iteration (ms): 15800.0/15900.0 | throughput per GPU (TFLOP/s/GPU): 490.0/480.0 | lm loss: 1.3E+01 |",
			Step{Number: 5, TimeSec: seen(15.8), TFLOPs: seen(490), Loss: seen(13)}},
		"NeMo's bar": {"Epoch 0: :   3%|▎         | 9000/301500 [1:42:42<55:37:46, v_num=0-56, reduced_train_loss=7.040, global_step=9e+3, train_step_timing in s=0.615]",
			Step{Number: 9000, TimeSec: seen(0.615), Loss: seen(7.04)}},
		"NeMo's log": {"[NeMo I 2026] Training epoch 0, iteration 3/99 | lr: 1.2e-05 | global_batch_size: 512 | global_step: 7 | reduced_train_loss: 11.03 | train_step_timing in s: 7.123 | TFLOPS_per_GPU: 400.5",
			Step{Number: 7, TimeSec: seen(7.123), TFLOPs: seen(400.5), Loss: seen(11.03)}},
		"torchtitan": {"[rank0]:[titan] 2025-03-12 11:10:21,511 - root - INFO - step: 22  loss:  6.2250  memory:  1.41GiB(1.79%)  tps: 193,831  tflops: 1,018.36  mfu: 1.86%",
			Step{Number: 22, TFLOPs: seen(1018.36), Loss: seen(6.225)}},
		"MaxText": {"completed step: 5, seconds: 2.345, TFLOP/s/device: 123.456, Tokens/s/device: 1234.567, total_weights: 65536, loss: 10.871",
			Step{Number: 5, TimeSec: seen(2.345), TFLOPs: seen(123.456), Loss: seen(10.871)}},
		"nanoGPT": {"iter 1631: loss 4.0863, time 561.94ms, mfu 12.50%",
			Step{Number: 1631, TimeSec: seen(0.56194), Loss: seen(4.0863)}},
		"Megatron-Bridge": {"Step Time : 12.78s GPU utilization: 528.1 TFLOP/s/GPU",
			Step{Number: -1, TimeSec: seen(12.78), TFLOPs: seen(528.1)}},
		"DeepSpeed": {"steps: 10 loss: 4.5123 iter time (s): 0.912 samples/sec: 140.351",
			Step{Number: 10, TimeSec: seen(0.912), Loss: seen(4.5123)}},
	} {
		t.Run(name, func(t *testing.T) {
			tr := Text([]byte(c.line + "\n")).Training
			require.NotNil(t, tr)
			c.want.Line = 1
			c.want.At = tr.Steps[0].At // TestEvents looks at times
			require.Equal(t, []Step{c.want}, tr.Steps)
			require.Zero(t, tr.NaNLine)
		})
	}
	for name, line := range map[string]string{
		"a config line":         "# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20",
		"a step without a loss": "step: 5 of the installation",
		"an iterator":           "iter 5 of the list: done",
		"a cut line":            "",
	} {
		t.Run(name+" is no step", func(t *testing.T) {
			require.Nil(t, Text([]byte(line+"\n")).Training)
		})
	}
	t.Run("a line without its end is no step", func(t *testing.T) {
		require.Nil(t, Text([]byte("iter 1631: loss 4.0863, time 56")).Training)
	})
	t.Run("a wrapped line is one step", func(t *testing.T) {
		tr := Text([]byte("[2026-06-11 15:19:14] iteration   2/  50 | consumed samples: 1024 |\n  elapsed time per iteration (ms): 11184.3 |\n  throughput per GPU (TFLOP/s/GPU): 100.5 |\n  lm loss: 1.178900E+01 | ...\n")).Training
		require.Equal(t, []Step{{Line: 1, Number: 2, At: tr.Steps[0].At, TimeSec: seen(11.1843), TFLOPs: seen(100.5), Loss: seen(11.789)}}, tr.Steps)
	})
	t.Run("the ranks of a step are one step with their median", func(t *testing.T) {
		var b strings.Builder
		for step := range 3 {
			for rank := range 5 {
				fmt.Fprintf(&b, "[rank%d]:step: %d  loss:  6.5  tps: 1  tflops: %d.5  mfu: 1%%\n", rank, step, 10*step+rank*rank)
			}
		}
		tr := Text([]byte(b.String())).Training
		require.Len(t, tr.Steps, 3)
		require.Equal(t, seen(24.5), tr.Steps[2].TFLOPs)
	})
	t.Run("a step told twice counts once, by its number", func(t *testing.T) {
		tr := Text([]byte("Step Time : 12.78s GPU utilization: 528.1 TFLOP/s/GPU\n iteration 2/ 50 | elapsed time per iteration (ms): 12780.5 |\n")).Training
		require.Len(t, tr.Steps, 1)
		require.Equal(t, 2, tr.Steps[0].Number)
	})
	t.Run("a throughput in a line of its own is the step's beside it", func(t *testing.T) {
		iteration := func(n int, ms string) string {
			return fmt.Sprintf(" iteration %d/ 50 | elapsed time per iteration (ms): %s | lm loss: 8.1 | number of nan iterations: 0 |\n", n, ms)
		}
		for _, unit := range []string{"MODEL_TFLOP/s/GPU", " TFLOP/s/GPU"} {
			first, second := "Step Time : 9.19s GPU utilization: 656.5"+unit+"\n", "Step Time : 9.09s GPU utilization: 663.5"+unit+"\n"
			for name, text := range map[string]string{
				"before": first + iteration(49, "9189.0") + second + iteration(50, "9089.0"),
				"behind": iteration(49, "9189.0") + first + iteration(50, "9089.0") + second,
				"wraps":  first + " iteration 49/ 50 | consumed samples: 1 |\n  elapsed time per iteration (ms): 9189.0 |\n" + second + iteration(50, "9089.0"),
			} {
				tr := Text([]byte(text)).Training
				require.Len(t, tr.Steps, 2, name)
				require.Equal(t, seen(656.5), tr.Steps[0].TFLOPs, name)
				require.Equal(t, seen(9.189), tr.Steps[0].TimeSec, name)
				require.Equal(t, seen(663.5), tr.Steps[1].TFLOPs, name)
				require.Equal(t, 50, tr.Steps[1].Number, name)
			}
		}
	})
	t.Run("a throughput of another step is not a step's", func(t *testing.T) {
		tr := Text([]byte("Step Time : 3.00s GPU utilization: 999.0 TFLOP/s/GPU\n iteration 2/ 50 | elapsed time per iteration (ms): 12780.5 |\n")).Training
		require.Len(t, tr.Steps, 1)
		require.False(t, tr.Steps[0].TFLOPs.Seen)
	})
	t.Run("iterations that the tool itself counts as no number are none", func(t *testing.T) {
		line := " iteration 10/ 50 | elapsed time per iteration (ms): 9000.0 | number of skipped iterations: 3 | number of nan iterations: "
		require.Equal(t, 2, Text([]byte("hello\n"+line+"10 |\n")).Training.NaNLine)
		require.Zero(t, Text([]byte("hello\n"+line+"0 |\n")).Training.NaNLine)
	})
	t.Run("whether the last loss was a number is known", func(t *testing.T) {
		sound, nan := "iter 1: loss 4.5, time 5.00ms\n", "iter 2: loss nan, time 5.00ms\n"
		require.True(t, Text([]byte(sound+nan)).Training.NaNLast)
		require.False(t, Text([]byte(nan+sound)).Training.NaNLast)
	})
	t.Run("a loss that is no number is remembered, and no value", func(t *testing.T) {
		for _, nan := range []string{"nan", "NaN", "nan.0", "inf", "-nan"} {
			tr := Text([]byte("hello\niter 1: loss " + nan + ", time 5.00ms\n")).Training
			require.Equal(t, 2, tr.NaNLine, nan)
			require.False(t, tr.Steps[0].Loss.Seen, nan)
		}
	})
	t.Run("the number of steps is bounded", func(t *testing.T) {
		var b strings.Builder
		for i := range maxSteps + 10 {
			fmt.Fprintf(&b, "iter %d: loss 4.0863, time 561.94ms\n", i)
		}
		tr := Text([]byte(b.String())).Training
		require.Len(t, tr.Steps, maxSteps)
		require.Equal(t, 10, tr.MoreSteps)
		require.Equal(t, maxSteps+9, tr.Steps[maxSteps-1].Number, "the last steps are kept")
		require.Equal(t, 10, tr.More.Timed)
		require.InDelta(t, 5.6194, tr.More.TimeSec, 1e-9, "what is not kept is in the sums")
	})
	t.Run("the ranks of a step beyond the bound are one step", func(t *testing.T) {
		var b strings.Builder
		for i := range maxSteps + 10 {
			for rank := range 3 {
				fmt.Fprintf(&b, "step: %d  loss:  6.5  tps: 1  tflops: %d.0  mfu: 1%%\n", i, rank)
			}
		}
		tr := Text([]byte(b.String())).Training
		require.Equal(t, 10, tr.MoreSteps)
		require.Equal(t, 10, tr.More.Rated)
		require.InDelta(t, 10, tr.More.TFLOPs, 1e-9, "the median of each")
	})
	t.Run("a step told twice counts once beyond the bound, too", func(t *testing.T) {
		var b strings.Builder
		for i := range maxSteps + 10 {
			fmt.Fprintf(&b, "Step Time : 1.00s GPU utilization: 5.0 TFLOP/s/GPU\n iteration %d/ 50 | elapsed time per iteration (ms): 9000.0 |\n", i)
		}
		tr := Text([]byte(b.String())).Training
		require.InDelta(t, 9*float64(tr.MoreSteps), tr.More.TimeSec, 1e-6)
		require.Equal(t, maxSteps+10, len(tr.Steps)+tr.MoreSteps)
	})
}

func seen(v float64) Measure { return Measure{v, true} }
