package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func fleet(n int) []string {
	nodes := make([]string, n)
	for i := range nodes {
		nodes[i] = fmt.Sprintf("gpu-node-%05d", i)
	}
	return nodes
}

func TestChunk(t *testing.T) {
	for name, tt := range map[string]struct {
		nodes []string
		size  int
		want  []Group
	}{
		"an even cut has no overflow": {[]string{"a", "b", "c", "d"}, 2, []Group{
			{Name: "group-0", Nodes: []string{"a", "b"}}, {Name: "group-1", Nodes: []string{"c", "d"}}}},
		"leftovers borrow from the end of the last full group": {[]string{"a", "b", "c", "d", "e"}, 3, []Group{
			{Name: "group-0", Nodes: []string{"a", "b", "c"}},
			{Name: "group-1", Nodes: []string{"c", "d", "e"}, Overflow: true, Borrowed: []string{"c"}}}},
		"names sort as plain strings": {[]string{"n2", "n10", "n1"}, 1, []Group{
			{Name: "group-0", Nodes: []string{"n1"}}, {Name: "group-1", Nodes: []string{"n10"}}, {Name: "group-2", Nodes: []string{"n2"}}}},
		"sixteen nodes by four are four groups": {fleet(16), 4, []Group{
			{Name: "group-0", Nodes: fleet(16)[:4]}, {Name: "group-1", Nodes: fleet(16)[4:8]},
			{Name: "group-2", Nodes: fleet(16)[8:12]}, {Name: "group-3", Nodes: fleet(16)[12:]}}},
		"as many nodes as the size are one group": {[]string{"b", "a"}, 2, []Group{{Name: "group-0", Nodes: []string{"a", "b"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Chunk(tt.nodes, tt.size)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestChunkRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		nodes []string
		size  int
		want  string
	}{
		"a size below one":       {fleet(3), 0, "group size is 0; it must be 1 or more"},
		"a negative size":        {fleet(3), -2, "group size is -2; it must be 1 or more"},
		"fewer nodes than size":  {fleet(3), 4, "need 4, found 3 nodes for one group"},
		"no node at all":         {nil, 1, "need 1, found 0 nodes for one group"},
		"every name there twice": {[]string{"b", "a", "b", "a", "b"}, 1, "node \"a\" is listed twice\nnode \"b\" is listed twice"},
		"a node without a name":  {[]string{"b", ""}, 1, "a node has no name"},
	} {
		t.Run(name, func(t *testing.T) {
			groups, err := Chunk(tt.nodes, tt.size)
			require.EqualError(t, err, tt.want)
			require.Nil(t, groups)
		})
	}
}

func TestChunkTooFewIsAType(t *testing.T) {
	_, err := Chunk(fleet(3), 4)
	var few *TooFewError
	require.ErrorAs(t, err, &few)
	require.Equal(t, TooFewError{Need: 4, Found: 3}, *few)
}

// Every fleet up to 40 nodes, every size: what must hold of any partition.
func TestChunkHoldsForEverySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 40; n++ {
		for size := 1; size <= n; size++ {
			nodes := fleet(n)
			groups, err := Chunk(nodes, size)
			require.NoError(t, err)

			shuffled := slices.Clone(nodes)
			rng.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			before := slices.Clone(shuffled)
			again, err := Chunk(shuffled, size)
			require.NoError(t, err)
			require.Equal(t, groups, again, "the order of the input does not matter")
			require.Equal(t, before, shuffled, "the input is left alone")

			requirePartition(t, nodes, size, groups)
		}
	}
}

func requirePartition(t *testing.T, nodes []string, size int, groups []Group) {
	t.Helper()
	owner := map[string]string{}
	for i, g := range groups {
		require.Equal(t, fmt.Sprintf("group-%d", i), g.Name)
		require.Len(t, g.Nodes, size, "every group has the asked size")
		require.True(t, slices.IsSorted(g.Nodes))
		if g.Overflow {
			require.Equal(t, len(groups)-1, i, "only the last group may overflow")
			require.Len(t, g.Borrowed, size-len(nodes)%size)
			previous := groups[i-1].Nodes
			require.Equal(t, previous[len(previous)-len(g.Borrowed):], g.Borrowed)
		} else {
			require.Empty(t, g.Borrowed)
		}
		for _, node := range g.Nodes {
			if slices.Contains(g.Borrowed, node) {
				continue
			}
			require.NotContains(t, owner, node, "a node has one group unless it is borrowed")
			owner[node] = g.Name
		}
	}
	require.Len(t, owner, len(nodes), "every node is covered")
	require.Equal(t, len(nodes)%size != 0, groups[len(groups)-1].Overflow)
}

func TestChunkGroupsDoNotShareMemory(t *testing.T) {
	groups, err := Chunk(fleet(5), 3)
	require.NoError(t, err)
	_ = append(groups[0].Nodes, "intruder")
	groups[0].Nodes[2] = "changed"
	require.Equal(t, []string{"gpu-node-00002", "gpu-node-00003", "gpu-node-00004"}, groups[1].Nodes)
}

func BenchmarkChunk10000Nodes(b *testing.B) {
	nodes := fleet(10_000)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Chunk(nodes, 7); err != nil {
			b.Fatal(err)
		}
	}
}
