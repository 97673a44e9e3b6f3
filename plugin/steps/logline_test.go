package steps

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// keptLog is a log as a kubelet keeps it: each line has a time, some several lines the same.
func keptLog(text string) []string {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 999_000_000, time.UTC)
	var lines []string
	i := 0
	for line := range strings.Lines(text) {
		lines = append(lines, begin.Add(time.Duration(i/3)*7*time.Millisecond).Format(time.RFC3339Nano)+" "+line)
		i++
	}
	return lines
}

// since is what a kubelet sends of the lines: from the whole second on, and only of the newest file.
func since(lines []string, rotated int, from time.Time) string {
	var b strings.Builder
	for _, line := range lines[rotated:] {
		if at, _ := stampOf([]byte(line)); from.IsZero() || at >= from.Truncate(time.Second).UnixNano() {
			b.WriteString(line)
		}
	}
	return b.String()
}

func newReader() *logReader { return &logReader{parser: &parse.Parser{}, tail: &parse.Tail{}} }

func scored(t *testing.T, l *logReader) string {
	t.Helper()
	l.finish()
	text, err := json.Marshal(score.Log("x", l.parser.Finish()))
	require.NoError(t, err)
	return string(text)
}

// knownLog has cycles, INFO lines, a warning that repeats and two tests.
func knownLog() string {
	var b strings.Builder
	rows := strings.SplitAfter(goodTable, "\n")
	for i, line := range rows {
		b.WriteString(line)
		for k := range 5 {
			fmt.Fprintf(&b, "node-a:1:2 [%d] NCCL INFO Channel %d/%d\n", k, i, k)
		}
	}
	return b.String() + goodTable
}

// TestKilledAnywhere: a process that reads a log is killed at a random byte; the kubelet has rotated the log since, up to what
// had been noted; the next process goes on. The answer is that of one that was never killed.
func TestKilledAnywhere(t *testing.T) {
	lines := keptLog(knownLog())
	whole := strings.Join(lines, "")
	undisturbed := newReader()
	_, _ = undisturbed.Write([]byte(whole))
	want := scored(t, undisturbed)
	require.Contains(t, want, `"verdict":"pass"`)
	random := rand.New(rand.NewPCG(5, 20))
	for range 20 {
		killed := random.IntN(len(whole))
		noted := random.IntN(killed + 1)
		t.Run(fmt.Sprintf("noted at %d, killed at %d", noted, killed), func(t *testing.T) {
			first := newReader()
			_, _ = first.Write([]byte(whole[:noted]))
			saved := first.save()
			_, _ = first.Write([]byte(whole[noted:killed]))
			second := newReader()
			rotated := 0
			from := time.Time{}
			if saved != nil {
				require.True(t, second.restore(saved))
				from = second.since()
				second.reopen()
				rotated = strings.Count(whole[:noted], "\n")
			}
			_, _ = second.Write([]byte(since(lines, rotated, from)))
			require.Equal(t, want, scored(t, second))
		})
	}
}

// TestAStreamIsOpenedAgainAnywhere: within a line, with or without a rotation in between.
func TestAStreamIsOpenedAgainAnywhere(t *testing.T) {
	lines := keptLog(knownLog())
	whole := strings.Join(lines, "")
	undisturbed := newReader()
	_, _ = undisturbed.Write([]byte(whole))
	want, tail := scored(t, undisturbed), undisturbed.tail.String()
	require.NotContains(t, tail, "2026-01-02T", "the tail is shown without the kubelet's timestamps")
	for at := 0; at < len(whole); at += 13 {
		for _, rotated := range []int{0, strings.Count(whole[:at], "\n")} {
			l := newReader()
			_, _ = l.Write([]byte(whole[:at]))
			from := l.since()
			l.reopen()
			if from.IsZero() && rotated > 0 {
				continue
			}
			_, _ = l.Write([]byte(since(lines, rotated, from)))
			require.Equal(t, want, scored(t, l), "at %d, rotated %d", at, rotated)
			require.Equal(t, tail, l.tail.String())
		}
	}
}

func TestLogReader(t *testing.T) {
	t.Run("lines of two streams that are out of order by a little are all read", func(t *testing.T) {
		l := newReader()
		_, _ = l.Write([]byte("2026-01-02T03:04:05.2Z b\n2026-01-02T03:04:05.4Z d\n"))
		l.reopen()
		_, _ = l.Write([]byte("2026-01-02T03:04:05.2Z b\n2026-01-02T03:04:05.4Z d\n2026-01-02T03:04:05.3Z c\n2026-01-02T03:04:05.5Z e\n"))
		require.Equal(t, "b\nd\nc\ne\n", l.tail.String())
	})
	t.Run("a log without timestamps is read anew", func(t *testing.T) {
		l := newReader()
		_, _ = l.Write([]byte("a\nb"))
		require.True(t, l.since().IsZero())
		l.reopen()
		_, _ = l.Write([]byte("a\nb\nc\n"))
		require.Equal(t, "a\nb\nc\n", l.tail.String())
	})
	t.Run("a huge line does not fill memory", func(t *testing.T) {
		l := newReader()
		_, _ = l.Write([]byte("2026-01-02T03:04:05.2Z "))
		for range 100 {
			_, _ = l.Write([]byte(strings.Repeat("x", 100<<10)))
		}
		require.Less(t, cap(l.line), 1<<20)
		require.Nil(t, l.save(), "and nothing is noted within it")
		_, _ = l.Write([]byte("\n2026-01-02T03:04:06Z end\n"))
		require.True(t, strings.HasSuffix(l.tail.String(), "\nend\n"))
		require.NotNil(t, l.save())
	})
	t.Run("a progress that is none is not gone on with", func(t *testing.T) {
		for _, saved := range []string{``, `{}`, `{"seen":[{"at":1}]}`, `{"seen":[{"at":1}],"parser":{"tables":[{}]}}`} {
			require.False(t, newReader().restore(json.RawMessage(saved)), saved)
		}
	})
}
