package partition

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"strings"
)

// domain is a part of the fabric: one value of a label below the values of the labels before it. A value that stands below two
// others is two domains.
type domain struct {
	parent   *domain
	children []*domain
	value    string
	// level counts keys from 0; the root, which is the whole fleet, is at -1.
	level int
	// order is the place among all innermost domains, for an order that does not depend on anything else. first and last are those
	// of the innermost domains in this one, which stand together.
	order, first, last int
	// total is the number of nodes, left of those that are in no group.
	total, left int
	// nodes are those of an innermost domain, sorted by name; the last left of them are in no group.
	nodes []int
	// most are the children with nodes left, the one with the most on top; built by stack.
	most byLeft
}

// tree is a fleet as its fabric has it.
type tree struct {
	keys  []string
	nodes []Node
	root  *domain
	// leaves are the innermost domains, in the order of their paths.
	leaves []*domain
	leafOf []*domain
	size   int
	// largest is the number of nodes of a level's largest domain, limits how many of its domains a group may span.
	largest, limits []int
	// used counts the groups of a node.
	used []int
}

// grow builds the tree of nodes, which are sorted by name and have a place at every level.
func grow(nodes []Node, keys []string) *tree {
	t := &tree{keys: keys, nodes: nodes, root: &domain{level: -1}, leafOf: make([]*domain, len(nodes)),
		largest: make([]int, len(keys)), limits: make([]int, len(keys)), used: make([]int, len(nodes))}
	byPlace := make([]int, len(nodes))
	for i := range byPlace {
		byPlace[i] = i
	}
	// Stable, so that the nodes of a domain stay sorted by name.
	slices.SortStableFunc(byPlace, func(a, b int) int { return slices.Compare(nodes[a].Place, nodes[b].Place) })
	for _, i := range byPlace {
		d := t.root
		d.total++
		for level, value := range nodes[i].Place {
			if n := len(d.children); n == 0 || d.children[n-1].value != value {
				d.children = append(d.children, &domain{parent: d, value: value, level: level})
			}
			d = d.children[len(d.children)-1]
			d.total++
			t.largest[level] = max(t.largest[level], d.total)
		}
		if d.nodes == nil {
			d.order = len(t.leaves)
			t.leaves = append(t.leaves, d)
		}
		d.nodes = append(d.nodes, i)
		t.leafOf[i] = d
	}
	t.root.reset()
	return t
}

func (d *domain) reset() {
	d.left, d.first, d.last = d.total, d.order, d.order
	for _, c := range d.children {
		c.reset()
	}
	if n := len(d.children); n > 0 {
		d.first, d.last = d.children[0].first, d.children[n-1].last
	}
}

// limit sets how many domains of each level a group of size may span.
func (t *tree) limit(size int) {
	t.size = size
	for level, largest := range t.largest {
		t.limits[level] = (size + largest - 1) / largest
	}
}

// path is the domain's name: its values from the outermost on.
func (d *domain) path() string {
	if d.level < 0 {
		return "the fleet"
	}
	values := make([]string, d.level+1)
	for ; d.level >= 0; d = d.parent {
		values[d.level] = d.value
	}
	return strings.Join(values, "/")
}

// claim takes n more of an innermost domain's nodes that are in no group; below 0 it gives the last ones back.
func (d *domain) claim(n int) {
	for ; d != nil; d = d.parent {
		d.left -= n
	}
}

// free are the nodes of an innermost domain that are in no group.
func (d *domain) free() []int { return d.nodes[len(d.nodes)-d.left:] }

// group makes a group of nodes, given as indices in any order.
func (t *tree) group(name string, members []int) Group {
	slices.Sort(members)
	g := Group{Name: name, Nodes: make([]string, len(members))}
	leaves := make([]*domain, len(members))
	for i, m := range members {
		g.Nodes[i], leaves[i] = t.nodes[m].Name, t.leafOf[m]
		t.used[m]++
	}
	slices.SortFunc(leaves, byOrder)
	for _, d := range slices.Compact(leaves) {
		g.Domains = append(g.Domains, d.path())
	}
	slices.Sort(g.Domains)
	return g
}

// strict makes one group of every innermost domain.
func (t *tree) strict() []Group {
	var groups []Group
	for _, d := range t.leaves {
		groups = append(groups, t.group(groupName(len(groups)), slices.Clone(d.nodes)))
	}
	return groups
}

// within says in words what a group may span.
func (t *tree) within() string {
	parts := make([]string, len(t.keys))
	for i, key := range t.keys {
		parts[i] = fmt.Sprintf("%d of %s", t.limits[i], key)
	}
	return "the domains that a group may span (at most " + strings.Join(parts, ", ") + ")"
}

func byOrder(a, b *domain) int { return cmp.Compare(a.order, b.order) }

// byLeft is a heap with the domain on top that has the most nodes left; among equals the first by value.
type byLeft []*domain

func (h byLeft) Len() int      { return len(h) }
func (h byLeft) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h byLeft) Less(i, j int) bool {
	if h[i].left != h[j].left {
		return h[i].left > h[j].left
	}
	return h[i].value < h[j].value
}
func (h *byLeft) Push(x any) { *h = append(*h, x.(*domain)) } //nolint:errcheck,forcetypeassert // nothing else is pushed
func (h *byLeft) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// stack builds the heaps of a domain and of all below it.
func (d *domain) stack() {
	d.most = d.most[:0]
	for _, c := range d.children {
		if c.left > 0 {
			c.stack()
			d.most = append(d.most, c)
		}
	}
	heap.Init(&d.most)
}
