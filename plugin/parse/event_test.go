package parse

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func clock(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t
}

// TestEvents: what happens around the steps, and when.
func TestEvents(t *testing.T) {
	megatron := `using world size: 16, data-parallel size: 2, context-parallel size: 1, hierarchical context-parallel sizes: None, tensor-model-parallel size: 8, pipeline-model-parallel size: 1
Loading checkpoint from /c/iter_40
 [2026-01-02 03:00:10.500000] iteration       50/     100 | consumed samples: 10240 | elapsed time per iteration (ms): 5444.9 | lm loss: 1.825991E+00 |
 [2026-01-02 03:00:11] saving checkpoint at iteration      50 to /c in torch_dist format
 [2026-01-02 03:00:13] scheduled an async checkpoint save at iteration      50 to /c
`
	t.Run("by the program's clock", func(t *testing.T) {
		log := Text([]byte(megatron))
		require.Equal(t, clock("2026-01-02T03:00:10.5Z"), log.Training.Steps[0].At)
		require.Equal(t, []Event{
			{Line: 1, Kind: ApplicationStart, Step: -1},
			{Line: 2, Kind: CheckpointRestore, Step: -1},
			{Line: 4, Kind: CheckpointSave, Step: 50, At: clock("2026-01-02T03:00:11Z")},
			{Line: 5, Kind: CheckpointDone, Step: 50, At: clock("2026-01-02T03:00:13Z")},
		}, log.Events)
	})
	t.Run("by the kubelet's clock, wherever the program thinks it is", func(t *testing.T) {
		var b strings.Builder
		i := 0
		for line := range strings.Lines(megatron) {
			fmt.Fprintf(&b, "2026-01-02T10:00:0%d.25+07:00 %s", i, line)
			i++
		}
		log := Text([]byte(b.String()))
		require.Equal(t, clock("2026-01-02T03:00:02.25Z"), log.Training.Steps[0].At)
		require.Equal(t, clock("2026-01-02T03:00:00.25Z"), log.Events[0].At)
		require.Equal(t, clock("2026-01-02T03:00:04.25Z"), log.Events[3].At)
	})
	t.Run("the two are never mixed", func(t *testing.T) {
		log := Text([]byte("2026-01-02T10:00:00Z hello\n" + megatron))
		require.True(t, log.Training.Steps[0].At.IsZero())
	})
	t.Run("only the first of many starts counts", func(t *testing.T) {
		line := "[NeMo I 2026-01-02 03:03:00 nemo_logging:393] Rank 0 has data parallel group\n"
		log := Text([]byte(strings.Repeat(line, 100)))
		require.Len(t, log.Events, 1)
	})
}

// TestAttempts: a run that began again is told from ranks that print the same step.
func TestAttempts(t *testing.T) {
	line := func(b *strings.Builder, prefix string, n, second int) {
		at := time.Date(2026, 1, 2, 3, 0, second, 0, time.UTC).Format("2006-01-02 15:04:05")
		fmt.Fprintf(b, strings.ReplaceAll(prefix, "AT", at)+"iteration %d/ 100 | consumed samples: 1 | elapsed time per iteration (ms): 1000.0 |\n", n)
	}
	run := func(prefix string, from, to, second int) string {
		var b strings.Builder
		for n := from; n <= to; n++ {
			line(&b, prefix, n, second+n-from)
		}
		return b.String()
	}
	const dated, undated, saved = " [AT] ", " ", " [2026-01-02 03:00:20] saving checkpoint at iteration 20 to /c\n"
	again := func(text string) (steps int, at []int) {
		for _, s := range Text([]byte(text)).Training.Steps {
			if steps++; s.Again {
				at = append(at, s.Number)
			}
		}
		return steps, at
	}
	for name, c := range map[string]struct {
		text  string
		steps int
		at    []int
	}{
		"by the program's times":           {run(dated, 1, 30, 0) + run(dated, 21, 50, 3600), 60, []int{21}},
		"from the beginning":               {run(dated, 1, 30, 0) + run(dated, 1, 30, 600), 60, []int{1}},
		"far back":                         {run(dated, 1, 200, 0) + run(dated, 5, 10, 3600), 206, []int{5}},
		"twice":                            {run(dated, 1, 9, 0) + run(dated, 5, 9, 600) + run(dated, 5, 9, 1200), 19, []int{5, 5}},
		"without a time, to a checkpoint":  {run(undated, 1, 20, 0) + saved + run(undated, 21, 30, 0) + run(undated, 21, 50, 0), 60, []int{21}},
		"without a time, behind it":        {run(undated, 1, 20, 0) + saved + run(undated, 21, 30, 0) + run(undated, 11, 50, 0), 70, []int{11}},
		"a rank of its own, seconds later": {run(dated, 1, 9, 0) + run(dated, 1, 9, 2), 9, nil},
		"ranks without a time":             {run(undated, 1, 9, 0) + run(undated, 1, 9, 0), 9, nil},
		"ranks around a checkpoint":        {run(undated, 1, 21, 0) + saved + run(undated, 20, 22, 0), 22, nil},
	} {
		t.Run(name, func(t *testing.T) {
			steps, at := again(c.text)
			require.Equal(t, c.steps, steps)
			require.Equal(t, c.at, at)
		})
	}
	t.Run("the ranks of the second attempt are one", func(t *testing.T) {
		var b strings.Builder
		b.WriteString(run(dated, 1, 9, 0))
		for n := 5; n <= 9; n++ {
			line(&b, dated, n, 600+n)
			line(&b, dated, n, 601+n)
		}
		steps, at := again(b.String())
		require.Equal(t, 14, steps)
		require.Equal(t, []int{5}, at)
	})
	t.Run("the bar of another epoch begins at its first step, and nothing ended", func(t *testing.T) {
		var b strings.Builder
		for epoch := range 3 {
			for n := 1; n <= 30; n++ {
				fmt.Fprintf(&b, "2026-01-02T0%d:00:%02dZ Epoch %d: : 3%%|x | %d/30 [00:01<00:01, train_step_timing in s=0.615]\n", epoch, n, epoch, n)
			}
		}
		steps, at := again(b.String())
		require.Equal(t, 90, steps)
		require.Empty(t, at)
	})
}

// own is a profile of a user's own.
const own = `apiVersion: nvcre.nvidia.com/v1alpha1
kind: LogProfile
metadata: {name: mine}
spec:
  timestamp: {layout: "02 Jan 2006 15:04:05"}
  warmupSteps: 2
  logInterval: 5
  patterns:
    trainingStep: {regex: 'at (?P<timestamp>\d+ \w+ \d+ [\d:]+) did (?P<step>\d+) in (?P<stepTiming>[\d.]+) \((?P<elapsedTime>\d+)\) loss (?P<loss>\S+)', units: {stepTiming: us}}
    warmupStep: {regex: 'did [12] in'}
    checkpointSave: {regex: 'saved (?P<step>\d+) within (?P<saveDuration>\d+)', units: {saveDuration: ms}}
    bandwidthResult: {regex: '^(?P<size>\d+) bytes at (?P<algBW>[\d.]+) and (?P<busBW>[\d.]+)'}
`

func ownProfile(t testing.TB) *Profile { return compiled(t, own) }

func compiled(t testing.TB, text string) *Profile {
	t.Helper()
	p, err := v1alpha1.LoadLogProfile("own.yaml", []byte(text))
	require.NoError(t, err)
	compiled, err := NewProfile(p)
	require.NoError(t, err)
	return compiled
}

func with(p *Profile, text string) Log {
	parser := Parser{Profile: p}
	_, _ = parser.Write([]byte(text))
	return parser.Finish()
}

func TestProfile(t *testing.T) {
	t.Run("a user's patterns are read, with their units", func(t *testing.T) {
		log := with(ownProfile(t), "[rank0]: at 03 Feb 2026 04:05:06 did 1 in 1500 (9) loss nan\nat 03 Feb 2026 04:05:07 did 5 in 2500 (9) loss 2.5\nsaved 5 within 250\n")
		require.Equal(t, &Training{Line: 1, NaNLine: 1, WarmUpSteps: 2, Interval: 5, Steps: []Step{
			{Line: 1, Number: 1, At: clock("2026-02-03T04:05:06Z"), WarmUp: true, TimeSec: seen(0.0015)},
			{Line: 2, Number: 5, At: clock("2026-02-03T04:05:07Z"), TimeSec: seen(0.0025), Loss: seen(2.5)},
		}}, log.Training)
		require.Equal(t, []Event{{Line: 3, Kind: CheckpointSave, Step: 5, Seconds: seen(0.25)}}, log.Events)
	})
	t.Run("a user's table is read, and has no footer", func(t *testing.T) {
		log := with(ownProfile(t), "8 bytes at 1.5 and 2.5\n16 bytes at 3.5 and 4.5\n16 bytes at x and 4.5\n")
		require.Len(t, log.Tests, 1)
		require.True(t, log.Tests[0].Custom)
		require.Equal(t, 2, log.Tests[0].Table.Rows)
		require.Equal(t, &Peak{Line: 2, GBps: 4.5, SizeBytes: 16}, log.Tests[0].Table.Peak)
	})
	t.Run("what a user's pattern captures and nobody can read is remembered", func(t *testing.T) {
		loose := compiled(t, strings.NewReplacer(`(?P<algBW>[\d.]+) and (?P<busBW>[\d.]+)`, `(?P<algBW>\S+) and (?P<busBW>\S+)`,
			`in (?P<stepTiming>[\d.]+)`, `in (?P<stepTiming>\S+)`).Replace(own))
		rows := "8 bytes at 1.5 and 2.5\n16 bytes at 3.5 and 4.5\n"
		require.Zero(t, with(loose, rows+"32 and 5 are numbers\n").Tests[0].BadRow)
		for _, bad := range []string{"nan and 1", "1 and inf", "1 and 22xyz", "-4 and 5", "4 and -5", "x and 1"} {
			log := with(loose, rows+"32 bytes at "+bad+"\n64 bytes at 1 and 2\n")
			require.Equal(t, 3, log.Tests[0].BadRow, bad)
			require.Equal(t, 3, log.Tests[0].Table.Rows, bad)
			log = with(loose, "32 bytes at "+bad+"\n")
			require.Len(t, log.Tests, 1, bad)
			require.True(t, log.Tests[0].Custom, bad)
			require.Equal(t, 1, log.Tests[0].BadRow, bad)
		}
		require.Equal(t, 1, with(loose, "99999999999999999999999 bytes at 1 and 2\n").Tests[0].BadRow)
		step := "at 03 Feb 2026 04:05:06 did 1 in 1500 (9) loss 2.5\n"
		require.Zero(t, with(loose, step).Training.BadLine)
		require.Zero(t, with(loose, strings.Replace(step, "2.5", "nan", 1)).Training.BadLine, "which is a loss that is no number")
		for _, bad := range [][2]string{{"2.5", "high"}, {"1500", "inf"}, {"1500", "-3"}, {"did 1", "did 99999999999"}} {
			require.Equal(t, 2, with(loose, step+strings.Replace(step, bad[0], bad[1], 1)).Training.BadLine, bad)
		}
	})
	t.Run("what Seatrial reads by itself stays", func(t *testing.T) {
		require.Equal(t, Text([]byte(good)), with(ownProfile(t), good))
		for _, name := range v1alpha1.LogProfiles {
			p, err := NewProfile(v1alpha1.BuiltinLogProfile(name))
			require.NoError(t, err)
			require.Equal(t, Text([]byte(good)), with(p, good), name)
		}
	})
	t.Run("every built-in example is read", func(t *testing.T) {
		for _, name := range v1alpha1.LogProfiles {
			for _, n := range v1alpha1.BuiltinLogProfile(name).Spec.Patterns.Named() {
				log := Text([]byte(n.Pattern.Example + "\n"))
				read := len(log.Tests) > 0 || log.Training != nil || len(log.Events) > 0 && log.Events[len(log.Events)-1].Kind == n.Name
				require.True(t, read, "%s %s: %+v", name, n.Name, log)
			}
		}
	})
}

// FuzzProfile: with a user's profile too, any text is read without a panic, and splitting it changes nothing.
func FuzzProfile(f *testing.F) {
	f.Add("at 03 Feb 2026 04:05:06 did 1 in 1500 (9) loss nan\nsaved 5 within 250\n8 bytes at 1.5 and 2.5\n"+good, 40)
	p := ownProfile(f)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if at = at % (len(text) + 1); at < 0 {
			at = -at
		}
		parser := Parser{Profile: p}
		_, _ = parser.Write([]byte(text[:at]))
		_, _ = parser.Write([]byte(text[at:]))
		require.Equal(t, with(p, text), parser.Finish())
	})
}
