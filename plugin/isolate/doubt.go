package isolate

import (
	"cmp"
	"maps"
	"slices"
)

// verify looks whether what a suspect's pairs rest on holds: that pairs like them pass, and that its judges' ways out work.
func (r *round) verify(n string) {
	if len(r.k.passes[n]) > 0 {
		return
	}
	if depth := r.k.uncontrolled(n); depth >= 0 && !r.controlling[depth] {
		r.controlling[depth] = true
		r.control(depth)
	}
	if w := r.doubtful(n); w != nil && w.to == nil && r.k.holds(w.from, n) {
		r.prove(n)
	}
}

// doubt looks for another reason why a suspect failed with two partners.
func (r *round) doubt(n string) {
	if w := r.doubtful(n); w != nil {
		r.substitute(n, w)
		r.elsewhere(n, w)
	}
}

// doubtful is the way that may be at fault instead of a suspect that enough partners speak against; nil when there is none.
func (r *round) doubtful(n string) *way {
	if len(r.k.passes[n]) > 0 || !r.judgedEnough(n) {
		return nil
	}
	return r.k.doubtful(n, r.k.against(n))
}

// elsewhere pairs a suspect with a node that does not need the way that may be at fault. When that is the suspect's own way out,
// it asks one of another domain whose ways out are no less known to work than those of its judges.
func (r *round) elsewhere(n string, w *way) {
	if r.busy[n] {
		return
	}
	least, asked := 0, map[string]bool{}
	for p := range r.k.against(n) {
		if unproven := r.k.unproven(p, n); len(asked) == 0 || unproven < least {
			least = unproven
		}
		asked[r.k.c.innermost(p)] = true
	}
	own := w.to == nil && r.k.holds(w.from, n)
	if own && least == 0 {
		return
	}
	may := func(p string) bool {
		switch {
		case r.together(n, p):
			return false
		case own:
			return r.k.good[p] && r.k.unproven(p, n) <= least && !asked[r.k.c.innermost(p)]
		case w.to != nil:
			return r.k.good[p] && !r.k.holds(w.to, p)
		}
		return !r.k.holds(w.from, p) && (r.k.good[p] || r.k.undecided(n, p))
	}
	if p := r.partner(n, r.k.span[n], may); p != "" {
		r.add(n+" with a node of another domain, since nothing passes "+w.String(), n, p)
	}
}

// prove looks whether the ways out work that the judges of a suspect are behind, each once a round.
func (r *round) prove(n string) {
	for _, q := range r.k.regions {
		judges := func(p string) bool { return r.k.holds(q, p) }
		if q.out || r.proving[q] || judges(n) || !slices.ContainsFunc(slices.Collect(maps.Keys(r.k.against(n))), judges) {
			continue
		}
		r.proving[q] = true
		r.substitute(n, &way{q, nil})
	}
}

func (r *round) judgedEnough(n string) bool { return r.k.weight(r.k.against(n)) >= enough }

// control pairs two good nodes that span as much as the suspects' pairs do. As many such pairs that
// fail are enough as make a dark way.
func (r *round) control(depth int) {
	if r.controls[depth] >= leastDark {
		return
	}
	// Those first that were used least: one node that fails with several others is no way that fails.
	byWear := slices.Clone(r.k.nodes)
	slices.SortStableFunc(byWear, func(a, b string) int { return cmp.Compare(r.worn(a), r.worn(b)) })
	for _, a := range byWear {
		if !r.k.good[a] || r.busy[a] {
			continue
		}
		if b := r.partner(a, depth, func(b string) bool { return r.k.good[b] && !r.together(a, b) }); b != "" {
			r.add("two good nodes, to see that pairs pass", a, b)
			r.controls[depth]++
			return
		}
	}
}

// substitute sends a good node of the suspect's region the way that may be at fault, instead of the suspect.
func (r *round) substitute(n string, w *way) {
	for _, m := range w.from.nodes {
		if m == n || !r.k.good[m] || r.busy[m] {
			continue
		}
		there := func(p string) bool {
			return r.k.good[p] && !r.together(m, p) && !r.k.holds(w.from, p) && (w.to == nil || r.k.holds(w.to, p))
		}
		for depth := r.k.span[n]; depth >= 0; depth-- {
			if p := r.partner(m, depth, there); p != "" {
				r.add("a good node in place of "+n+" "+w.String(), m, p)
				return
			}
		}
	}
}
