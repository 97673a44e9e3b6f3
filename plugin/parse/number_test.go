package parse

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// printed are the numbers that stand in a text as words of their own: as it is, without terminal escapes, and with the escapes
// of JSON undone as often as records may be packed into each other.
type printed map[float64]bool

func numbersIn(text []byte) printed {
	all := printed{}
	for line := range bytes.Lines(text) {
		for range maxNested + 1 {
			line = appendWithoutEscapes(nil, line)
			all.add(line)
			if bytes.IndexByte(line, '\\') < 0 {
				break
			}
			line = withoutBackslashes(line)
		}
	}
	return all
}

func (all printed) add(line []byte) {
	// The thousands of a number may be parted by commas.
	for _, text := range []string{string(line), strings.ReplaceAll(string(line), ",", "")} {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool {
			return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(".+-_", r)
		}) {
			if v, err := strconv.ParseFloat(word, 64); err == nil {
				all[v] = true
			}
		}
	}
}

// withoutBackslashes undoes the escapes of JSON in a whole line.
func withoutBackslashes(line []byte) []byte {
	var b []byte
	for len(line) > 0 {
		var closed bool
		b, line, closed = unquote(b, line)
		if closed {
			b = append(b, '"')
		}
	}
	return b
}

// FuzzPlainNumber: the short way to a number gives what the long one gives.
func FuzzPlainNumber(f *testing.F) {
	for _, text := range []string{"561.94ms", "193,831", "9e+3", "1.825991E+00", "5444.9 |", "0.1e-22", "1e5,000", "5.", ".5", "5each", "123456789012345678", "1.5.2", "7-3", "1e5e3"} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, seconds bool) {
		places := 0
		if seconds {
			places = millisecond
		}
		got, ok := plainNumber(text, places)
		if !ok {
			return
		}
		want, ok := anyNumber(text)
		require.True(t, ok)
		if seconds {
			var err error
			want, err = strconv.ParseFloat(strconv.FormatFloat(want, 'f', -1, 64)+"e-3", 64)
			require.NoError(t, err)
		}
		require.Equal(t, want, got) //nolint:testifylint // the very same double
	})
}
