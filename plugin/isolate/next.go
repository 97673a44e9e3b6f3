package isolate

import (
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// round makes one round: groups that share no node.
type round struct {
	k *knowledge
	// depth is how much of the fabric each suspect's group spanned; of two that failed, the one that spanned less.
	depth map[string]int
	// judged counts how often a good node was a partner.
	judged map[string]int
	busy   map[string]bool
	// controls counts the controls of a span that failed, and those of this round.
	controls map[int]int
	groups   []Group
	room     int
}

// Next returns the groups of the next round, in order; none when every suspect is settled or nothing more can be done within
// MaxRounds rounds and the jobs that Bound announced. Every round so far must have its results: an Unknown one says nothing,
// and its nodes are tried again.
func (c *Case) Next() []Group {
	_, most := c.Bound()
	r := &round{k: c.know(), depth: map[string]int{}, judged: map[string]int{}, busy: map[string]bool{}, controls: map[int]int{}, room: most - len(c.jobs())}
	if len(c.Rounds) >= MaxRounds || len(r.k.suspect) == 0 {
		return nil
	}
	for n := range r.k.suspect {
		r.depth[n] = -1
	}
	for _, j := range c.Screening {
		for _, n := range j.Nodes {
			if j.Verdict == v1alpha1.Fail && r.k.suspect[n] {
				r.depth[n] = max(r.depth[n], c.depth(j.Nodes))
			}
		}
	}
	for _, j := range c.jobs() {
		controls := len(j.Nodes) == pairSize
		for _, n := range j.Nodes {
			r.judged[n]++
			controls = controls && r.k.good[n]
		}
		if controls && j.Verdict == v1alpha1.Fail {
			r.controls[c.depth(j.Nodes)]++
		}
	}
	waiting := r.open()
	// 1. Groups that fail as a whole, and those whose culprit is named.
	r.followGroups()
	// 2. Pairs that failed once, of nodes that passed with others.
	for _, n := range waiting {
		r.again(n)
	}
	// 3. Suspects, each with a good partner that has not judged it.
	for _, n := range waiting {
		r.withPartner(n)
	}
	// 4. What may be at fault instead of a suspect: its uplink, or pairs as such.
	for _, n := range waiting {
		r.doubt(n)
	}
	// 5. One more judge for those that were found bad.
	for _, n := range r.k.nodes {
		r.appeal(n)
	}
	// 6. Suspects for whom there is no partner, with one another: who passes is good.
	r.amongThemselves(waiting)
	return r.groups
}

// open are the suspects that are not settled, by name.
func (r *round) open() []string {
	var all []string
	for _, n := range r.k.nodes {
		if r.k.suspect[n] && r.k.state[n] == open {
			all = append(all, n)
		}
	}
	return all
}

// add puts a group into the round if its nodes are free and the announced jobs leave room.
func (r *round) add(why string, nodes ...string) bool {
	if len(r.groups) >= r.room || slices.ContainsFunc(nodes, func(n string) bool { return r.busy[n] }) {
		return false
	}
	for _, n := range nodes {
		r.busy[n] = true
	}
	r.groups = append(r.groups, Group{Nodes: slices.Sorted(slices.Values(nodes)), Why: why})
	return true
}

func (r *round) followGroups() {
	for i := range r.k.c.Screening {
		g := &r.k.c.Screening[i]
		if g.Verdict != v1alpha1.Fail {
			continue
		}
		for _, want := range r.k.inquire(g).want {
			r.add(g.Name+" "+want.Why, want.Nodes...)
		}
	}
}

// again repeats the pair of a node that failed with one partner and passed with another.
func (r *round) again(n string) {
	if len(r.k.passes[n]) == 0 {
		return
	}
	for p := range r.k.against(n) { // one, or the node would not be open
		r.add("again: "+n+" passes with others", n, p)
	}
}

// withPartner pairs a suspect that has not failed with enough partners yet. Where nobody could judge it in a pair that spans as
// much of the fabric as its group did, a pair that spans more has to do: it proves nothing unless others like it pass.
func (r *round) withPartner(n string) {
	if r.busy[n] || len(r.k.passes[n]) > 0 || r.judgedEnough(n) {
		return
	}
	good := func(p string) bool { return r.k.good[p] && !r.together(n, p) }
	for depth := r.depth[n]; depth >= 0; depth-- {
		if p := r.partner(n, depth, good); p != "" {
			r.add(n+" with a good node", n, p)
			return
		}
		if len(r.k.c.Rounds) == 0 || r.anybody(n, depth, good) {
			return // among themselves first; or wait for one that is busy
		}
	}
}

// appeal gives a bad node one more judge, if there is one.
func (r *round) appeal(n string) {
	if r.busy[n] || r.k.state[n] != bad || r.k.weight(r.k.against(n)) > enough+1 {
		return
	}
	if p := r.partner(n, r.depth[n], func(p string) bool { return r.k.good[p] && !r.together(n, p) }); p != "" {
		r.add(n+" with one more good node", n, p)
	}
}

// doubt looks for another reason why a suspect failed with two partners.
func (r *round) doubt(n string) {
	if len(r.k.passes[n]) > 0 {
		return
	}
	if depth := r.k.uncontrolled(n); depth >= 0 {
		r.control(depth)
	}
	if against := r.k.against(n); r.judgedEnough(n) {
		if w := r.k.doubtful(n, against); w != nil {
			r.substitute(n, w)
		}
	}
}

func (r *round) judgedEnough(n string) bool { return r.k.weight(r.k.against(n)) >= enough }

// control pairs two good nodes that span as much as the suspects' pairs do. Two such pairs that fail are enough.
func (r *round) control(depth int) {
	if r.controls[depth] >= 2 {
		return
	}
	for _, a := range r.k.nodes {
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
		for depth := r.depth[n]; depth >= 0; depth-- {
			if p := r.partner(m, depth, there); p != "" {
				r.add("a good node in place of "+n+" "+w.String(), m, p)
				return
			}
		}
	}
}

func (r *round) amongThemselves(waiting []string) {
	for _, n := range waiting {
		if r.busy[n] || len(r.k.passes[n]) > 0 || r.judgedEnough(n) {
			continue
		}
		fellow := func(p string) bool {
			return r.k.suspect[p] && r.k.state[p] == open && len(r.k.passes[p]) == 0 && !r.judgedEnough(p) && !r.together(n, p)
		}
		if p := r.partner(n, r.depth[n], fellow); p != "" {
			r.add("two suspects: no good node is free for them", n, p)
		}
	}
}
