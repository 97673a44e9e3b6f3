package partition

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// overflow makes groups of the nodes that are in none, and fills them up with borrowed ones of the same domains. What even
// that cannot cover is left.
func (t *tree) overflow(groups []Group) ([]Group, []v1alpha1.NodeReason) {
	size, need := t.rank(bySize), t.rank(byNeed)
	seeds := slices.Clone(t.leaves)
	slices.SortStableFunc(seeds, func(a, b *domain) int { return cmp.Compare(b.left, a.left) })
	for _, seed := range seeds {
		for seed.left > 0 {
			chosen := t.around(seed, size, need)
			if chosen == nil {
				break // unless a group around another seed holds its nodes
			}
			groups = append(groups, t.borrowing(groupName(len(groups)), chosen))
			for _, d := range chosen {
				size.set(d, true)
				need.set(d, true)
			}
		}
	}
	var left []v1alpha1.NodeReason
	for _, d := range t.leaves {
		for _, i := range d.free() {
			left = append(left, v1alpha1.NodeReason{Name: t.nodes[i].Name,
				Reason: fmt.Sprintf("%s has %s, and no group of %d holds it within %s", d.path(), english.Plural(d.total, "node", ""), t.size, t.within())})
		}
	}
	return groups, left
}

// most returns how many nodes the best choice of domains holds that a group may span, at most the size of a group.
func (t *tree) most() int {
	most := 0
	size := t.rank(bySize)
	for _, seed := range t.leaves {
		_, total := t.choose(seed, t.root, size)
		most = max(most, total)
	}
	return most
}

// around chooses the innermost domains of a group that holds nodes of seed: as close to it as they can be, those with nodes
// that are in no group first. It returns nil when no such group can be made.
func (t *tree) around(seed *domain, size, need *ranking) []*domain {
	for d := seed; d != nil; d = d.parent {
		if d != seed && t.limits[d.level+1] < 2 {
			continue // a group around d may hold no more than one around its child
		}
		if d.total < t.size {
			continue
		}
		if chosen, total := t.choose(seed, d, size); total >= t.size {
			if better, total := t.choose(seed, d, need); total >= t.size {
				return better
			}
			return chosen
		}
	}
	return nil
}

// borrowing makes a group of chosen domains: of their nodes that are in no group, then of those in the fewest groups,
// the last by name first. So no node is in two groups too many while another of the same domains is in none.
func (t *tree) borrowing(name string, chosen []*domain) Group {
	var members, lenders []int
	for _, d := range chosen {
		n := min(d.left, t.size-len(members))
		members = append(members, d.free()[:n]...)
		lenders = append(lenders, d.nodes[:len(d.nodes)-d.left]...)
		d.claim(n)
	}
	slices.SortFunc(lenders, func(a, b int) int { return cmp.Or(cmp.Compare(t.used[a], t.used[b]), cmp.Compare(b, a)) })
	lent := lenders[:t.size-len(members)]
	var borrowed []string
	for _, i := range lent {
		borrowed = append(borrowed, t.nodes[i].Name)
	}
	slices.SortFunc(borrowed, strings.Compare)
	g := t.group(name, append(members, lent...))
	g.Overflow, g.Borrowed = borrowed != nil, borrowed
	return g
}
