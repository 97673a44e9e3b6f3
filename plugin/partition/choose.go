package partition

import (
	"cmp"
	"slices"
)

// ranking finds the best of innermost domains that stand together in the order of all, in a time that grows with the logarithm of
// their number: a fleet of small domains has as many overflow groups as it has domains. It is a segment tree.
type ranking struct {
	better func(a, b *domain) int
	leaves []*domain
	// best holds at i the better of 2i and 2i+1; the innermost domain of order o is at len(leaves)+o, nil while it is out.
	best []*domain
}

func (t *tree) rank(better func(a, b *domain) int) *ranking {
	n := len(t.leaves)
	r := &ranking{better: better, leaves: t.leaves, best: make([]*domain, 2*n)}
	copy(r.best[n:], t.leaves)
	for i := n - 1; i > 0; i-- {
		r.best[i] = r.of(r.best[2*i], r.best[2*i+1])
	}
	return r
}

func (r *ranking) of(a, b *domain) *domain {
	if a == nil || b != nil && r.better(b, a) < 0 {
		return b
	}
	return a
}

// set takes an innermost domain in again, with what it has left now, or out.
func (r *ranking) set(d *domain, in bool) {
	i := len(r.leaves) + d.order
	if r.best[i] = nil; in {
		r.best[i] = d
	}
	for i /= 2; i > 0; i /= 2 {
		r.best[i] = r.of(r.best[2*i], r.best[2*i+1])
	}
}

// within returns the best innermost domain of d that is not out; nil when all are.
func (r *ranking) within(d *domain) *domain {
	var best *domain
	n := len(r.leaves)
	for from, to := n+d.first, n+d.last+1; from < to; from, to = from/2, to/2 {
		if from%2 == 1 {
			best = r.of(best, r.best[from])
			from++
		}
		if to%2 == 1 {
			to--
			best = r.of(best, r.best[to])
		}
	}
	return best
}

// choose adds to seed the best innermost domains of d until they hold a whole group or none may be added any more. It returns
// how many nodes they hold, too.
func (t *tree) choose(seed, d *domain, r *ranking) (chosen []*domain, total int) {
	limits := slices.Clone(t.limits)
	entered := make([][]*domain, len(limits)) // by level
	in := map[*domain]bool{}
	add := func(leaf *domain) {
		chosen, total = append(chosen, leaf), total+leaf.total
		r.set(leaf, false)
		for e := leaf; e.level >= 0 && !in[e]; e = e.parent {
			in[e] = true
			limits[e.level]--
			entered[e.level] = append(entered[e.level], e)
		}
	}
	add(seed)
	for total < t.size {
		best := r.next(d, limits, entered)
		if best == nil {
			break
		}
		add(best)
	}
	for _, leaf := range chosen {
		r.set(leaf, true)
	}
	return chosen, total
}

// next returns the best innermost domain of d that may be entered; nil when none may. Where no more domains of a level may be
// entered it has to be in one of those that are; the innermost of such levels decides, since who is in one of its domains is in
// those around it.
func (r *ranking) next(d *domain, limits []int, entered [][]*domain) *domain {
	for level := len(limits) - 1; level > d.level; level-- {
		if limits[level] > 0 {
			continue
		}
		var best *domain
		for _, e := range entered[level] {
			best = r.of(best, r.within(e))
		}
		return best
	}
	return r.within(d)
}

func bySize(a, b *domain) int {
	return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(b.left, a.left), byOrder(a, b))
}

func byNeed(a, b *domain) int {
	return cmp.Or(cmp.Compare(b.left, a.left), cmp.Compare(b.total, a.total), byOrder(a, b))
}
