package isolate

import "slices"

const (
	// leastDark is the number of nodes, or of pairs, from which on a way that nothing passes is one fault rather than many. Two bad
	// nodes in a domain of two are as likely as a bad switch, and stay suspects.
	leastDark = 3
	// leastInside is that number where the nodes were tried among themselves alone: three of which no two pass are two bad nodes.
	leastInside = 4
	// manyDark is the number of nodes from which on it is one fault whatever their judges are worth.
	manyDark = 2 * leastDark
	// leastFellows is with how many others of its domain each node has to fail then.
	leastFellows = 3
)

// darken finds the ways that fail as such: no job passes them, and pairs of nodes fail there that pass elsewhere.
func (k *knowledge) darken() {
	if len(k.passed) == 0 {
		return // a limit that no node meets, or what all have in common, looks the same
	}
	// 1. Between two regions, the widest first.
	for _, w := range k.tried() {
		if !k.passesBy(w) && !slices.ContainsFunc(k.dark, func(o *way) bool {
			return k.covers(o.from, w.from) && k.covers(o.to, w.to) || k.covers(o.from, w.to) && k.covers(o.to, w.from)
		}) {
			k.dark = append(k.dark, w)
		}
	}
	// 2. Out of a region: to more than one other, or not even inside of it does anything pass.
	for _, r := range k.regions {
		covered := slices.ContainsFunc(k.dark, func(o *way) bool { return o.to == nil && k.covers(o.from, r) })
		if !r.out && !covered && k.cutOff(r) {
			k.dark = append(k.dark, &way{r, nil})
		}
	}
}

// covers says whether a region is another one or around it.
func (k *knowledge) covers(r, inner *region) bool { return r != nil && k.holds(r, inner.nodes[0]) }

// tried returns the ways between two regions on which at least leastDark different pairs of good nodes failed, of at least two
// nodes on each side.
func (k *knowledge) tried() []*way {
	type sides struct{ from, to string }
	pairs := map[sides]map[[2]string]bool{}
	at := map[string]*region{}
	for _, r := range k.regions {
		at[r.path] = r
	}
	for a, jobs := range k.fails {
		for _, j := range jobs {
			b := partner(j, a)
			if b == "" || !k.good[a] || !k.good[b] {
				continue
			}
			for level := range k.c.levels() {
				s := sides{k.c.domain(a, level), k.c.domain(b, level)}
				if s.from >= s.to || at[s.from] == nil || at[s.to] == nil { // seen from the other side
					continue
				}
				if pairs[s] == nil {
					pairs[s] = map[[2]string]bool{}
				}
				pairs[s][[2]string{a, b}] = true
			}
		}
	}
	var all []*way
	for s, failed := range pairs {
		from, to := map[string]bool{}, map[string]bool{}
		for p := range failed {
			from[p[0]], to[p[1]] = true, true
		}
		if len(failed) >= leastDark && len(from) >= 2 && len(to) >= 2 {
			all = append(all, &way{at[s.from], at[s.to]})
		}
	}
	slices.SortFunc(all, func(a, b *way) int {
		if len(a.from.place) != len(b.from.place) {
			return len(a.from.place) - len(b.from.place)
		}
		return slices.Compare([]string{a.from.path, a.to.path}, []string{b.from.path, b.to.path})
	})
	return all
}

// cutOff says whether a region out of which no job passed fails as a whole: nodes that pass inside fail with good ones of
// several other regions; or no node of it ever passed anything, and each failed with two good ones outside, or with several inside.
// A region in which few nodes have a judge whose own ways out work is not cut off for sure: the ways of the others may be at fault.
func (k *knowledge) cutOff(r *region) bool {
	outside, failing, open, unsure, least := 0, 0, 0, 0, leastDark
	lit, litFails := false, false
	others, vouched := map[string]bool{}, map[string]bool{}
	for _, n := range r.nodes {
		if k.named[n] {
			continue
		}
		out, in := map[string]bool{}, map[string]bool{}
		for _, j := range k.fails[n] {
			switch p := partner(j, n); {
			case p == "":
			case k.holds(r, p):
				in[p] = true
			case k.good[p]:
				out[p] = true
				outside++
				if k.vouches(p, r) {
					vouched[n] = true
				}
				others[k.c.domain(p, len(r.place)-1)] = true
			}
		}
		if len(out) > 0 || len(in) > 0 {
			failing++
		}
		switch {
		case len(out) >= 2 && !vouched[n]:
			unsure++ // its judges may be behind bad ways of their own
		case len(out) < 2:
			least = leastInside
			if len(in) < min(leastFellows, len(r.nodes)-1) {
				open++
			}
		}
		lit, litFails = lit || k.good[n], litFails || k.good[n] && len(out) > 0
	}
	return litFails && len(vouched) > 0 && failing >= 2 && outside >= leastDark && len(others) >= 2 || !lit && open == 0 && failing >= least && (unsure == 0 || len(vouched) >= leastDark || failing >= manyDark)
}
