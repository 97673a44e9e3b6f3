package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Fragments returns those of all that match a run, in the order in which they apply: by order, then by name. One that a
// matching fragment replaces is left out. An error names the fragment and, where it is known, the line.
func Fragments(all []v1alpha1.NamedFragment, f Facts, framework string, numNodes int32) (matching []v1alpha1.NamedFragment, warnings []string, err error) {
	replaced := map[string]bool{}
	for i := range all {
		matched, err := f.matchesFragment(&all[i].Fragment.When, framework, numNodes)
		if err != nil {
			return nil, nil, all[i].Wrong("when", err)
		}
		if w := halfPresent(&all[i], f); w != "" {
			warnings = append(warnings, w)
		}
		if matched {
			matching = append(matching, all[i])
			for _, other := range all[i].Fragment.Replaces {
				replaced[other] = true
			}
		}
	}
	matching = slices.DeleteFunc(matching, func(n v1alpha1.NamedFragment) bool { return replaced[n.Name] })
	slices.SortStableFunc(matching, func(a, b v1alpha1.NamedFragment) int {
		return cmp.Or(cmp.Compare(a.Fragment.Order, b.Fragment.Order), cmp.Compare(a.Name, b.Name))
	})
	return matching, warnings, nil
}

func (f Facts) matchesFragment(w *v1alpha1.FragmentWhen, framework string, numNodes int32) (bool, error) {
	if !w.Platform.Matches(f.Platform) || !w.GPUArchitecture.Matches(f.Architecture) || !w.Framework.Matches(framework) {
		return false, nil
	}
	if r := w.Resources; r != nil {
		has := func(name string) bool { return f.Resources[name] > 0 }
		if !all(r.Present, has) || slices.ContainsFunc(r.Absent, has) {
			return false, nil
		}
	}
	if w.Expression == "" {
		return true, nil
	}
	c, err := v1alpha1.ParseFragmentCondition(w.Expression)
	if err != nil {
		return false, err
	}
	v := f.variables()
	v["framework"], v["numNodes"], v["gpusPerNode"], v["mlnxPerNode"] = framework, int64(numNodes), int64(f.GPUs), int64(f.NICs)
	v["mnnvl"], v["nicResource"], v["resources"] = f.MNNVL, f.NICResource, f.Resources
	if f.Resources == nil {
		v["resources"] = map[string]int64{}
	}
	return c.Holds(v)
}

func all(list []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !holds(s) })
}

// halfPresent warns where a fragment would apply but for nodes that lack a resource which others have: they would do better
// in a run of their own.
func halfPresent(n *v1alpha1.NamedFragment, f Facts) string {
	w := n.Fragment.When
	if w.Resources == nil || !w.Platform.Matches(f.Platform) || !w.GPUArchitecture.Matches(f.Architecture) {
		return ""
	}
	for _, r := range w.Resources.Present {
		if with := f.Partial[r]; with > 0 {
			return fmt.Sprintf("fragment %s does not apply: only %d nodes of the target advertise %s; narrow the target to them to have it", n.Name, with, r)
		}
	}
	return ""
}
