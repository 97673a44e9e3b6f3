package isolate

import (
	"fmt"
	"slices"
)

// unsettled says why a suspect is still one.
func (k *knowledge) unsettled(n string) string {
	tried := ""
	switch against := k.against(n); {
	case len(k.passed) == 0 && len(k.fails[n]) > 0:
		return "not settled: fails in " + names(k.fails[n]) + ", and no group passes at all: a limit that nothing meets, or what all nodes have in common, looks the same"
	case k.uncontrolled(n) >= 0 && len(against) < 2:
		tried = "fails in " + names(k.fails[n]) + ", but no pair that spans as much of the fabric passed at all"
	case k.weight(against) >= enough:
		return "not settled: fails with " + k.witnesses(k.fails[n], n) + ", but nothing passes " + k.doubtful(n, against).String() + " at all"
	case len(against) >= 2:
		tried = "fails with " + k.witnesses(k.fails[n], n) + ", who passed too rarely to be sure of them"
	case len(against) == 1 && len(k.passes[n]) > 0:
		return "not settled: fails with " + k.witnesses(k.fails[n], n) + " and passes in " + names(k.passes[n])
	case len(against) == 1:
		tried = "fails with " + k.witnesses(k.fails[n], n) + ", and with no second good node yet"
	case len(k.fails[n]) > 0:
		tried = "fails in " + names(k.fails[n]) + ", in none of them with a good node"
	default:
		tried = "was not tried"
	}
	return "not settled: " + tried + "; " + k.unasked(n)
}

// unasked says what became of the good nodes that have not judged a suspect: there are none, or they had others to judge.
func (k *knowledge) unasked(n string) string {
	if !slices.ContainsFunc(k.nodes, func(p string) bool { return k.good[p] && p != n }) {
		return "no node is known to be good"
	}
	free := k.couldJudge(n)
	if len(free) == 0 {
		return "every good node that it can be paired with has been its partner"
	}
	rounds, jobs := k.c.Bound()
	so := "so far"
	switch {
	case len(k.c.Rounds) >= rounds:
		so = "until the rounds were over"
	case len(k.c.jobs()) >= jobs:
		so = "until the announced groups were used up"
	}
	if len(free) == 1 {
		return fmt.Sprintf("1 good node could still judge it (%s), and was in use for others %s", free[0], so)
	}
	return fmt.Sprintf("%d good nodes could still judge it (%s), and were in use for others %s", len(free), list(free), so)
}

// couldJudge returns the good nodes that withPartner may pair with a suspect, busy or not.
func (k *knowledge) couldJudge(n string) []string {
	for _, depth := range k.depths(n) {
		var all []string
		for _, p := range k.nodes {
			if k.good[p] && !k.met[[2]string{n, p}] && k.pairable(n, p, depth) {
				all = append(all, p)
			}
		}
		if all != nil {
			return all
		}
	}
	return nil
}

// alone is what is to be added where a node uses its way into the fabric by itself: nothing can tell the two apart, and a job with the
// node needs both.
func (k *knowledge) alone(n string) string {
	for level := k.span[n]; level < k.c.levels(); level++ {
		domain := k.c.domain(n, level)
		if !slices.ContainsFunc(k.nodes, func(m string) bool { return m != n && k.c.domain(m, level) == domain }) {
			return "; it is alone in " + domain + ", whose switch would look the same"
		}
	}
	return ""
}
