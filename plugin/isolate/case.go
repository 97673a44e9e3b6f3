package isolate

import (
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// pairSize is the size of the groups that settle a suspect: the smallest in which a fabric shows.
const pairSize = 2

// Job is a group that ran, or was to run.
type Job struct {
	Name  string
	Nodes []string
	// Verdict is Unknown also for a job that failed by no fault of any node, such as one that was never scheduled.
	Verdict v1alpha1.Verdict
	// Named are the nodes that evidence of a failed job names.
	Named []string
	// Borrowed are the nodes of an overflow group that belong to another group too.
	Borrowed []string
}

// Case is a run with failed groups and what was done about them.
type Case struct {
	// Screening are the groups of the run itself.
	Screening []Job
	// Rounds are the rounds of isolation so far.
	Rounds [][]Job
	// Place is where each node is in the fabric, outermost domain first, as partition.Node.Place; nil where nobody knows. All
	// places have the same length.
	Place map[string][]string
}

// Group is a group of the next round.
type Group struct {
	// Nodes are sorted by name.
	Nodes []string
	// Why says in a few words what the group is to show.
	Why string
}

// jobs are the isolation's jobs so far, in order.
func (c *Case) jobs() []Job { return slices.Concat(c.Rounds...) }

// suspects returns the nodes of failed groups of the run that no evidence names, by name. A node that was only borrowed for a
// failed group and passed elsewhere is none.
func (c *Case) suspects(named map[string]bool) map[string]bool {
	passed := map[string]bool{}
	for _, j := range c.Screening {
		if j.Verdict == v1alpha1.Pass {
			for _, n := range j.Nodes {
				passed[n] = true
			}
		}
	}
	suspects := map[string]bool{}
	for _, j := range c.Screening {
		if j.Verdict != v1alpha1.Fail {
			continue
		}
		for _, n := range j.Nodes {
			cleared := passed[n] && slices.Contains(j.Borrowed, n)
			if !named[n] && !cleared {
				suspects[n] = true
			}
		}
	}
	return suspects
}
