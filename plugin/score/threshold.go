package score

import (
	"fmt"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Thresholds evaluates every threshold on what a log measured. A value that is missing is nil, and not met; so is one for
// which the expression cannot be evaluated, which proves nothing against the nodes.
func Thresholds(thresholds []v1alpha1.Threshold, s v1alpha1.LogScore) []v1alpha1.ThresholdResult {
	results := make([]v1alpha1.ThresholdResult, 0, len(thresholds))
	for _, t := range thresholds {
		r := v1alpha1.ThresholdResult{Key: t.Key, Expression: t.Expression, Value: measured(t.Key, s)}
		if r.Value != nil {
			met, err := t.Met(*r.Value)
			r.Met = met && err == nil
			if err != nil {
				r.Value = nil
			}
		}
		results = append(results, r)
	}
	return results
}

// measured is the value that a threshold's key names; nil when the log does not hold it.
func measured(key string, s v1alpha1.LogScore) *float64 {
	switch b, t := s.Bandwidth, s.Training; {
	case b != nil && key == v1alpha1.KeyBusBandwidth:
		return b.BusBandwidthGBps
	case b != nil && key == v1alpha1.KeyAlgBandwidth:
		return b.AlgBandwidthGBps
	case t != nil && key == v1alpha1.KeyGoodput:
		return t.GoodputRatio
	case t != nil && key == v1alpha1.KeyStepTime:
		return t.AvgStepTimeSec
	case t != nil && key == v1alpha1.KeyTFLOPs:
		return average(t.TFLOPsPerGPU)
	}
	return nil
}

// Missing says why a threshold has no value: the log does not hold it, or its expression cannot be evaluated for what it holds.
func Missing(t v1alpha1.ThresholdResult, s v1alpha1.LogScore) string {
	if v := measured(t.Key, s); v != nil {
		return fmt.Sprintf("the threshold %s cannot be evaluated: %s has no answer for %.4g", t.Key, t.Expression, *v)
	}
	text := fmt.Sprintf("the threshold %s needs a value that the log does not hold", t.Key)
	if t.Key == v1alpha1.KeyStepTime && s.Training != nil && s.Training.AvgProblem != "" {
		text += ": " + s.Training.AvgProblem
	}
	return text
}

// average is nil for no value.
func average(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	return &mean
}
