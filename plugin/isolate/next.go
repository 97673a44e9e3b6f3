package isolate

import (
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// round makes one round: groups that share no node.
type round struct {
	k *knowledge
	// judged counts how often a good node was a partner.
	judged map[string]int
	busy   map[string]bool
	// controls counts the controls of a span that failed, and those of this round.
	controls map[int]int
	// controlling are the spans that have their control in this round, proving the regions whose way out is looked at.
	controlling map[int]bool
	proving     map[*region]bool
	groups      []Group
	room        int
}

// Next returns the groups of the next round, in order; none when every suspect is settled or nothing more can be done within
// the rounds and the jobs that Bound announced. Every round so far must have its results: an Unknown one says nothing,
// and its nodes are tried again.
func (c *Case) Next() []Group {
	rounds, most := c.Bound()
	r := &round{k: c.know(), judged: map[string]int{}, busy: map[string]bool{}, controls: map[int]int{}, controlling: map[int]bool{}, proving: map[*region]bool{}, room: most - len(c.jobs())}
	if len(c.Rounds) >= rounds || len(r.k.suspect) == 0 {
		return nil
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
	// 3. Whether pairs pass at all, and ways on which judges depend: without that more judges prove nothing.
	for _, n := range waiting {
		r.verify(n)
	}
	// 4. Suspects, each with a good partner that has not judged it.
	for _, n := range waiting {
		r.withPartner(n)
	}
	// 5. What may be at fault instead of a suspect, such as its uplink.
	for _, n := range waiting {
		r.doubt(n)
	}
	// 6. One more judge for those that were found bad.
	for _, n := range r.k.nodes {
		r.appeal(n)
	}
	// 7. Suspects for whom there is no partner, with one another: who passes is good.
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
func (r *round) add(why string, nodes ...string) {
	if len(r.groups) >= r.room || slices.ContainsFunc(nodes, func(n string) bool { return r.busy[n] }) {
		return
	}
	for _, n := range nodes {
		r.busy[n] = true
	}
	r.groups = append(r.groups, Group{Nodes: slices.Sorted(slices.Values(nodes)), Why: why})
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
// much of the fabric as its group did, a pair that spans more has to do: it proves nothing unless others like it pass. Where there is
// none of these either, one that spans less: who fails there is bad all the more, and who passes is cleared if others explain the group.
func (r *round) withPartner(n string) {
	if r.busy[n] || len(r.k.passes[n]) > 0 || r.judgedEnough(n) {
		return
	}
	good := func(p string) bool { return r.k.good[p] && !r.together(n, p) }
	for _, depth := range r.k.depths(n) {
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
	if p := r.partner(n, r.k.span[n], func(p string) bool { return r.k.good[p] && !r.together(n, p) }); p != "" {
		r.add(n+" with one more good node", n, p)
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
		if p := r.partner(n, r.k.span[n], fellow); p != "" {
			r.add("two suspects: no good node is free for them", n, p)
		}
	}
}
