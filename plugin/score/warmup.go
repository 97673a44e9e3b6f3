package score

import "github.com/seed-95c1acfe/seatrial/plugin/parse"

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
		between := t.Interval > 1 && s.Number >= 0 && s.Number%t.Interval != 0
		if between {
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
