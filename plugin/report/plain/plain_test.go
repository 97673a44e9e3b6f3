package plain

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"plain text stays":                    {"SSH-2.0-OpenSSH_9.2p1 Debian-2", "SSH-2.0-OpenSSH_9.2p1 Debian-2"},
		"colours go as a whole":               {"\x1b[1;31mFAIL\x1b[0m here", "FAIL here"},
		"a window title goes as a whole":      {"a\x1b]0;owned\x07b\x1b]8;;http://x\x1b\\c", "abc"},
		"a lone escape goes":                  {"a\x1b", "a"},
		"line ends become spaces":             {" a\r\nb\n\n c ", "a b c"},
		"bells, nulls and backspaces go":      {"a\x07\x00\x08b", "ab"},
		"8-bit controls go":                   {"a\u009b31mb", "a31mb"},
		"direction overrides go":              {"a\u202etxt.exe\u2066b\u200b", "atxt.exeb"},
		"broken UTF-8 is marked":              {"a\xff\xfeb", "a\uFFFDb"},
		"no-break and other spaces are plain": {"a\u00a0\u2003b", "a b"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, Line(tt.in)) })
	}
}

func TestIndentedKeepsTheLayoutOfALogLine(t *testing.T) {
	require.Equal(t, "  at  x    1", Indented("\x1b[2K  at\tx    1 \r\n"))
}

func TestCut(t *testing.T) {
	require.Equal(t, "abc", Cut("abc", 3))
	require.Equal(t, "ab…", Cut("abcd", 3))
	require.Equal(t, "ä…", Cut("äöü", 2))
	require.Equal(t, "…", Cut("ab", 1))
	require.Equal(t, "", Cut("ab", 0))
	require.Equal(t, "", Cut("ab", -1))
	require.Equal(t, "", Cut("", 0))
	require.Equal(t, "節…", Fit("節点節点", 4), "wide characters count double")
	require.Equal(t, 5, Width("a節点"))
}

// For every input: the output is valid, printable, on one line, and no longer than asked for; doing it twice changes nothing.
func FuzzLine(f *testing.F) {
	f.Add("\x1b[1;31mFAIL\x1b[0m", 3)
	f.Add("a\x1b]0;t\x1b\\\u202e\xff", 80)
	f.Add("\x1b\x1b[[m", 2)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		line := Line(s)
		require.True(t, utf8.ValidString(line))
		require.Equal(t, line, Line(line))
		for _, r := range line + Indented(s) {
			require.True(t, unicode.IsPrint(r), "%q", r)
		}
		require.LessOrEqual(t, utf8.RuneCountInString(Cut(line, limit)), max(limit, 0))
		require.LessOrEqual(t, Width(Fit(line, limit)), max(limit, 0))
		if limit >= Width(line) {
			require.Equal(t, line, Fit(line, limit))
		}
	})
}

func BenchmarkLine(b *testing.B) {
	s := strings.Repeat("\x1b[32m1,8]<stdout>\x1b[0m 1048576 262144 float sum -1 412.3\n", 100)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Line(s)
	}
}
