package parse

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// resumed reads a text, and goes on in another parser at the first line's end from at on where that can be.
func resumed(t testing.TB, text []byte, at int) Log {
	t.Helper()
	var first Parser
	for {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			return Text(text)
		}
		at += end + 1
		_, _ = first.Write(text[:at])
		state, ok := first.Snapshot()
		if !ok {
			first = Parser{}
			continue
		}
		var second Parser
		require.NoError(t, second.Restore(state))
		_, _ = second.Write(text[at:])
		return second.Finish()
	}
}

// TestSnapshot: a parser that goes on in another process says the same, wherever the first one stopped.
func TestSnapshot(t *testing.T) {
	texts := samples(t)
	texts["good"] = []byte(good)
	texts["twice"] = []byte(good + good)
	texts["a training that began again, and ended"] = []byte("iteration 1/ 9 | consumed samples: 1 |\niteration 9/ 9 | consumed samples: 1 |\n" +
		" [2026-01-02 03:00:20] saving checkpoint at iteration 3 to /c\niteration 4/ 9 | consumed samples: 1 |\nStep Time : 1.00s GPU utilization: 5.0 TFLOP/s/GPU\n" +
		"iteration 5/ 9 | elapsed time per iteration (ms): 1000.0 |\nEpoch 1: : 3%|x | 4/30 [00:01<00:01, train_step_timing in s=0.6]\n" +
		"Traceback (most recent call last):\n  File \"x\"\nValueError: y\nRoot Cause (first observed failure):\n  host : node07\n  exitcode : -9 (pid: 2)\n")
	for name, text := range texts {
		want := Text(text)
		for at := range bytes.Count(text, []byte("\n")) {
			place := 0
			for range at {
				place += bytes.IndexByte(text[place:], '\n') + 1
			}
			require.Equal(t, want, resumed(t, text, place), "%s after line %d", name, at)
		}
	}
	t.Run("within a line there is none", func(t *testing.T) {
		var p Parser
		_, _ = p.Write([]byte("a"))
		_, ok := p.Snapshot()
		require.False(t, ok)
	})
	for name, state := range map[string]string{
		"no JSON":               `x`,
		"a table of no test":    `{"tables":[{}]}`,
		"a size beyond all":     `{"log":{"Tests":[{}]},"tables":[{"last":5}]}`,
		"a step beyond all":     `{"recent":[{"step":1}]}`,
		"a column beyond all":   `{"header":{"places":[0,1,2,3,4,99],"body":[1]}}`,
		"a cell beyond the row": `{"header":{"places":[0,1,2,9,4,5],"body":[1]}}`,
	} {
		t.Run(name+" is refused", func(t *testing.T) { require.Error(t, new(Parser).Restore([]byte(state))) })
	}
}

// FuzzSnapshot: a parser restored at the end of any line says what one that was never stopped says.
func FuzzSnapshot(f *testing.F) {
	for _, text := range samples(f) {
		f.Add(text, 300)
	}
	f.Add([]byte(good), 700)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		if at = at % (len(text) + 1); at < 0 {
			at = -at
		}
		require.Equal(t, Text(text), resumed(t, text, at))
	})
}

// FuzzRestore: no state makes the parser panic.
func FuzzRestore(f *testing.F) {
	var p Parser
	_, _ = p.Write([]byte(good))
	state, _ := p.Snapshot()
	f.Add(state)
	f.Fuzz(func(t *testing.T, state []byte) {
		var p Parser
		if p.Restore(state) == nil {
			_, _ = p.Write([]byte(good))
			_ = p.Finish()
		}
	})
}
