package report

import (
	"cmp"
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// holdToThresholds takes down a group that passes although a threshold of the run was missed (fail) or has no value in it (unknown).
// The step that scores a group should have done so; here it is made sure of.
func holdToThresholds(g *v1alpha1.GroupResult, thresholds []Threshold) {
	if g.Verdict != v1alpha1.Pass {
		return
	}
	for _, t := range thresholds {
		result, found := thresholdOf(g, t)
		switch {
		case found && result.Value != nil && !result.Met:
			g.Verdict, g.Cause, g.Message = v1alpha1.Fail, v1alpha1.CauseThreshold, "threshold "+t.Key+" ("+t.Expression+") was missed"
			return
		case !found || result.Value == nil:
			g.Verdict, g.Cause, g.Message = v1alpha1.Unknown, v1alpha1.CauseIncomplete, "threshold "+t.Key+" ("+t.Expression+") was asked for and nothing was measured"
		}
	}
}

func thresholdOf(g *v1alpha1.GroupResult, t Threshold) (v1alpha1.ThresholdResult, bool) {
	i := slices.IndexFunc(g.Thresholds, func(r v1alpha1.ThresholdResult) bool { return r.Key == t.Key })
	if i < 0 {
		return v1alpha1.ThresholdResult{}, false
	}
	return g.Thresholds[i], true
}

// overallThresholds says for each threshold whether every group met it. Its value is the smallest of the groups that missed it;
// when none did, the smallest of all, and nil unless every group has one.
func overallThresholds(thresholds []Threshold, groups []v1alpha1.GroupResult) []v1alpha1.ThresholdResult {
	overall := make([]v1alpha1.ThresholdResult, 0, len(thresholds))
	for _, t := range thresholds {
		var met, missed []float64
		for i := range groups {
			if r, found := thresholdOf(&groups[i], t); found && r.Value != nil {
				if r.Met {
					met = append(met, *r.Value)
				} else {
					missed = append(missed, *r.Value)
				}
			}
		}
		result := v1alpha1.ThresholdResult{Key: t.Key, Expression: t.Expression, Met: len(groups) > 0 && len(met) == len(groups)}
		if len(missed) > 0 {
			result.Value = new(slices.Min(missed))
		} else if result.Met {
			result.Value = new(slices.Min(met))
		}
		overall = append(overall, result)
	}
	slices.SortStableFunc(overall, func(a, b v1alpha1.ThresholdResult) int { return cmp.Compare(a.Key, b.Key) })
	return overall
}
