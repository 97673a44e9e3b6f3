package parse

import "time"

const (
	// echoWithin is how far apart in time the ranks of a run may print the same step. They wait for each other in every step, so
	// that only buffers lie between them, while a run that begins anew loads its libraries and a checkpoint first.
	echoWithin = 30 * time.Second
	// echoSteps is by how many steps one rank may be behind another, where nothing says when they were printed.
	echoSteps = 3
)

// same is the place of the step with a number among the last ones of the present attempt; -1 without one.
func (t *trainer) same(tr *Training, number int) int {
	if number < 0 {
		return -1
	}
	for i := len(tr.Steps) - 1; i >= t.base && i >= len(tr.Steps)-recentSteps; i-- {
		if tr.Steps[i].Number == number {
			return i
		}
	}
	return -1
}

// repeats reports whether a step that goes back to an earlier one is the run's that has begun anew: it comes too late for another
// rank's word, or, where the log has no times, it is at or behind the last checkpoint while the run was well beyond it.
func (t *trainer) repeats(tr *Training, s *Step, before Step) bool {
	if t.epochal {
		return false
	}
	if s.At.IsZero() && t.now != nil && !before.At.IsZero() {
		s.At = t.now()
	}
	if !s.At.IsZero() && !before.At.IsZero() {
		return s.At.Sub(before.At) > echoWithin
	}
	last := tr.Steps[len(tr.Steps)-1].Number
	return t.saved > 0 && s.Number <= t.saved+1 && last > s.Number+echoSteps
}

// inEpoch notes that a step's number counts from the beginning of its epoch: the same number in another epoch is another step.
func (t *trainer) inEpoch(l *Log, epoch Measure) {
	if n := stepNumber(epoch.Value); epoch.Seen && n != t.epoch {
		t.epoch, t.base = n, len(l.training().Steps)
	}
	t.epochal = true
}

// whenPrinted is when the present line was printed; the zero time when nothing says so.
func (p *Parser) whenPrinted() time.Time { return p.at(&Profile{}, inBrackets(p.current)) }
