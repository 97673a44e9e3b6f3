package demo

import (
	"fmt"
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// judges is how many known-good partners a suspect is tested with: one alone could be at fault itself.
const judges = 2

// settle tests each node of a failed group again beside nodes that passed. A node that fails beside each of them is named; one that
// passes beside each is cleared. The results of the tests come back as groups that only borrowed their good nodes.
func (t *trial) settle(groups []v1alpha1.GroupResult) (again []v1alpha1.GroupResult, cleared []string) {
	var good []string
	for _, g := range groups {
		if g.Verdict == v1alpha1.Pass {
			good = append(good, g.Nodes...)
		}
	}
	next := 0
	for i := range groups {
		failed := &groups[i]
		if failed.Verdict != v1alpha1.Fail {
			continue
		}
		for _, suspect := range failed.Nodes {
			var beside []string
			against := 0
			for range min(judges, len(good)) {
				partner := good[next%len(good)]
				next++
				g := t.test(job{fmt.Sprintf("settle-%d", len(again)), []string{partner, suspect}})
				slices.Sort(g.Nodes)
				g.Overflow, g.Borrowed, g.FailureLog = true, []string{partner}, nil // it says what the first one said
				again, beside = append(again, g), append(beside, partner)
				if g.Verdict == v1alpha1.Fail {
					against++
				}
			}
			switch {
			case against == judges:
				failed.Blamed = append(failed.Blamed, v1alpha1.NodeReason{Name: suspect,
					Reason: fmt.Sprintf("%s; it failed again beside %s and %s, which pass without it", failed.Message, beside[0], beside[1])})
			case against == 0 && len(beside) == judges:
				cleared = append(cleared, suspect)
			}
		}
	}
	return again, cleared
}
