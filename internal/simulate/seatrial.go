package simulate

import (
	"fmt"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/isolate"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

// Opinion is what a method says of a fleet.
type Opinion struct {
	// Rounds and Jobs are all that ran; Screening is how many of the jobs were the first round.
	Rounds, Jobs, Screening int
	// Failed are the nodes that are accused, Suspect those of which nothing is said for sure.
	Failed, Suspect map[string]bool
	// Untested are nodes that no group could hold.
	Untested map[string]bool
	// Faults are those of the fabric.
	Faults []isolate.Fault
	// Case is Seatrial's, nil for other methods.
	Case *isolate.Case
}

// Seatrial cuts a fleet into groups, runs them, and isolates.
func Seatrial(f *Fleet) (Opinion, error) {
	o := Opinion{Rounds: 1, Failed: map[string]bool{}, Suspect: map[string]bool{}}
	options := partition.Options{Size: min(f.Size, len(f.Nodes))}
	nodes := f.Nodes
	if f.Follow {
		options.Keys = keys
	} else {
		nodes = make([]partition.Node, len(f.Nodes))
		for i, n := range f.Nodes {
			nodes[i].Name = n.Name
		}
	}
	cut, err := partition.Cut(nodes, options)
	if err != nil {
		return o, fmt.Errorf("cutting a fleet of %d: %w", len(f.Nodes), err)
	}
	o.Untested = map[string]bool{}
	for _, u := range cut.Untested {
		o.Untested[u.Name] = true
	}
	c := &isolate.Case{Place: f.Place}
	for _, g := range cut.Groups {
		c.Screening = append(c.Screening, isolate.Job{Name: g.Name, Nodes: g.Nodes, Borrowed: g.Borrowed, Verdict: f.Run(g.Nodes)})
	}
	o.Screening = len(c.Screening)
	rounds, jobs := c.Bound()
	for next := c.Next(); len(next) > 0; next = c.Next() {
		var done []isolate.Job
		busy := map[string]bool{}
		for i, g := range next {
			for _, n := range g.Nodes {
				if busy[n] {
					return o, fmt.Errorf("node %s is twice in round %d", n, len(c.Rounds)+1)
				}
				busy[n] = true
			}
			done = append(done, isolate.Job{Name: fmt.Sprintf("isolate-%d-%d", len(c.Rounds)+1, i), Nodes: g.Nodes, Verdict: f.Run(g.Nodes)})
		}
		c.Rounds = append(c.Rounds, done)
		o.Jobs += len(done)
	}
	if len(c.Rounds) > rounds || o.Jobs > jobs {
		return o, fmt.Errorf("%d rounds and %d jobs; at most %d and %d were announced", len(c.Rounds), o.Jobs, rounds, jobs)
	}
	o.Rounds, o.Jobs, o.Case = o.Rounds+len(c.Rounds), o.Jobs+o.Screening, c
	conclusion := c.Conclude()
	o.Faults = conclusion.Faults
	for _, finding := range conclusion.Findings {
		switch finding.Verdict {
		case v1alpha1.Failed:
			o.Failed[finding.Node] = true
		case v1alpha1.Suspect:
			o.Suspect[finding.Node] = true
		case v1alpha1.Passed, v1alpha1.NodeUnknown, v1alpha1.Untested:
		}
	}
	return o, nil
}
