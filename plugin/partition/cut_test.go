package partition

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// racks makes nodes in racks of the given sizes: a-0, a-1, …, b-0, ….
func racks(sizes ...int) []Node {
	var nodes []Node
	for i, size := range sizes {
		rack := string(rune('a' + i))
		for j := range size {
			nodes = append(nodes, Node{Name: fmt.Sprintf("%s-%02d", rack, j), Place: []string{rack}})
		}
	}
	return nodes
}

// shapes says of each group how many nodes of each domain it has, and what it borrows.
func shapes(groups []Group) []string {
	var all []string
	for _, g := range groups {
		count := map[string]int{}
		for _, n := range g.Nodes {
			count[n[:strings.LastIndex(n, "-")]]++
		}
		var parts []string
		for _, d := range slices.Sorted(maps.Keys(count)) {
			parts = append(parts, fmt.Sprintf("%s%d", d, count[d]))
		}
		text := strings.Join(parts, " ")
		if g.Overflow {
			text += fmt.Sprintf(", %d borrowed", len(g.Borrowed))
		}
		all = append(all, text)
	}
	return all
}

func TestCut(t *testing.T) {
	for name, tt := range map[string]struct {
		nodes    []Node
		size     int
		want     []string
		untested int
	}{
		"each rack has its own groups":                                 {racks(4, 4), 2, []string{"a2", "a2", "b2", "b2"}, 0},
		"leftovers borrow in their own rack":                           {racks(5, 5), 4, []string{"a4", "b4", "a4, 3 borrowed", "b4, 3 borrowed"}, 0},
		"an overflow group spans no more racks than a full one":        {racks(4, 1), 4, []string{"a4"}, 1},
		"every overflow group has the whole size":                      {racks(2, 2, 4), 3, []string{"c3", "c3, 2 borrowed"}, 4},
		"a size above the largest rack spans as many racks as it must": {racks(2, 2, 2, 2), 4, []string{"a2 b2", "c2 d2"}, 0},
		"a size above the largest rack borrows within as many racks":   {racks(2, 2, 2), 4, []string{"a2 b2", "a2 c2, 2 borrowed"}, 0},
		"a rack that lost a node waits for nobody":                     {racks(4, 3, 4), 4, []string{"a4", "c4"}, 3},
		"one group of a whole fleet":                                   {racks(3, 3), 6, []string{"a3 b3"}, 0},
		"a small rack is covered by borrowing from the rack beside it": {racks(6, 6, 2), 8, []string{"a6 b2", "b6 c2, 2 borrowed"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Cut(tt.nodes, Options{Size: tt.size, Keys: []string{"rack"}})
			require.NoError(t, err)
			require.Equal(t, tt.want, shapes(got.Groups))
			require.Len(t, got.Untested, tt.untested)
			requireCut(t, tt.nodes, Options{Size: tt.size, Keys: []string{"rack"}}, got)
		})
	}
}

func TestCutNestedDomains(t *testing.T) {
	var nodes []Node
	for i, leaf := range []string{"s1/l1", "s1/l2", "s2/l3", "s2/l4"} {
		spine, name, _ := strings.Cut(leaf, "/")
		for j := range 3 {
			nodes = append(nodes, Node{Name: fmt.Sprintf("%s-%d%d", name, i, j), Place: []string{spine, name}})
		}
	}
	o := Options{Size: 6, Keys: []string{"spine", "leaf"}}
	got, err := Cut(nodes, o)
	require.NoError(t, err)
	require.Equal(t, []string{"l13 l23", "l33 l43"}, shapes(got.Groups), "a group stays below one spine")
	require.Equal(t, []string{"s1/l1", "s1/l2"}, got.Groups[0].Domains)

	o.Size = 2
	got, err = Cut(nodes, o)
	require.NoError(t, err)
	require.Equal(t, []string{"l12", "l22", "l32", "l42", "l12, 1 borrowed", "l22, 1 borrowed", "l32, 1 borrowed", "l42, 1 borrowed"}, shapes(got.Groups))
}

func TestCutStrict(t *testing.T) {
	got, err := Cut(racks(3, 1), Options{Size: 2, Keys: []string{"rack"}, Strict: true})
	require.NoError(t, err)
	require.Equal(t, []string{"a3", "b1"}, shapes(got.Groups), "one group of each rack, whatever its size")
	_, err = Cut(racks(3), Options{Size: 2, Strict: true})
	require.ErrorContains(t, err, "no topology key")
}

func TestCutListsWhoIsLeftOut(t *testing.T) {
	nodes := append(racks(4, 1), Node{Name: "z-lost", Place: []string{""}})
	got, err := Cut(nodes, Options{Size: 4, Keys: []string{"rack"}})
	require.NoError(t, err)
	require.Equal(t, []v1alpha1.NodeReason{
		{Name: "b-00", Reason: "b has 1 node, and no group of 4 holds it within the domains that a group may span (at most 1 of rack)"},
		{Name: "z-lost", Reason: "has no label rack, so that its domain is not known"},
	}, got.Untested)
}

func TestCutRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		nodes []Node
		o     Options
		want  string
	}{
		"a size below one":               {racks(2), Options{Keys: []string{"rack"}}, "group size is 0; it must be 1 or more"},
		"fewer nodes than a group":       {racks(2), Options{Size: 3, Keys: []string{"rack"}}, "need 3, found 2 nodes for one group"},
		"fewer nodes than a group, flat": {racks(2), Options{Size: 3}, "need 3, found 2 nodes for one group"},
		"domains that never hold a group": {racks(3, 1, 1, 1, 1, 1), Options{Size: 5, Keys: []string{"rack"}},
			"need 5, found 4 nodes for one group in the domains that a group may span (at most 2 of rack)"},
		"nodes that are nowhere": {[]Node{{Name: "a", Place: []string{""}}}, Options{Size: 1, Keys: []string{"rack"}},
			"need 1, found 0 nodes for one group (1 left out: a has no label rack, so that its domain is not known)"},
		"a place of another length": {racks(2), Options{Size: 1, Keys: []string{"spine", "rack"}}, `node "a-00" has 1 places; there are 2 topology keys`},
		"a name twice":              {append(racks(2), racks(1)...), Options{Size: 1, Keys: []string{"rack"}}, `node "a-00" is listed twice`},
		"a name twice, flat":        {append(racks(2), racks(1)...), Options{Size: 1}, `node "a-00" is listed twice`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Cut(tt.nodes, tt.o)
			require.EqualError(t, err, tt.want)
			require.Empty(t, got.Groups)
		})
	}
}

// Random fleets of up to three levels: what must hold of any cut.
func TestCutHoldsForEveryFleet(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		nodes, o := randomFleet(rng)
		before := slices.Clone(nodes)
		got, err := Cut(nodes, o)
		require.Equal(t, before, nodes, "the input is left alone")
		if err != nil {
			var few *TooFewError
			require.True(t, errors.As(err, &few), err)
			require.Less(t, few.Found, few.Need)
			continue
		}
		requireCut(t, nodes, o, got)
		rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		again, err := Cut(nodes, o)
		require.NoError(t, err)
		require.Equal(t, got, again, "the order of the input does not matter")
	}
}

func randomFleet(rng *rand.Rand) ([]Node, Options) {
	levels := 1 + rng.IntN(3)
	o := Options{Size: 1 + rng.IntN(12)}
	for level := range levels {
		o.Keys = append(o.Keys, fmt.Sprintf("level-%d", level))
	}
	width := 1 + rng.IntN(4)
	nodes := make([]Node, 1+rng.IntN(60))
	for i := range nodes {
		nodes[i].Name = fmt.Sprintf("n-%03d", i)
		for range levels {
			nodes[i].Place = append(nodes[i].Place, fmt.Sprint(rng.IntN(width)))
		}
		if rng.IntN(50) == 0 {
			nodes[i].Place[rng.IntN(levels)] = ""
		}
	}
	return nodes, o
}

func requireCut(t *testing.T, nodes []Node, o Options, got Result) {
	t.Helper()
	place := map[string][]string{}
	for _, n := range nodes {
		place[n.Name] = n.Place
	}
	// 1. The limits, as the documentation has them.
	limits := make([]int, len(o.Keys))
	members := map[string][]string{} // of each domain at each level
	for _, n := range nodes {
		if slices.Contains(n.Place, "") {
			continue
		}
		for level := range o.Keys {
			path := strings.Join(n.Place[:level+1], "/")
			members[path] = append(members[path], n.Name)
		}
	}
	for level := range o.Keys {
		largest := 0
		for path, names := range members {
			if strings.Count(path, "/") == level {
				largest = max(largest, len(names))
			}
		}
		limits[level] = (o.Size + largest - 1) / largest
	}
	// 2. Groups: sizes, limits, disjoint but for what is borrowed.
	owner, times, overflowed := map[string]string{}, map[string]int{}, false
	for i, g := range got.Groups {
		require.Equal(t, fmt.Sprintf("group-%d", i), g.Name)
		require.Len(t, g.Nodes, o.Size)
		require.True(t, slices.IsSorted(g.Nodes))
		spans := make([]map[string]bool, len(o.Keys))
		for _, n := range g.Nodes {
			require.NotContains(t, place[n], "")
			for level := range o.Keys {
				if spans[level] == nil {
					spans[level] = map[string]bool{}
				}
				spans[level][strings.Join(place[n][:level+1], "/")] = true
			}
			times[n]++
			if slices.Contains(g.Borrowed, n) {
				require.Contains(t, owner, n, "what is borrowed has a group already")
				continue
			}
			require.NotContains(t, owner, n, "a node has one group unless it is borrowed")
			owner[n] = g.Name
		}
		for level, in := range spans {
			require.LessOrEqual(t, len(in), limits[level], "%v spans too much of level %d", g, level)
		}
		require.Equal(t, slices.Sorted(maps.Keys(spans[len(spans)-1])), g.Domains)
		require.Equal(t, len(g.Borrowed) > 0, g.Overflow)
		// 3. Balanced: who lends was in no more groups than any other of the same domains.
		for _, lender := range g.Borrowed {
			for _, d := range g.Domains {
				for _, n := range members[d] {
					if _, owned := owner[n]; owned && !slices.Contains(g.Nodes, n) {
						require.LessOrEqual(t, times[lender]-1, times[n], "%s lends although %s is in fewer groups", lender, n)
					}
				}
			}
		}
		require.False(t, overflowed && !g.Overflow && i > 0 && got.Groups[i-1].Overflow && len(o.Keys) == 1, "full groups come first")
		overflowed = overflowed || g.Overflow
	}
	// 4. Every node is accounted for, once.
	for _, u := range got.Untested {
		require.NotContains(t, owner, u.Name)
		require.NotEmpty(t, u.Reason)
		owner[u.Name] = "untested"
	}
	require.Len(t, owner, len(nodes))
	require.True(t, slices.IsSortedFunc(got.Untested, func(a, b v1alpha1.NodeReason) int { return strings.Compare(a.Name, b.Name) }))
	// 5. With one level it is simple to say when a node cannot be held: its domain and the largest others are too small.
	if len(o.Keys) == 1 {
		for _, u := range got.Untested {
			if p := place[u.Name][0]; p != "" {
				require.Less(t, room(members, p, limits[0]), o.Size, "%s could be tested", u.Name)
			}
		}
	}
}

// room is how many nodes a group with a node of the domain own may be chosen from, of at most limit domains.
func room(members map[string][]string, own string, limit int) int {
	var others []int
	for path, names := range members {
		if path != own {
			others = append(others, len(names))
		}
	}
	slices.Sort(others)
	slices.Reverse(others)
	sum := len(members[own])
	for _, n := range others[:min(limit-1, len(others))] {
		sum += n
	}
	return sum
}

// FuzzCut: whatever the fleet, every node is in groups of the asked size or untested, and the limits hold; or there is an error.
func FuzzCut(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Add(uint64(7), uint64(8))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		nodes, o := randomFleet(rand.New(rand.NewPCG(a, b)))
		if got, err := Cut(nodes, o); err == nil {
			requireCut(t, nodes, o, got)
		}
	})
}
