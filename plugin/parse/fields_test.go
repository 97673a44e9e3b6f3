package parse

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSplit: the fields of a line are those that bytes.FieldsFunc finds, whatever their place among the bytes looked at at once.
func FuzzSplit(f *testing.F) {
	f.Add([]byte(strings.Split(good, "\n")[13]))
	f.Add([]byte("\t8  2\t\x80 \xff"))
	f.Add(bytes.Repeat([]byte("7 "), 64))
	f.Add([]byte(strings.Repeat("x", 64) + " " + strings.Repeat("y", 127)))
	f.Fuzz(func(t *testing.T, line []byte) {
		want := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
		want = want[:min(len(want), maxColumns+1)]
		var p Parser
		got := p.split(line)
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i], got[i])
		}
	})
}

func TestNumbersApart(t *testing.T) {
	for line, want := range map[string]bool{
		"":                         false,
		"8  2     float":           true,
		"x  8  2  float  1.0":      true,
		"8 2 float sum":            false,
		"iteration       43/  100": false,
		"8\t\t2  float":            true,
	} {
		for _, before := range []string{"", "x", strings.Repeat("y", 6), strings.Repeat("z", 7)} {
			require.Equal(t, want, numbersApart([]byte(before+line+" and more")), "%q after %q", line, before)
		}
	}
}
