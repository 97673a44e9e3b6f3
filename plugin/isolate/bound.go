package isolate

import "github.com/seed-95c1acfe/seatrial/api/v1alpha1"

// Bound returns the most rounds and jobs that the isolation of a case can take, before the first of them is known: three jobs
// for each suspect and ten for each failed group. It depends on the groups of the run alone, so that it does
// not change from round to round. Both are 0 when there is no suspect.
func (c *Case) Bound() (rounds, jobs int) {
	named := map[string]bool{}
	failed := 0
	for _, j := range c.Screening {
		if j.Verdict != v1alpha1.Fail {
			continue
		}
		failed++
		for _, n := range j.Named {
			named[n] = true
		}
	}
	suspects := len(c.suspects(named))
	if suspects == 0 {
		return 0, 0
	}
	return MaxRounds, 3*suspects + 10*failed
}
