package score

import (
	"fmt"
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// Bounds for what the times of steps say. Public runs show why they are needed: the first steps of a MaxText run take up
// to 17 times as long, and a Megatron run that went bad slowed down by 45 % over 60 steps.
const (
	// warmUpFactor: a leading step that takes longer than this times the median is warm-up.
	warmUpFactor = 1.5
	// driftSteps is the fewest steps for which a drift is computed, driftMany those for which medians alone decide, and
	// driftFails the drift that is a fault.
	driftSteps = 8
	driftMany  = 40
	driftFails = 0.2
)

// training is what the steps of a log measured.
func training(log parse.Log) *v1alpha1.Training {
	t := log.Training
	out := &v1alpha1.Training{MoreSteps: t.MoreSteps}
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Number >= 0 {
			if len(out.Steps) == 0 {
				out.Steps = []int{s.Number, s.Number}
			}
			out.Steps[1] = s.Number
		}
		if s.TimeSec.Seen && s.TimeSec.Value >= 0 {
			out.StepTimesSec = append(out.StepTimesSec, s.TimeSec.Value)
		}
		if s.TFLOPs.Seen && s.TFLOPs.Value >= 0 {
			out.TFLOPsPerGPU = append(out.TFLOPsPerGPU, s.TFLOPs.Value)
		}
		if s.Loss.Seen && !t.NaNLast {
			out.LossLast = &s.Loss.Value
		}
	}
	out.AvgTFLOPsPerGPU = averageWith(out.TFLOPsPerGPU, t.More.TFLOPs, t.More.Rated)
	times := steady(t, log.Events)
	switch {
	case t.MoreSteps == 0:
		out.AvgStepTimeSec, out.Drift, out.GoodputRatio = average(times), drift(times), goodput(t, log.Events)
		if out.AvgStepTimeSec == nil {
			out.AvgProblem = whyNoAverage(t)
		}
		if out.GoodputRatio == nil {
			out.GoodputProblem = whyNoGoodput(t)
		}
	case t.Interval > 1: // which of the others stand between two logged ones, the sums do not tell
		out.AvgProblem, out.GoodputProblem = tooMany(t), tooMany(t)
	default:
		out.AvgStepTimeSec, out.GoodputProblem = averageWith(times, t.More.TimeSec, t.More.Timed), tooMany(t)
	}
	return out
}

// tooMany says what a log with more steps than are kept cannot tell: how they changed and where the time between them went.
func tooMany(t *parse.Training) string {
	return fmt.Sprintf("the log holds more than %d steps, beyond which only sums are kept", len(t.Steps))
}

// afterWarmUp leaves out the leading steps that are far slower than the median, when there are enough to tell.
func afterWarmUp(times []float64) []float64 {
	const enough = 5
	if len(times) < enough {
		return times
	}
	limit := warmUpFactor * median(times)
	for len(times) > enough && times[0] > limit {
		times = times[1:]
	}
	return times
}

// drift is the relative growth from the median of the first quarter to that of the last; nil for too few steps.
func drift(times []float64) *float64 {
	first, last, ok := ends(times)
	if !ok || median(first) <= 0 {
		return nil
	}
	d := round(median(last)/median(first) - 1)
	return &d
}

// ends are the first and the last quarter; not ok for too few steps.
func ends(times []float64) (first, last []float64, ok bool) {
	if len(times) < driftSteps {
		return nil, nil, false
	}
	quarter := len(times) / 4
	return times[:quarter], times[len(times)-quarter:], true
}

// drifted reports whether the steps became slower as a whole: by the medians, and for few steps, where a single slow one
// moves a median, only when every late step is slower than every early one.
func drifted(times []float64) bool {
	d := drift(times)
	if d == nil || *d <= driftFails {
		return false
	}
	first, last, _ := ends(times)
	return len(times) >= driftMany || slices.Min(last) > slices.Max(first)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// judgeTraining says what speaks against a training: a loss that is not a number, steps that become slower and slower.
// A training without such a finding is not judged by its log: the exit of its job and the thresholds decide.
func judgeTraining(log parse.Log) []finding {
	t := log.Training
	var findings []finding
	if t.NaNLine > 0 {
		findings = append(findings, finding{cause: v1alpha1.CauseNaNLoss, fails: true, weight: specific, line: t.NaNLine,
			reason: fmt.Sprintf("line %d: the loss is not a number", t.NaNLine)})
	}
	if t.BadLine > 0 {
		findings = append(findings, finding{cause: v1alpha1.CauseIncomplete, weight: incomplete, line: t.BadLine,
			reason: fmt.Sprintf("line %d: a value that the profile captures cannot be read", t.BadLine)})
	}
	if t.MoreSteps > 0 {
		return findings
	}
	if times := steady(t, log.Events); drifted(times) {
		findings = append(findings, finding{cause: v1alpha1.CauseSlowDrift, fails: true, weight: shape, line: t.Line,
			reason: fmt.Sprintf("line %d: from the first quarter of the steps to the last, a step became %.0f %% slower", t.Line, *drift(times)*100)})
	}
	return findings
}
