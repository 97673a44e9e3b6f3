package partition

import (
	"container/heap"
	"slices"
)

// full makes groups of nodes that are in no other, innermost domains first.
func (t *tree) full() []Group {
	var groups []Group
	t.fill(t.root, func(members []int) {
		groups = append(groups, t.group(groupName(len(groups)), members))
	})
	return groups
}

// fill makes the groups inside a domain: first those inside its children, then those of what the children leave over.
func (t *tree) fill(d *domain, add func(members []int)) {
	if d.children == nil {
		for d.left >= t.size {
			members := slices.Clone(d.free()[:t.size])
			d.claim(t.size)
			add(members)
		}
		return
	}
	for _, c := range d.children {
		t.fill(c, add)
	}
	if t.limits[d.level+1] < 2 { // nothing may span two of the children
		return
	}
	d.stack()
	for d.left >= t.size {
		p := pick{limits: slices.Clone(t.limits), missing: t.size}
		// The domains around d are one each.
		for i := range d.level + 1 {
			p.limits[i]--
		}
		p.from(d)
		if p.missing > 0 {
			p.undo()
			return
		}
		add(p.members)
	}
}

// pick collects nodes for a group, and knows how many domains of each level it may still enter.
type pick struct {
	limits  []int
	missing int
	members []int
	taken   []share
}

type share struct {
	leaf *domain
	n    int
}

// from takes as many nodes as are missing out of a domain, those of the children with the most left first.
func (p *pick) from(d *domain) {
	if d.children == nil {
		n := min(d.left, p.missing)
		p.members = append(p.members, d.free()[:n]...)
		d.claim(n)
		p.missing -= n
		p.taken = append(p.taken, share{d, n})
		return
	}
	var entered []*domain
	for p.missing > 0 && len(d.most) > 0 && p.limits[d.level+1] > 0 {
		p.limits[d.level+1]--
		c := heap.Pop(&d.most).(*domain) //nolint:errcheck,forcetypeassert // nothing else is in it
		entered = append(entered, c)
		p.from(c)
	}
	for _, c := range entered {
		if c.left > 0 {
			heap.Push(&d.most, c)
		}
	}
}

// undo gives the nodes back. The heaps are then out of order; whoever needs them builds them anew.
func (p *pick) undo() {
	for _, s := range p.taken {
		s.leaf.claim(-s.n)
	}
}
