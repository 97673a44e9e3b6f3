package record

import (
	"fmt"
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/isolate"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// Round is one round of isolation: groups that share no node.
type Round struct {
	Groups []partition.Group `json:"groups"`
	// Why says of each group what it is to show.
	Why []string `json:"why"`
}

// All are the groups of the run and of the rounds of isolation, in the order in which they may have their turn.
func (p *Plan) All() []partition.Group {
	all := slices.Clone(p.Groups)
	for _, round := range p.Rounds {
		all = append(all, round.Groups...)
	}
	return all
}

// Case is what isolation has to go by: the results of the groups and of its own rounds so far.
func (p *Plan) Case(groups map[string]Group) *isolate.Case {
	c := &isolate.Case{}
	for _, n := range p.Nodes {
		if len(n.Fabric) > 0 {
			if c.Place == nil {
				c.Place = map[string][]string{}
			}
			c.Place[n.Name] = n.Fabric
		}
	}
	for _, g := range p.Groups {
		c.Screening = append(c.Screening, job(g, groups[g.Name]))
	}
	for _, round := range p.Rounds {
		var jobs []isolate.Job
		for _, g := range round.Groups {
			jobs = append(jobs, job(g, groups[g.Name]))
		}
		if len(jobs) > 0 {
			c.Rounds = append(c.Rounds, jobs)
		}
	}
	return c
}

// job is what a group's recorded result says of its nodes; without one it says nothing.
func job(g partition.Group, state Group) isolate.Job {
	r := v1alpha1.GroupResult{}
	if state.Result != nil {
		r = *state.Result
	}
	r.Name, r.Nodes, r.Borrowed = g.Name, g.Nodes, g.Borrowed
	return report.Evidence(r)
}

// isolation returns what the report says of the rounds and of the nodes that they settled; nil and nil without a round.
func isolation(p Plan, groups map[string]Group) (*v1alpha1.Isolation, []v1alpha1.NodeResult) {
	all := v1alpha1.Isolation{Groups: []v1alpha1.GroupResult{}}
	for _, round := range p.Rounds {
		if len(round.Groups) > 0 {
			all.Rounds++
		}
		for i, g := range round.Groups {
			r := result(g, groups[g.Name])
			if i < len(round.Why) {
				r.Purpose = round.Why[i]
			}
			all.Groups = append(all.Groups, r)
		}
	}
	if all.Rounds == 0 {
		return nil, nil
	}
	faults, settled := report.Concluded(p.Case(groups).Conclude())
	all.Faults = faults
	return &all, settled
}

// Bound says how many rounds and groups isolation takes at most.
func Bound(c *isolate.Case) string {
	rounds, jobs := c.Bound()
	return fmt.Sprintf("at most %d rounds and %d groups", rounds, jobs)
}
