package parse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBadRow(t *testing.T) {
	const (
		names = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n" // line 1
		whole = "8 2 float sum -1 10.5 1.5 2.5 0 11.5 3.5 4.5 0\n"                               // line 2
		foot  = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 3.5\n"
	)
	for name, c := range map[string]struct {
		text  string
		line  int
		wrong int64
	}{
		"a negative bandwidth keeps its wrong values":   {"16 4 float sum -1 10.5 1.5 -1.0 7 11.5 3.5 -1.0 9\n", 3, 16},
		"a size of 30 digits keeps its wrong values":    {strings.Repeat("9", 30) + " 4 float sum -1 10.5 1.5 2.5 7 11.5 3.5 4.5 0\n", 3, 7},
		"a count beyond all numbers is still wrong":     {"16 4 float sum -1 10.5 1.5 2.5 99999999999999999999 11.5 3.5 4.5 0\n", 3, maxCount},
		"a count that is none is no number":             {"16 4 float sum -1 10.5 1.5 2.5 0x7 11.5 3.5 4.5 0\n", 3, 0},
		"nan is a row that says nothing":                {"16 4 float sum -1 nan nan nan 7 nan nan nan 9\n", 3, 16},
		"inf in one placement as well":                  {"16 4 float sum -1 10.5 inf inf 0 11.5 3.5 4.5 0\n", 3, 0},
		"a bandwidth beyond all measure":                {"16 4 float sum -1 10.5 1e308 1e308 0 11.5 3.5 4.5 0\n", 3, 0},
		"a time beyond all measure":                     {"16 4 float sum -1 1e20 1.5 2.5 7 11.5 3.5 4.5 0\n", 3, 7},
		"N/A is no damage":                              {"16 4 float sum -1 10.5 1.5 2.5 0 N/A N/A N/A N/A\n", 0, 0},
		"half a row":                                    {"16 4 float sum -1 10.5 1.5\n", 3, 0},
		"half a row with its wrong values":              {"16 4 float sum -1 10.5 1.5 2.5 7 11.5\n", 3, 7},
		"a row that ends between its placements":        {"16 4 float sum -1 10.5 1.5 2.5 0\n", 3, 0},
		"a size alone":                                  {"16\n", 3, 0},
		"a bandwidth that has moved is no count":        {"16 4 float sum -1 10.5 1.5 26.00 11.5 3.5 26.00 0\n", 3, 0},
		"a row without its last cell has nothing moved": {"16 4 float sum -1 10.5 1.5 26.00 0 11.5 3.5 26.00\n", 3, 0},
		"a sentence that begins with a number":          {"2 warnings were suppressed\n", 0, 0},
		"the first of several is named":                 {"16 4\n32 8\n", 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			log := Text([]byte(names + whole + c.text + foot))
			require.Len(t, log.Tests, 1)
			require.Equal(t, c.line, log.Tests[0].BadRow)
			require.Equal(t, c.wrong, log.Tests[0].Table.Wrong)
		})
	}
	t.Run("a largest difference that is no number", func(t *testing.T) {
		const old = "# size count type redop time algbw busbw error time algbw busbw error\n"
		for delta, bad := range map[string]int{"nan": 2, "inf": 2, "-nan": 2, "inf*": 2, "4e-07": 0, "N/A": 0} {
			test := Text([]byte(old + "8 2 float sum 10.5 1.5 2.5 " + delta + " 11.5 3.5 4.5 0\n")).Tests[0]
			require.Equal(t, bad, test.BadRow, delta)
			require.Equal(t, 1, test.Table.Rows)
		}
	})
	t.Run("behind a number of somebody's own, the line of units is no row", func(t *testing.T) {
		var b strings.Builder
		for line := range strings.Lines(good) {
			b.WriteString("4242 " + line)
		}
		test := Text([]byte(b.String())).Tests[0]
		require.Equal(t, Text([]byte(good)).Tests[0].Table.Sizes, test.Table.Sizes)
		require.Zero(t, test.BadRow)
	})
	t.Run("a last row that the end of the log cuts is no damage", func(t *testing.T) {
		require.Zero(t, Text([]byte(names + whole + "16 4 float sum -1 10.5")).Tests[0].BadRow)
	})
	t.Run("numbers before a table and after its footer are none of its rows", func(t *testing.T) {
		log := Text([]byte("# nThread 1 nGpus 2 minBytes 8\n16 4 float\n" + names + whole + foot + "16 4 float\n"))
		require.Len(t, log.Tests, 1)
		require.Zero(t, log.Tests[0].BadRow)
	})
	t.Run("a row that cannot be read behind a footer begins a test, as any row does", func(t *testing.T) {
		log := Text([]byte(names + whole + foot + "16 4 float sum -1 10.5 1.5 -1.0 7 11.5 3.5 4.5 0\n"))
		require.Len(t, log.Tests, 2)
		require.Equal(t, 5, log.Tests[1].BadRow)
		require.EqualValues(t, 7, log.Tests[1].Table.Wrong)
	})
	t.Run("it is found within a logger's record", func(t *testing.T) {
		log := Text([]byte(names + whole + `{"log":"16 4 float sum -1 10.5 1.5 -1.0 7 11.5 3.5 4.5 0\n"}` + "\n" + foot))
		require.Equal(t, 3, log.Tests[0].BadRow)
		require.EqualValues(t, 7, log.Tests[0].Table.Wrong)
	})
}

func TestFooterWords(t *testing.T) {
	for word, want := range map[string]*Bounds{
		"0 OK": {Line: 1, OK: true}, "0 FAILED": {Line: 1}, "0 OK'": nil, "0 OK' '# next'": nil, "0 failed": nil, "0 OKAY": nil, "0": nil,
	} {
		t.Run(word, func(t *testing.T) {
			log := Text([]byte("# Out of bounds values : " + word + "\n"))
			if want == nil {
				require.Empty(t, log.Tests)
				return
			}
			require.Equal(t, want, log.Tests[0].Bounds)
		})
	}
	t.Run("a line that is quoted as a whole is the footer", func(t *testing.T) {
		require.Equal(t, &Bounds{Line: 1, OK: true}, Text([]byte("'# Out of bounds values : 0 OK'\n")).Tests[0].Bounds)
	})
}
