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
	// Steps are the distinct steps in the order of the log, at most 65,536: the first ones and the last 64. MoreSteps counts those
	// between them, and More is what they measured.
	Steps     []Step
	MoreSteps int
	More      Sums
	// NaNLine is the first line with a loss that is not a number, or that counts iterations with such a loss; 0 without one.
	NaNLine int
	// NaNLast: the last loss is not a number.
	NaNLast bool
	// BadLine is the first line of a step in which an expression of the user's captured a value that cannot be read; 0 without one.
	BadLine int
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
	// Again: the run has begun anew with this step, as its number and its time show. Where a line says so, an Event does.
	Again bool
	// TimeSec is the duration in seconds, TFLOPs is TFLOP/s for each GPU (the median of the ranks), Loss as printed. Numbers that
	// are not finite are left out.
	TimeSec, TFLOPs, Loss Measure
}

// Sums are what many steps measured, all together: seconds and TFLOP/s for each GPU, of so many steps that told of them.
type Sums struct {
	Timed, Rated    int
	TimeSec, TFLOPs float64
}

// Measure is a finite number that a line may hold. The zero Measure was not measured.
type Measure struct {
	Value float64
	Seen  bool
}

const (
	// maxSteps are kept, in 8 MiB: a day and a half of steps of two seconds.
	maxSteps = 1 << 16
	// recentSteps is how far apart the ranks of a run may print the same step.
	recentSteps = 64
	maxRanks    = 4096
)

// trainer folds what the readers of steps find.
type trainer struct {
	wrapped bool // the last step's values may go on in the next lines
	recent  []rankValues
	place   int              // of the step that the present line told; -1 for none
	started bool             // the application began since the last step
	anew    bool             // and the next step is not one of those before
	base    int              // the first step since then
	counted bool             // some step has a number
	saved   int              // the step of the last checkpoint; 0 before the first
	epoch   int              // of the last progress bar
	epochal bool             // the present step is counted from its epoch's beginning
	now     func() time.Time // of the present line; the zero time when it has none
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

// add folds a step in. A step of the same number among the last ones is another rank's word on it, unless the run has begun
// anew in between.
func (t *trainer) add(l *Log, s Step) {
	tr := l.training()
	s.Line = l.Lines
	began := t.anew
	if t.anew {
		t.base, t.anew = len(tr.Steps), false
	}
	t.check(l, &s)
	if t.pair(tr, &s) {
		return
	}
	if same := t.same(tr, s.Number); same >= 0 {
		if !t.repeats(tr, &s, tr.Steps[same]) {
			t.merge(&tr.Steps[same], same, s)
			return
		}
		s.Again = true
	} else if n := len(tr.Steps); n > 0 && !began && !t.epochal && s.Number >= 0 && s.Number < tr.Steps[n-1].Number {
		s.Again = t.repeats(tr, &s, tr.Steps[n-1])
	}
	if s.Again {
		t.base = len(tr.Steps)
	}
	if s.Number >= 0 && !t.counted {
		t.counted, tr.MoreSteps, tr.More = true, 0, Sums{}
	}
	if len(t.recent) == recentSteps {
		t.recent[0].settle(tr)
		if len(tr.Steps) == maxSteps {
			t.fold(tr)
		}
		t.recent = slices.Delete(t.recent, 0, 1)
	}
	if n := len(tr.Steps); n == cap(tr.Steps) && n >= maxSteps/8 {
		tr.Steps = slices.Grow(tr.Steps, maxSteps-n) // once, instead of leaving many that are nearly as long
	}
	tr.Steps = append(tr.Steps, s)
	t.place = len(tr.Steps) - 1
	t.recent = append(t.recent, rankValues{step: len(tr.Steps) - 1})
	t.rank(len(tr.Steps)-1, s.TFLOPs)
}

// fold puts the earliest of the last steps, of which no rank will say more, into the sums. One without a number counts only where
// none has one: it is the same as one that has.
func (t *trainer) fold(tr *Training) {
	place := t.recent[0].step
	if s := &tr.Steps[place]; s.Number >= 0 || !t.counted {
		tr.MoreSteps++
		tr.More.add(s)
	}
	tr.Steps = slices.Delete(tr.Steps, place, place+1)
	for i := range t.recent {
		t.recent[i].step--
	}
	if t.base > place {
		t.base--
	}
}

// add takes a step in. Steps of warm-up are in no average, and less than nothing is no measurement.
func (m *Sums) add(s *Step) {
	if s.TimeSec.Seen && s.TimeSec.Value >= 0 && !s.WarmUp {
		m.Timed++
		m.TimeSec += s.TimeSec.Value
	}
	if s.TFLOPs.Seen && s.TFLOPs.Value >= 0 {
		m.Rated++
		m.TFLOPs += s.TFLOPs.Value
	}
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
	if tr := l.training(); s.Loss.Seen {
		if tr.NaNLast = !finite(s.Loss.Value); tr.NaNLast && tr.NaNLine == 0 {
			tr.NaNLine = l.Lines
		}
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

// told takes a step that an expression read, and when; of a line that has been read already only the time is new.
func (t *trainer) told(l *Log, m match, at time.Time) {
	if s := t.touched(l); s != nil {
		if s.At.IsZero() {
			s.At = at
		}
		return
	}
	if m.unread() && l.training().BadLine == 0 {
		l.training().BadLine = l.Lines
	}
	t.add(l, Step{
		At:      at,
		Number:  m.step(),
		TimeSec: m.measure("stepTiming", "elapsedTime"),
		TFLOPs:  m.measure("tflops"),
		Loss:    m.measure("loss"),
	})
}

// last is the step that was added last; nil without one.
func (t *trainer) last(l *Log) *Step {
	if l.Training == nil || len(l.Training.Steps) == 0 {
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
