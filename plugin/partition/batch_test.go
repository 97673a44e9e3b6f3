package partition

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBatches(t *testing.T) {
	require.Empty(t, Batches(0))
	require.NotNil(t, Batches(0), "JSON must read [], never null")
	require.Empty(t, Batches(-1))
	require.Equal(t, []string{"group-0", "group-1", "group-2"}, Batches(3))

	many := Batches(2048)
	require.Len(t, many, MaxBatches)
	require.Equal(t, "groups 32-47", many[2])

	require.Equal(t, "group-127", Batches(128)[127], "128 groups still have an id each")
	require.Equal(t, "groups 127-128", Batches(129)[127])
}

func TestParseBatchIncludesBothEnds(t *testing.T) {
	from, to, err := ParseBatch("groups 32-47", 2048)
	require.NoError(t, err)
	require.Equal(t, []int{32, 47}, []int{from, to})

	from, to, err = ParseBatch("group-2", 3)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2}, []int{from, to})
}

func TestBatchesCoverEveryGroupOnce(t *testing.T) {
	for groups := range 700 {
		ids := Batches(groups)
		require.LessOrEqual(t, len(ids), MaxBatches)
		next, smallest, largest := 0, groups, 0
		for _, id := range ids {
			from, to, err := ParseBatch(id, groups)
			require.NoError(t, err)
			require.Equal(t, next, from, "ranges follow one another")
			next, smallest, largest = to+1, min(smallest, to-from), max(largest, to-from)
		}
		require.Equal(t, groups, next, "nothing is left over")
		require.LessOrEqual(t, largest-smallest, 1, "as even as possible")
	}
}

func TestParseBatchRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		id     string
		groups int
	}{
		"nothing":                         {"", 3},
		"a group past the end":            {"group-3", 3},
		"a negative group":                {"group--1", 3},
		"a leading zero":                  {"group-01", 3},
		"a sign":                          {"group-+1", 3},
		"a space too many":                {"groups  32-47", 2048},
		"a range in a run of few groups":  {"groups 0-1", 3},
		"a range that Batches never made": {"groups 32-48", 2048},
		"a range that starts elsewhere":   {"groups 33-47", 2048},
		"a single group of a big run":     {"group-32", 2048},
		"a number beyond an int":          {"group-99999999999999999999", 3},
		"a run without groups":            {"group-0", 0},
		"a template left unresolved":      {"{{item}}", 3},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ParseBatch(tt.id, tt.groups)
			require.ErrorContains(t, err, "is not one of a run with")
		})
	}
}

// For every id and every number of groups: ParseBatch accepts exactly what Batches returns, and its range is inside the run.
func FuzzParseBatch(f *testing.F) {
	f.Add("group-3", 4)
	f.Add("groups 32-47", 2048)
	f.Add("groups 32-48", 2048)
	f.Add("groups 33-47", 2048)
	f.Add("group-0", 0)
	f.Add("groups -1-2", 300)
	f.Add("groups 1", 200)
	f.Add("isolate-2-3", 4)
	f.Add("isolate-02-3", 4)
	f.Add("isolate-6 groups 32-47", 2048)
	f.Fuzz(func(t *testing.T, id string, groups int) {
		groups %= 5000
		from, to, err := ParseBatch(id, groups)
		ids := Batches(groups)
		if n := RoundOf(id); n > 0 {
			ids = RoundBatches(n, groups)
		}
		require.Equal(t, slices.Contains(ids, id), err == nil)
		if err == nil && RoundOf(id) == 0 {
			require.True(t, 0 <= from && from <= to && to < groups)
			require.Equal(t, id, batchID("", from, to+1))
		}
	})
}

func BenchmarkParseBatch(b *testing.B) {
	for b.Loop() {
		if _, _, err := ParseBatch("groups 32-47", 2048); err != nil {
			b.Fatal(err)
		}
	}
}

func TestRoundBatches(t *testing.T) {
	require.Equal(t, []string{"isolate-1-0", "isolate-1-1"}, RoundBatches(1, 2))
	many := RoundBatches(3, 2048)
	require.Equal(t, "isolate-3 groups 32-47", many[2])
	for _, id := range many {
		require.Equal(t, 3, RoundOf(id))
		_, _, err := ParseBatch(id, 2048)
		require.NoError(t, err)
	}
	for _, id := range []string{"", "group-3", "groups 1-2", "isolate-", "isolate-0-1", "isolate-x-1", "isolate-01-1", "isolate--1-1"} {
		require.Zero(t, RoundOf(id), id)
	}
}
