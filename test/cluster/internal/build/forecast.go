package build

import "time"

// forecast guesses how long the rest of a build takes: the known cold time of each step, times how fast this machine has
// been with the steps it did.
type forecast struct {
	pending        []step
	expected, took time.Duration // of the steps that were run
}

func newForecast(steps []step) *forecast {
	out := &forecast{}
	for _, step := range steps {
		if !step.done() {
			out.pending = append(out.pending, step)
		}
	}
	return out
}

// pace is how much longer than expected the finished steps took: 1 before the first. Steps too short to tell (under ten
// seconds together) do not move it.
func (f *forecast) pace() float64 {
	if f.expected < 10*time.Second {
		return 1
	}
	return float64(f.took) / float64(f.expected)
}

// step guesses what is left of a step that has run for the time gone. A step beyond its guess is taken to be nearly done:
// a tenth of what is gone is left.
func (f *forecast) step(s step, gone time.Duration) time.Duration {
	return max(time.Duration(float64(s.cold)*f.pace())-gone, gone/10)
}

// left guesses what is left of everything.
func (f *forecast) left(current step, gone time.Duration) time.Duration {
	out := f.step(current, gone)
	for _, step := range f.pending {
		if step.name != current.name {
			out += f.step(step, 0)
		}
	}
	return out
}

// finish takes note of a step that was run.
func (f *forecast) finish(done step, took time.Duration) {
	f.expected, f.took = f.expected+done.cold, f.took+took
	for i, step := range f.pending {
		if step.name == done.name {
			f.pending = append(f.pending[:i:i], f.pending[i+1:]...)
			return
		}
	}
}
