package score

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// goodput is the share of a training's time in which it made progress that lasted; nil when the log does not say when its
// steps were. It is the formula of the Cluster Readiness Engine, all in seconds:
//
//	(wall - lost - resume - away - save) / (wall - away)
//
// wall is the time from the first step to the last sign of life. At every interruption, lost is the work since the last
// checkpoint, or where none is told since the step from which the run goes on, or the first (the Engine counts nothing then);
// away lasts until the application starts again, or until its next step where nothing says when; resume from there to its next
// step. save is every pause for a checkpoint, not only the last of a minute. The time from the first start to the first step
// counts as resume too, as there. It is 0 when nothing lasted, which is a value.
func goodput(t *parse.Training, events []parse.Event) *float64 {
	c := clock{}
	for _, m := range timeline(t, events) {
		c.read(m)
	}
	wall := c.last.Sub(c.first)
	if c.first.IsZero() || wall <= 0 {
		return nil
	}
	share := 0.0
	if most := wall - c.away; most > 0 {
		share = max(0, round((wall-c.lost-c.resume-c.away-c.save).Seconds()/most.Seconds()))
	}
	return &share
}

// whyNoGoodput says why steps have no goodput; it is empty for none.
func whyNoGoodput(t *parse.Training) string {
	dated := 0
	for i := range t.Steps {
		if !t.Steps[i].At.IsZero() {
			dated++
		}
	}
	switch {
	case len(t.Steps) == 0:
		return ""
	case dated == 0:
		return "the log does not say when its steps were"
	}
	return "no time passed between the steps of which the log says when they were"
}

// moment is a step or an event.
type moment struct {
	at    time.Time
	event parse.Event // its kind is empty for a step
	again bool        // a step with which the run has begun anew
}

// timeline puts steps and events in the order of their times, then of their lines. A checkpoint of which nothing says when it was is
// as late as the step before it in the log, and a start as the step after it; what has neither is left out.
func timeline(t *parse.Training, events []parse.Event) []moment {
	var all []moment
	for i := range t.Steps {
		if s := &t.Steps[i]; !s.At.IsZero() {
			all = append(all, moment{s.At, parse.Event{Line: s.Line, Step: s.Number}, s.Again})
		}
	}
	steps := all
	for _, e := range events {
		if e.At.IsZero() {
			e.At = beside(steps, e)
		}
		if !e.At.IsZero() {
			all = append(all, moment{at: e.At, event: e})
		}
	}
	slices.SortStableFunc(all, func(a, b moment) int { return cmp.Or(a.at.Compare(b.at), a.event.Line-b.event.Line) })
	return all
}

// beside is when the step beside an event in the same log was; the zero time for none.
func beside(steps []moment, e parse.Event) time.Time {
	if e.Line == 0 {
		return time.Time{}
	}
	next, _ := slices.BinarySearchFunc(steps, e.Line, func(m moment, line int) int { return m.event.Line - line })
	switch saves := e.Kind == parse.CheckpointSave || e.Kind == parse.CheckpointDone; {
	case saves && next > 0:
		return steps[next-1].at
	case !saves && next < len(steps):
		return steps[next].at
	}
	return time.Time{}
}

// clock adds up where the time of a training went.
type clock struct {
	first, last time.Time // of the steps; last is moved on by checkpoints too
	saved       time.Time // the last checkpoint that is whole
	saving      time.Time // one that has begun
	started     time.Time // the application began, and no step since
	restored    bool      // a checkpoint was restored since the last step
	step        int       // the last one's number
	attempt     []moment  // its steps

	lost, resume, away, save time.Duration
}

func (c *clock) read(m moment) {
	switch m.event.Kind {
	case "":
		c.stepped(m)
	case parse.ApplicationStart:
		if c.started.IsZero() {
			c.started = m.at
		}
	case parse.CheckpointRestore, parse.CheckpointLoaded:
		if c.started.IsZero() {
			c.started = m.at
		}
		c.restored = true
	case parse.CheckpointSave:
		if m.event.Seconds.Seen {
			c.save += time.Duration(m.event.Seconds.Value * float64(time.Second))
			c.saved = m.at
		} else {
			c.saving = m.at
		}
		c.alive(m.at)
	case parse.CheckpointDone:
		if !c.saving.IsZero() {
			c.save += m.at.Sub(c.saving)
			c.saved, c.saving = m.at, time.Time{}
		}
		c.alive(m.at)
	}
}

func (c *clock) alive(at time.Time) {
	if !c.first.IsZero() {
		c.last = at
	}
}

// stepped: an interruption lies before a step that follows a restored checkpoint, or that was taken before. A start alone is
// none: NeMo's pattern for it fits every line. Where nothing says when the application began again, it did with that step.
func (c *clock) stepped(m moment) {
	again := m.again || c.restored || !c.started.IsZero() && m.event.Step >= 0 && m.event.Step <= c.step
	switch {
	case c.first.IsZero():
		c.first = m.at
		if !c.started.IsZero() {
			c.resume += m.at.Sub(c.started)
		}
	case again:
		from := c.saved
		if from.IsZero() {
			from = c.reached(m.event.Step)
		}
		if c.started.IsZero() {
			c.started = m.at
		}
		c.lost += max(0, c.last.Sub(from))
		c.away += max(0, c.started.Sub(c.last))
		c.resume += m.at.Sub(c.started)
		c.saved, c.saving = m.at, time.Time{} // what was lost is not lost twice
		c.attempt = nil
	}
	c.attempt = append(c.attempt, m)
	c.last, c.step = m.at, m.event.Step
	c.started, c.restored = time.Time{}, false
}

// reached is when the attempt had come to a step from which the next one goes on; its beginning, when it never had.
func (c *clock) reached(step int) time.Time {
	for _, m := range slices.Backward(c.attempt) {
		if 0 <= m.event.Step && m.event.Step < step {
			return m.at
		}
	}
	return c.first
}
