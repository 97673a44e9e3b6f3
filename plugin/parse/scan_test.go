package parse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScan: every word is found at every place of a line, in any case, with tabs for blanks, and next to any other.
func TestScan(t *testing.T) {
	for _, w := range vocabulary {
		require.Greater(t, len(w.text), keyLen, "%q", w.text)
		require.Equal(t, strings.ToLower(w.text), w.text)
		for _, form := range []string{w.text, strings.ToUpper(w.text), strings.ReplaceAll(w.text, " ", "\t")} {
			for pad := range 5 {
				line := strings.Repeat("-", pad) + form + strings.Repeat("-", 4-pad)
				require.Equal(t, w.means, scan([]byte(line))&w.means, "%q", line)
			}
			require.Equal(t, w.means, scan([]byte(form))&w.means, "%q", form)
		}
		require.Zero(t, scan([]byte(w.text[1:]))&^slowScan(w.text[1:]), "%q", w.text[1:])
	}
}

// slowScan says the same as scan, plainly.
func slowScan(line string) signals {
	var found signals
	line = strings.ReplaceAll(strings.ToLower(line), "\t", " ")
	for _, w := range vocabulary {
		if strings.Contains(line, w.text) {
			found |= w.means
		}
	}
	return found
}

// FuzzScan: the fast search finds what the plain one finds.
func FuzzScan(f *testing.F) {
	f.Add("NCCL WARN net.cc:12\tNo route to host, iter 5 step:")
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range line {
			if c >= 0x80 {
				return // ToLower knows letters beyond ASCII that become ASCII
			}
		}
		require.Equal(t, slowScan(line), scan([]byte(line)))
	})
}
