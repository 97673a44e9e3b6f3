package demo

import (
	"fmt"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/isolate"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// settle runs rounds of isolation until no suspect is left that a further one could settle. It returns what the report says of
// them, and the verdicts that they came to; nil and nil where there was nothing to settle.
func (t *trial) settle(groups []v1alpha1.GroupResult) (*v1alpha1.Isolation, []v1alpha1.NodeResult) {
	c := isolate.Case{Place: t.fleet.places()}
	for _, g := range groups {
		c.Screening = append(c.Screening, report.Evidence(g))
	}
	all := v1alpha1.Isolation{Groups: []v1alpha1.GroupResult{}}
	for next := c.Next(); len(next) > 0; next = c.Next() {
		all.Rounds++
		t.nextRound()
		var jobs []isolate.Job
		for i, g := range next {
			r := t.test(job{fmt.Sprintf("isolate-%d-%d", all.Rounds, i+1), g.Nodes})
			r.Purpose = g.Why
			all.Groups = append(all.Groups, r)
			jobs = append(jobs, report.Evidence(r))
		}
		c.Rounds = append(c.Rounds, jobs)
	}
	if all.Rounds == 0 {
		return nil, nil
	}
	faults, settled := report.Concluded(c.Conclude())
	all.Faults = faults
	return &all, settled
}

// nextRound lets the jobs of a round begin when all of the round before have ended: their choice follows from those.
func (t *trial) nextRound() {
	last := t.free[0]
	for _, end := range t.free {
		if end.After(last) {
			last = end
		}
	}
	for i := range t.free {
		t.free[i] = last
	}
}
