package score

import (
	"fmt"

	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// whyNoAverage says why steps that were timed have no average: the profile leaves every one of them out. It is empty where no
// step was timed.
func whyNoAverage(t *parse.Training) string {
	timed, between := 0, 0
	for i := range t.Steps {
		s := &t.Steps[i]
		if !s.TimeSec.Seen || s.TimeSec.Value < 0 {
			continue
		}
		timed++
		if isBetween(t, s) {
			between++
		}
	}
	counting := timed - between
	steps := fmt.Sprintf("all %d timed steps are", counting)
	if counting == 1 {
		steps = "the only timed step that counts is"
	}
	switch {
	case timed == 0:
		return ""
	case counting == 0:
		return fmt.Sprintf("no timed step, of %d, is a multiple of the profile's log interval of %d", timed, t.Interval)
	case t.WarmUpSteps > 0:
		return fmt.Sprintf("%s inside the profile's warm-up of %d steps", steps, t.WarmUpSteps)
	}
	return steps + " warm-up by the profile's pattern"
}

// isBetween: the profile logs every so many steps, and this one stands between two of them.
func isBetween(t *parse.Training, s *parse.Step) bool {
	return t.Interval > 1 && s.Number >= 0 && s.Number%t.Interval != 0
}

// steady are the durations of the steps that count for averages: without those of warm-up, and without those between two
// logged ones. What the profile says holds; where it says nothing, leading steps that are far slower than the median are
// warm-up.
func steady(t *parse.Training, events []parse.Event) []float64 {
	var times []float64
	base, next := -1, 0 // the first step since the last start, and the next event
	marked := t.WarmUpSteps > 0
	for i := range t.Steps {
		s := &t.Steps[i]
		for ; next < len(events) && events[next].Line < s.Line; next++ {
			if k := events[next].Kind; k == parse.CheckpointRestore || k == parse.CheckpointLoaded || k == parse.ApplicationStart && base < 0 {
				base = -1
			}
		}
		if s.Again {
			base = -1
		}
		if isBetween(t, s) {
			continue
		}
		if base < 0 {
			base = s.Number
		}
		marked = marked || s.WarmUp
		warm := s.WarmUp || s.Number >= 0 && s.Number-base < t.WarmUpSteps
		if !warm && s.TimeSec.Seen && s.TimeSec.Value >= 0 {
			times = append(times, s.TimeSec.Value)
		}
	}
	if marked {
		return times
	}
	return afterWarmUp(times)
}
