package resolve

import (
	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// matches says whether a run with these facts satisfies the condition. {} always does; a nil condition is one, which
// Validate refuses where it may not stand. An error is about the expression.
func (f Facts) matches(w *v1alpha1.When) (bool, error) {
	if w == nil {
		return true, nil
	}
	if !w.Platform.Matches(f.Platform) || !w.GPUArchitecture.Matches(f.Architecture) ||
		w.WorkloadKind != "" && w.WorkloadKind != v1alpha1.WorkloadKind || w.Config != nil {
		return false, nil
	}
	if t := w.Topology; t != nil {
		if t.Mode != "" && t.Mode != f.topologyMode() {
			return false, nil
		}
		// Without a topology key there is nothing to count, and no count matches.
		if t.DomainCount != nil && (f.TopologyKey == "" || !t.DomainCount.Matches(f.Domains)) {
			return false, nil
		}
	}
	if w.Expression == "" {
		return true, nil
	}
	c, err := v1alpha1.ParseOverrideCondition(w.Expression)
	if err != nil {
		return false, err
	}
	return c.Holds(f.variables())
}
