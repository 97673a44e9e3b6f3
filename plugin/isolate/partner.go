package isolate

import "slices"

// together says whether two nodes were a pair of the isolation that said something.
func (r *round) together(a, b string) bool { return r.k.met[[2]string{a, b}] }

// partner chooses a node for a pair with n that spans exactly as much of the fabric as depth says: a pair that spans more may
// fail by the way between, and one that spans less may not use what is at fault. Of those that may be, first one whose
// ways out have been seen to work, then one of a domain that has not judged n yet, then one that judged least. It returns "" when there is none.
func (r *round) partner(n string, depth int, may func(p string) bool) string {
	judges := map[string]bool{}
	for _, j := range r.k.fails[n] {
		if p := partner(j, n); p != "" {
			judges[r.k.c.innermost(p)] = true
		}
	}
	best, rank := "", 0
	for _, p := range r.k.nodes {
		if r.busy[p] || !may(p) || !r.k.pairable(n, p, depth) {
			continue
		}
		cost := r.worn(p)
		cost += r.k.unproven(p, n) << 20
		if judges[r.k.c.innermost(p)] {
			cost += 1 << 16
		}
		if best == "" || cost < rank {
			best, rank = p, cost
		}
	}
	return best
}

// pairable says whether two nodes make a pair that spans exactly as much of the fabric as depth says, with no dark way between them.
func (k *knowledge) pairable(a, b string, depth int) bool {
	return a != b && k.c.depth([]string{a, b}) == depth && !k.darkBetween(a, b)
}

// worn is how much a node has been used as a partner, and how often it failed.
func (r *round) worn(p string) int { return 4*r.judged[p] + 8*len(r.k.fails[p]) }

// depths are how much of the fabric the pairs of a suspect may span, the best first: as much as its group, then more, then less.
func (k *knowledge) depths(n string) []int {
	var all []int
	for depth := k.span[n]; depth >= 0; depth-- {
		all = append(all, depth)
	}
	for depth := k.span[n] + 1; depth <= k.c.levels(); depth++ {
		all = append(all, depth)
	}
	return all
}

// anybody says whether there is such a partner, busy or not.
func (r *round) anybody(n string, depth int, may func(p string) bool) bool {
	return slices.ContainsFunc(r.k.nodes, func(p string) bool {
		return may(p) && r.k.pairable(n, p, depth)
	})
}
