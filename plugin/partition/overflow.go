package partition

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// overflow makes groups of the nodes that are in none, and fills them up with borrowed ones of the same domains. What even
// that cannot cover is left.
func (t *tree) overflow(groups []Group) ([]Group, []v1alpha1.NodeReason) {
	seeds := slices.Clone(t.leaves)
	slices.SortStableFunc(seeds, func(a, b *domain) int { return cmp.Compare(b.left, a.left) })
	for _, seed := range seeds {
		for seed.left > 0 {
			chosen := t.around(seed)
			if chosen == nil {
				break // unless a group around another seed holds its nodes
			}
			groups = append(groups, t.borrowing(groupName(len(groups)), chosen))
		}
	}
	var left []v1alpha1.NodeReason
	for _, d := range t.leaves {
		for _, i := range d.free() {
			left = append(left, v1alpha1.NodeReason{Name: t.nodes[i].Name,
				Reason: fmt.Sprintf("%s has %s, and no group of %d holds it within %s", d.path(), plural(d.total), t.size, t.within())})
		}
	}
	return groups, left
}

func plural(nodes int) string {
	if nodes == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", nodes)
}

// most returns how many nodes the best choice of domains holds that a group may span, at most the size of a group.
func (t *tree) most() int {
	most := 0
	for _, seed := range t.leaves {
		_, total := t.choose(seed, t.root, bySize)
		most = max(most, total)
	}
	return most
}

// around chooses the innermost domains of a group that holds nodes of seed: as close to it as they can be, those with nodes
// that are in no group first. It returns nil when no such group can be made.
func (t *tree) around(seed *domain) []*domain {
	for d := seed; d != nil; d = d.parent {
		if d != seed && t.limits[d.level+1] < 2 {
			continue // a group around d may hold no more than one around its child
		}
		if chosen, total := t.choose(seed, d, bySize); total >= t.size {
			if better, total := t.choose(seed, d, byNeed); total >= t.size {
				return better
			}
			return chosen
		}
	}
	return nil
}

// choose adds to seed the best innermost domains of d until they hold a whole group or none may be added any more. It returns
// how many nodes they hold, too.
func (t *tree) choose(seed, d *domain, better func(a, b *domain) int) (chosen []*domain, total int) {
	limits := slices.Clone(t.limits)
	in := map[*domain]bool{}
	enter := func(leaf *domain) {
		for e := leaf; e.level >= 0; e = e.parent {
			if !in[e] {
				in[e] = true
				limits[e.level]--
			}
		}
	}
	mayEnter := func(leaf *domain) bool {
		for e := leaf; e.level >= 0; e = e.parent {
			if !in[e] && limits[e.level] < 1 {
				return false
			}
		}
		return true
	}
	chosen, total = []*domain{seed}, seed.total
	enter(seed)
	candidates := d.leaves(t)
	for total < t.size {
		var best *domain
		for _, leaf := range candidates {
			if !in[leaf] && (best == nil || better(leaf, best) < 0) && mayEnter(leaf) {
				best = leaf
			}
		}
		if best == nil {
			break
		}
		enter(best)
		chosen, total = append(chosen, best), total+best.total
	}
	return chosen, total
}

// leaves are the innermost domains of d: they stand together in the order of all.
func (d *domain) leaves(t *tree) []*domain {
	first, last := d, d
	for first.children != nil {
		first = first.children[0]
	}
	for last.children != nil {
		last = last.children[len(last.children)-1]
	}
	return t.leaves[first.order : last.order+1]
}

func bySize(a, b *domain) int {
	return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(b.left, a.left), byOrder(a, b))
}

func byNeed(a, b *domain) int {
	return cmp.Or(cmp.Compare(b.left, a.left), cmp.Compare(b.total, a.total), byOrder(a, b))
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
