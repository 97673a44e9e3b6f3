package parse

import (
	"slices"
	"time"
)

// Training is what a log shows of the steps of a training. It may have no step: a watchdog's message or a micro-step
// timer shows only that a training ran.
type Training struct {
	// Line is where the training was first seen.
	Line int
	// Steps are the distinct steps in the order of the log, at most 65,536; MoreSteps counts the rest.
	Steps     []Step
	MoreSteps int
	// NaNLine is the first line with a loss that is not a number; 0 without one.
	NaNLine int
	// WarmUpSteps and Interval are the profile's; 0 when it has none.
	WarmUpSteps, Interval int
}

// Step is one step of a training, of all ranks that printed it.
type Step struct {
	Line int
	// Number is -1 when the tool does not print it.
	Number int
	// At is when it was printed, by the kubelet's clock or the program's; the zero time when nothing says so.
	At time.Time
	// WarmUp: a pattern of the profile says so.
	WarmUp bool
	// TimeSec is the duration in seconds, TFLOPs is TFLOP/s for each GPU (the median of the ranks), Loss as printed. Numbers that
	// are not finite are left out.
	TimeSec, TFLOPs, Loss Measure
}

// Measure is a finite number that a line may hold. The zero Measure was not measured.
type Measure struct {
	Value float64
	Seen  bool
}

const (
	maxSteps = 1 << 16
	// recentSteps is how far apart the ranks of a run may print the same step.
	recentSteps = 64
	maxRanks    = 4096
)

// trainer folds what the readers of steps find.
type trainer struct {
	wrapped bool // the last step's values may go on in the next lines
	recent  []rankValues
	place   int  // of the step that the present line told; -1 for none
	started bool // the application began since the last step
	anew    bool // and the next step is not one of those before
	base    int  // the first step since then
}

// rankValues are the throughputs that the ranks printed for one of the last steps. Their median is taken once, when the
// step is no longer among the last ones.
type rankValues struct {
	step   int // place in Training.Steps
	tflops []float64
}

// training returns the log's training, and begins it.
func (l *Log) training() *Training {
	if l.Training == nil {
		l.Training = &Training{Line: l.Lines}
	}
	return l.Training
}

// add folds a step in. A step of the same number among the last ones is another rank's word on it, unless the application
// has begun anew in between.
func (t *trainer) add(l *Log, s Step) {
	tr := l.training()
	s.Line = l.Lines
	if t.anew {
		t.base, t.anew = len(tr.Steps), false
	}
	t.check(l, &s)
	if s.Number >= 0 {
		for i := len(tr.Steps) - 1; i >= t.base && i >= len(tr.Steps)-recentSteps; i-- {
			if tr.Steps[i].Number == s.Number {
				t.merge(&tr.Steps[i], i, s)
				return
			}
		}
	}
	if len(tr.Steps) == maxSteps {
		tr.MoreSteps++
		return
	}
	tr.Steps = append(tr.Steps, s)
	t.place = len(tr.Steps) - 1
	if len(t.recent) == recentSteps {
		t.recent[0].settle(tr)
		t.recent = slices.Delete(t.recent, 0, 1)
	}
	t.recent = append(t.recent, rankValues{step: len(tr.Steps) - 1})
	t.rank(len(tr.Steps)-1, s.TFLOPs)
}

// merge puts what another line says into a step: what it lacked, and one throughput more for the median.
func (t *trainer) merge(into *Step, place int, s Step) {
	t.place = place
	if !into.TimeSec.Seen {
		into.TimeSec = s.TimeSec
	}
	if !into.Loss.Seen {
		into.Loss = s.Loss
	}
	t.rank(place, s.TFLOPs)
}

// rank notes one rank's throughput of a step.
func (t *trainer) rank(place int, tflops Measure) {
	for i := range t.recent {
		if r := &t.recent[i]; r.step == place && tflops.Seen && len(r.tflops) < maxRanks {
			r.tflops = append(r.tflops, tflops.Value)
		}
	}
}

// settle gives the step the median of its ranks.
func (r rankValues) settle(tr *Training) {
	if len(r.tflops) > 0 {
		tr.Steps[r.step].TFLOPs = Measure{median(r.tflops), true}
	}
}

// check takes out what is no number, and remembers where a loss was none.
func (t *trainer) check(l *Log, s *Step) {
	if tr := l.training(); s.Loss.Seen && !finite(s.Loss.Value) && tr.NaNLine == 0 {
		tr.NaNLine = l.Lines
	}
	for _, m := range [...]*Measure{&s.TimeSec, &s.TFLOPs, &s.Loss} {
		if !finite(m.Value) {
			*m = Measure{}
		}
	}
}

// touched is the step that the present line told; nil when it told none.
func (t *trainer) touched(l *Log) *Step {
	if l.Training == nil || t.place < 0 || t.place >= len(l.Training.Steps) {
		return nil
	}
	return &l.Training.Steps[t.place]
}

// told takes a step that an expression read, unless the line has been read already.
func (t *trainer) told(l *Log, m match) {
	if t.touched(l) != nil {
		return
	}
	t.add(l, Step{
		Number:  m.step(),
		TimeSec: m.measure("stepTiming", "elapsedTime"),
		TFLOPs:  m.measure("tflops"),
		Loss:    m.measure("loss"),
	})
}

// last is the step that was added last; nil without one.
func (t *trainer) last(l *Log) *Step {
	if l.Training == nil || len(l.Training.Steps) == 0 || l.Training.MoreSteps > 0 {
		return nil
	}
	return &l.Training.Steps[len(l.Training.Steps)-1]
}

// finish settles the last steps, and drops the steps without a number when others have one: they are the same steps, told twice.
func (t *trainer) finish(l *Log) {
	tr := l.Training
	for _, r := range t.recent {
		r.settle(tr)
	}
	if tr == nil || !slices.ContainsFunc(tr.Steps, func(s Step) bool { return s.Number >= 0 }) {
		return
	}
	tr.Steps = slices.DeleteFunc(tr.Steps, func(s Step) bool { return s.Number < 0 })
}

// median is the middle value, or the mean of the two; values are not changed.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
