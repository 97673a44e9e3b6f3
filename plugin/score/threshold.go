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
		return t.AvgTFLOPsPerGPU
	}
	return nil
}

// Missing says why a threshold has no value: the log does not hold it, or its expression cannot be evaluated for what it holds.
func Missing(t v1alpha1.ThresholdResult, s v1alpha1.LogScore) string {
	if v := measured(t.Key, s); v != nil {
		return fmt.Sprintf("the threshold %s cannot be evaluated: %s has no answer for %.4g", t.Key, t.Expression, *v)
	}
	text := fmt.Sprintf("the threshold %s needs a value that the log does not hold", t.Key)
	if s.Training != nil {
		problem := map[string]string{v1alpha1.KeyStepTime: s.Training.AvgProblem, v1alpha1.KeyGoodput: s.Training.GoodputProblem}[t.Key]
		if problem != "" {
			text += ": " + problem
		}
	}
	return text
}

// average is nil for no value.
func average(values []float64) *float64 { return averageWith(values, 0, 0) }

// averageWith is that of values and of so many more that have a sum; nil for none.
func averageWith(values []float64, sum float64, more int) *float64 {
	n := len(values) + more
	if n == 0 {
		return nil
	}
	for _, v := range values {
		sum += v
	}
	m := sum / float64(n)
	return &m
}
