package simulate

import (
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// TwoPass is how Google's cluster health scanner pairs nodes: random pairs, then each node of a pair that failed with a node
// of one that passed; who fails again is bad. An odd node joins a pair that is already there. Without a pair that passes
// there is no second pass.
func TwoPass(f *Fleet) Opinion {
	names := f.names()
	f.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	o, good, suspects := f.pairs(names)
	if len(good) == 0 {
		return o
	}
	o.Rounds++
	for _, s := range suspects {
		delete(o.Suspect, s)
		if f.job(&o, s, good[f.rng.IntN(len(good))]) == v1alpha1.Fail {
			o.Failed[s] = true
		}
	}
	return o
}

// TwoRounds is DLRover's network check: neighbours in pairs, then every node again, those that failed with those that passed;
// who fails both times is bad.
func TwoRounds(f *Fleet) Opinion {
	o, good, suspects := f.pairs(f.names())
	o.Rounds++
	for i, s := range suspects {
		delete(o.Suspect, s)
		partner := ""
		if i < len(good) {
			partner = good[i]
		} else { // the rest among themselves
			partner = suspects[len(suspects)-1-(i-len(good))]
		}
		if partner == s || f.job(&o, s, partner) == v1alpha1.Fail {
			o.Failed[s] = true
		}
	}
	for i := len(suspects); i+1 < len(good); i += 2 { // the others run as well
		f.job(&o, good[i], good[i+1])
	}
	return o
}

// Bisection halves each failed group until two nodes are left, and pairs each of these with a node that passed.
func Bisection(f *Fleet) Opinion {
	o := Opinion{Rounds: 1, Failed: map[string]bool{}, Suspect: map[string]bool{}}
	var open [][]string
	var good []string
	for group := range slices.Chunk(f.names(), f.Size) {
		if f.job(&o, group...) == v1alpha1.Fail {
			open = append(open, group)
		} else {
			good = append(good, group...)
		}
	}
	o.Screening = o.Jobs
	var last []string
	for len(open) > 0 {
		var next [][]string
		ran := false
		for _, group := range open {
			if len(group) <= 2 {
				last = append(last, group...)
				continue
			}
			for _, half := range [][]string{group[:len(group)/2], group[len(group)/2:]} {
				ran = true
				if f.job(&o, half...) == v1alpha1.Fail {
					next = append(next, half)
				} else {
					good = append(good, half...)
				}
			}
		}
		if ran {
			o.Rounds++
		}
		open = next
	}
	for i, s := range last {
		switch {
		case len(good) == 0:
			o.Failed[s] = true // as the Cluster Readiness Engine has it: no healthy reference
		case f.job(&o, s, good[i%len(good)]) == v1alpha1.Fail:
			o.Failed[s] = true
		}
	}
	if len(last) > 0 && len(good) > 0 {
		o.Rounds++
	}
	return o
}

func (f *Fleet) names() []string {
	names := make([]string, len(f.Nodes))
	for i, n := range f.Nodes {
		names[i] = n.Name
	}
	return names
}

// pairs runs neighbours in pairs; an odd last node with the one before it.
func (f *Fleet) pairs(names []string) (o Opinion, good, suspects []string) {
	o = Opinion{Rounds: 1, Failed: map[string]bool{}, Suspect: map[string]bool{}}
	for pair := range slices.Chunk(names, 2) {
		partners := pair
		if len(pair) == 1 {
			partners = []string{pair[0], names[len(names)-2]}
		}
		if f.job(&o, partners...) == v1alpha1.Pass {
			good = append(good, pair...)
			continue
		}
		suspects = append(suspects, pair...)
		for _, n := range pair {
			o.Suspect[n] = true
		}
	}
	o.Screening = o.Jobs
	return o, good, suspects
}

func (f *Fleet) job(o *Opinion, nodes ...string) v1alpha1.Verdict {
	o.Jobs++
	return f.Run(nodes)
}
