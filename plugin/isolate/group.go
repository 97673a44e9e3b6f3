package isolate

import (
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// inquiry is what is known of the failure of one group of the run, and what is to run for it.
type inquiry struct {
	group *Job
	// waiting: some of its nodes are not settled yet.
	waiting bool
	// likely: a node of it that is not settled fails with good partners.
	likely bool
	// explained: a node or a fault of the fabric is known that makes it fail.
	explained bool
	// dark are the dark ways that it needs.
	dark []*way
	// vanished: it passed when it ran again, and nothing is known that made it fail.
	vanished bool
	// rest are the nodes of the group that are not the fault.
	rest []string
	want []Group
	// link is the smallest pair of sets found so far that fail only together.
	link *link
}

// link are two sets of nodes that pass each by itself and fail together.
type link struct{ a, b []string }

// inquire follows up on a failed group.
func (k *knowledge) inquire(g *Job) inquiry {
	q := inquiry{group: g}
	for _, w := range k.dark {
		if k.needs(g, w) {
			q.explained, q.dark = true, append(q.dark, w)
		}
	}
	tried := false
	for _, n := range g.Nodes {
		switch s := k.state[n]; {
		case k.named[n], s == bad, s == behind, s == unsteady:
			q.explained = true
			continue
		case k.suspect[n] && s == open:
			q.waiting = true
			q.likely = q.likely || len(k.against(n)) > 0
		}
		tried = tried || len(k.ran) > 0 && len(k.passes[n])+len(k.fails[n]) > 0
		q.rest = append(q.rest, n)
	}
	switch {
	case q.dark != nil, q.explained && len(q.rest) < 2:
	case q.explained && (!q.waiting || !tried):
		// Before its nodes are tried one by one, all of them at once without those that evidence names: that may be all.
		k.follow(&q, q.rest, "without the nodes that are at fault")
		q.waiting = false
	case q.waiting || q.explained:
	default:
		k.follow(&q, q.rest, "again: each of its nodes passes")
	}
	return q
}

// follow runs a set of nodes again that failed as part of a group, and looks for a link in it when it fails.
func (k *knowledge) follow(q *inquiry, nodes []string, why string) {
	switch k.verdict(nodes) {
	case v1alpha1.Pass:
		q.vanished = !q.explained
	case v1alpha1.Fail:
		if slices.ContainsFunc(nodes, func(n string) bool { return k.state[n] == open }) {
			q.waiting = true // its nodes one by one first
			return
		}
		k.halve(q, nodes)
	case v1alpha1.Unknown:
		q.want = append(q.want, Group{Nodes: nodes, Why: why})
	}
}

// verdict is that of a set of nodes in isolation: the last one that is not unknown. A single node needs no run.
func (k *knowledge) verdict(nodes []string) v1alpha1.Verdict {
	if len(nodes) < 2 {
		return v1alpha1.Pass
	}
	for _, j := range slices.Backward(k.ran[set(nodes)]) {
		if j.Verdict != v1alpha1.Unknown {
			return j.Verdict
		}
	}
	return v1alpha1.Unknown
}

// halve looks for a fault in a set of nodes that fails although each of them passes.
func (k *knowledge) halve(q *inquiry, nodes []string) {
	a, b := k.c.split(nodes)
	known := true
	for _, half := range [][]string{a, b} {
		switch k.verdict(half) {
		case v1alpha1.Fail:
			q.want = nil
			k.halve(q, half)
			return
		case v1alpha1.Unknown:
			known = false
			q.want = append(q.want, Group{Nodes: half, Why: "half of a group whose nodes all pass"})
		case v1alpha1.Pass:
		}
	}
	if known {
		k.cross(q, a, b)
	}
}

// cross holds two sets that pass each by itself to their failure: they have to fail together once more, since a node that is
// not steady looks the same. Then it narrows the fault down: halves meet crosswise. It stops where the fabric has a name for
// each set.
func (k *knowledge) cross(q *inquiry, a, b []string) {
	both := union(a, b)
	switch fails, passes := k.tally(both); {
	case passes > 0:
		q.vanished = q.link == nil
		return
	case fails < 2:
		q.want = append(q.want, Group{Nodes: both, Why: "halves that pass each by itself, together once more"})
		return
	}
	q.explained, q.link = true, &link{a, b}
	if len(both) == 2 || k.c.levels() > 0 && k.c.depth(a) == k.c.levels() && k.c.depth(b) == k.c.levels() && k.c.innermost(a[0]) != k.c.innermost(b[0]) {
		return
	}
	a1, a2 := k.c.split(a)
	b1, b2 := k.c.split(b)
	for _, wave := range [][2]link{{{a1, b1}, {a2, b2}}, {{a1, b2}, {a2, b1}}} {
		known := true
		for _, l := range wave {
			if len(l.a) == 0 || len(l.b) == 0 {
				continue
			}
			switch part := union(l.a, l.b); k.verdict(part) {
			case v1alpha1.Fail:
				q.want = nil
				k.cross(q, l.a, l.b)
				return
			case v1alpha1.Unknown:
				known = false
				q.want = append(q.want, Group{Nodes: part, Why: "halves crossed, to find which of them fail together"})
			case v1alpha1.Pass:
			}
		}
		if !known {
			return
		}
	}
}

func union(a, b []string) []string { return slices.Sorted(slices.Values(slices.Concat(a, b))) }

// tally counts how often a set of nodes failed and passed in isolation.
func (k *knowledge) tally(nodes []string) (fails, passes int) {
	for _, j := range k.ran[set(nodes)] {
		switch j.Verdict {
		case v1alpha1.Fail:
			fails++
		case v1alpha1.Pass:
			passes++
		case v1alpha1.Unknown:
		}
	}
	return fails, passes
}

// split cuts nodes in two: between domains where they are in several, else by name. The second half of a single node is empty.
func (c *Case) split(nodes []string) (a, b []string) {
	sorted := slices.Sorted(slices.Values(nodes))
	depth := c.depth(sorted)
	if depth == c.levels() {
		half := (len(sorted) + 1) / 2
		return sorted[:half], sorted[half:]
	}
	parts := map[string][]string{}
	var order []string
	for _, n := range sorted {
		d := c.domain(n, depth)
		if parts[d] == nil {
			order = append(order, d)
		}
		parts[d] = append(parts[d], n)
	}
	slices.Sort(order)
	for i, d := range order {
		if i == 0 || len(a)+len(parts[d]) <= (len(sorted)+1)/2 {
			a = append(a, parts[d]...)
		} else {
			b = append(b, parts[d]...)
		}
	}
	slices.Sort(a)
	slices.Sort(b)
	return a, b
}
