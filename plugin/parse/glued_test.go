package parse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGlued: two writers share a line. The row is read when it is whole, and never dropped without a word.
func TestGlued(t *testing.T) {
	const info = "node-a:12:34 [0] NCCL INFO Channel 00/02 :    0   1"
	lines := strings.SplitAfter(good, "\n")
	wrong := strings.Replace(strings.TrimSuffix(lines[12], "\n"), "  0    20.48", " 56    20.48", 1)
	require.Contains(t, wrong, " 56 ")
	with := func(line string) Test {
		log := Text([]byte(strings.Join(lines[:12], "") + line + "\n" + strings.Join(lines[13:], "")))
		require.Len(t, log.Tests, 1)
		return log.Tests[0]
	}
	for name, line := range map[string]string{
		"behind INFO":          info + wrong,
		"behind a warning":     "a warning: 17 4 things of 3 are odd" + wrong,
		"behind a long line":   strings.Repeat("x 1 2 y ", 4000) + wrong,
		"behind a timestamp":   "2026-02-05T16:17:20Z " + info + wrong,
		"behind numbers":       "12 13 14" + wrong,
		"in a JSON record":     `{"level":"info","msg":"` + info + wrong + `"}`,
		"in quotation marks":   `"` + wrong + `",`,
		"behind a drawing bar": "\r  1%|  | 1/9\r" + info + wrong,
	} {
		t.Run(name+" it is read", func(t *testing.T) {
			test := with(line)
			require.Equal(t, 3, test.Table.Rows)
			require.Equal(t, int64(56), test.Table.Wrong)
			require.Zero(t, test.BadRow)
		})
	}
	for name, line := range map[string]string{
		"before INFO":            wrong + " " + info,
		"before INFO, no blank":  wrong + info,
		"cut by INFO":            wrong[:90] + info,
		"between two":            info + wrong + "0.5 " + info,
		"cut behind a warning":   "a warning" + wrong[:100],
		"before a line of prose": wrong + " and so on",
	} {
		t.Run(name+" it cannot be read", func(t *testing.T) {
			test := with(line)
			require.Equal(t, 2, test.Table.Rows)
			require.Equal(t, 13, test.BadRow)
			require.Equal(t, int64(56), test.Table.Wrong, "but its wrong values count")
		})
	}
	t.Run("behind more than a line may hold, nobody knows", func(t *testing.T) {
		require.Equal(t, 13, with(strings.Repeat("x", maxLine)+wrong).BadRow)
	})
	t.Run("behind hours of a bar that draws over itself, it is read", func(t *testing.T) {
		test := with(strings.Repeat("\r 10%|#   | 1/9", 3*maxLine/10) + "\r" + wrong)
		require.Equal(t, int64(56), test.Table.Wrong)
		require.Equal(t, 13, test.Table.WrongCells[0].Line)
		require.Equal(t, 18, test.EndLine)
	})
	head := func(n int) string { return wrong[:n] }
	for name, line := range map[string]string{
		"behind its count":              head(26) + "    " + info,
		"behind its type":               head(40) + info,
		"behind its root":               head(55) + info,
		"within its first time":         head(58) + info,
		"behind an algorithm bandwidth": head(66) + info,
		"behind its type, by another":   "launcher-1  | " + head(40) + "a warning of something",
		"its end, from the type on":     wrong[30:],
		"its end, from the root on":     wrong[47:],
		"its end, from a bandwidth on":  wrong[66:],
		"its end behind another line":   info + wrong[38:],
		"its last placement":            " and so on " + wrong[85:],
	} {
		t.Run("torn: "+name+" it cannot be read", func(t *testing.T) {
			test := with(line)
			require.Equal(t, 2, test.Table.Rows)
			require.Equal(t, 13, test.BadRow)
		})
	}
	t.Run("the wrong values of a torn row count, whatever its size was", func(t *testing.T) {
		test := with(head(40) + info + "\n" + wrong[40:])
		require.Equal(t, int64(56), test.Table.Wrong)
		require.Equal(t, WrongCell{Line: 14, SizeBytes: -1, Count: 56}, test.Table.WrongCells[0])
	})
	t.Run("how many lines of NCCL stand among the rows is counted", func(t *testing.T) {
		require.Equal(t, 1, with("     "+info).Table.Amid)
		require.Zero(t, Text([]byte(info + "\n" + good + info + "\n")).Tests[0].Table.Amid)
	})
	for name, line := range map[string]string{
		"INFO with numbers":     info,
		"two lines of INFO":     info + "   " + info,
		"a ring behind a ring":  "node-a:12:34 [0] NCCL INFO Channel 00/02 :    8   4 " + info,
		"a number before INFO":  "4242   10.0.0.1:12:34 [0] NCCL INFO Channel 00/02 :    0   1",
		"measurements":          "temperatures   41.50  42.50  and power  3",
		"a list of numbers":     "ranks 0 1 2 3 4   5 6 7",
		"numbers and a word":    "used 3 4 of them   or so",
		"a device":              "#  Rank  9 Group  0 Pid     13 on node-b device  0 [0000:04:00] NVIDIA H100",
		"a topology with blank": "node-a:12:34 [0] NCCL INFO          + GPU[48.0] - GPU/1  9 10 pcie",
	} {
		t.Run(name+" is no row", func(t *testing.T) { require.Zero(t, with(line).BadRow) })
	}
	t.Run("after the table nothing is a row", func(t *testing.T) {
		log := Text([]byte(good + info + wrong + "\n"))
		require.Len(t, log.Tests, 1)
		require.Zero(t, log.Tests[0].Table.Wrong)
	})
}
