package report

import "github.com/seed-95c1acfe/seatrial/api/v1alpha1"

// sign is a verdict as a shape, so that nobody has to tell red from green.
func sign(v v1alpha1.Verdict) string {
	switch v {
	case v1alpha1.Pass:
		return "✓"
	case v1alpha1.Fail:
		return "✕"
	default:
		return "?"
	}
}

// nodeSign is a node's verdict as a shape.
func nodeSign(v v1alpha1.NodeVerdict) string {
	switch v {
	case v1alpha1.Passed:
		return "✓"
	case v1alpha1.Failed:
		return "✕"
	case v1alpha1.Suspect:
		return "!"
	case v1alpha1.Untested:
		return "–"
	default:
		return "?"
	}
}
