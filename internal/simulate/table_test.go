package simulate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARowHoldsEachCountInItsOwnColumn(t *testing.T) {
	r := row{fleets: 2, rounds: 5, jobs: 9, mostRounds: 3, mostJobs: 4, score: Score{Nodes: 22, Found: 21, Kept: 23, Flaky: 25, FlakyFound: 24,
		False: 26, FalseAlone: 27, Doubted: 28, Links: 30, LinksFound: 29, FalseLinks: 31}}
	want := map[string]string{
		"method": "m", "fleets": "2", "rounds": "2.5", "jobs": "4.5", "most beyond the screening": "3 rounds, 4 jobs",
		"node faults found": "21 of 22", "left as suspects": "23", "healthy accused": "26", "of them alone in a leaf": "27",
		"healthy left as suspects": "28", "flaky noticed": "24 of 25", "faults of the fabric called": "29 of 30", "called in vain": "31",
	}
	var b strings.Builder
	r.write(&b, "m", true)
	cells := func(line string) []string { return strings.Split(strings.Trim(line, "| \n"), " | ") }
	columns, values := cells(strings.SplitN(head, "\n", 2)[0]), cells(b.String())
	require.Len(t, columns, len(want))
	require.Len(t, values, len(columns))
	for i, column := range columns {
		require.Equal(t, want[column], values[i], column)
	}
	t.Run("a method that does not know the fabric calls none", func(t *testing.T) {
		var b strings.Builder
		r.write(&b, "m", false)
		require.Equal(t, []string{"none", "-"}, cells(b.String())[len(columns)-2:])
	})
}

func TestARowKeepsTheMostOfItsFleets(t *testing.T) {
	var r row
	for _, o := range []Opinion{{Rounds: 3, Jobs: 20, Screening: 10}, {Rounds: 2, Jobs: 30, Screening: 15}} {
		r.add(&Fleet{}, o)
	}
	require.Equal(t, row{fleets: 2, rounds: 5, jobs: 50, mostRounds: 2, mostJobs: 15}, r)
}
