package isolate

import (
	"maps"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

const (
	// usualRounds are enough where each suspect finds two judges, one after the other, and what failed together is followed up.
	usualRounds = 6
	// spareRounds are those of them that are not for the two judges.
	spareRounds = 3
	// MaxRounds is the most rounds of isolation that a case may have. Each round is one more level of the recursive template
	// `isolate`; Argo's own limit is a recursion of 100.
	MaxRounds = 12
)

// Bound returns the most rounds and jobs that the isolation of a case can take, before the first of them is known: six rounds, more
// where few good nodes have to judge many suspects, up to MaxRounds, and three jobs for each suspect and ten for each failed group.
// It depends on the groups of the run alone, so that it does not change from round to round. Both are 0 when there is no suspect.
func (c *Case) Bound() (rounds, jobs int) {
	named, good := map[string]bool{}, map[string]bool{}
	failed := 0
	for _, j := range c.Screening {
		for _, n := range j.Nodes {
			good[n] = good[n] || j.Verdict == v1alpha1.Pass
		}
		if j.Verdict != v1alpha1.Fail {
			continue
		}
		failed++
		for _, n := range j.Named {
			named[n] = true
		}
	}
	suspects := c.suspects(named)
	if len(suspects) == 0 {
		return 0, 0
	}
	maps.DeleteFunc(good, func(n string, is bool) bool { return !is || suspects[n] || named[n] })
	// Suspects of groups inside an innermost domain find their judges there, the others anywhere.
	inside, judges := map[string]map[string]bool{}, map[string]int{}
	for _, j := range c.Screening {
		if j.Verdict != v1alpha1.Fail || c.depth(j.Nodes) < c.levels() {
			continue
		}
		domain := c.innermost(j.Nodes[0])
		if inside[domain] == nil {
			inside[domain] = map[string]bool{}
		}
		for _, n := range j.Nodes {
			if suspects[n] {
				inside[domain][n] = true
			}
		}
	}
	for n := range good {
		judges[c.innermost(n)]++
	}
	rounds = max(usualRounds, roundsFor(len(suspects), len(good)))
	for domain, of := range inside {
		rounds = max(rounds, roundsFor(len(of), judges[domain]))
	}
	return min(rounds, MaxRounds), 3*len(suspects) + 10*failed
}

// roundsFor is how many rounds suspects need of which each has two judges, and each judge one suspect a round; 0 without judges.
func roundsFor(suspects, judges int) int {
	if judges == 0 {
		return 0
	}
	return (2*suspects+judges-1)/judges + spareRounds
}
