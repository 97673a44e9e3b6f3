package report

import (
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/isolate"
)

// Evidence is what a group's result says to isolation. A failure by the fault of no node says nothing, and neither does a group
// that names no nodes.
func Evidence(g v1alpha1.GroupResult) isolate.Job {
	j := isolate.Job{Name: g.Name, Nodes: g.Nodes, Borrowed: g.Borrowed}
	if len(g.Nodes) == 0 || g.Verdict == v1alpha1.Fail && Blameless(g.Cause) {
		return j
	}
	j.Verdict = g.Verdict
	for _, b := range g.Blamed {
		if slices.Contains(g.Nodes, b.Name) {
			j.Named = append(j.Named, b.Name)
		}
	}
	if len(g.Nodes) == 1 && j.Verdict == v1alpha1.Fail {
		j.Named = g.Nodes // it was alone
	}
	return j
}

// Concluded is what isolation came to, as Input takes it: the faults of the fabric and the verdicts of suspects.
func Concluded(c isolate.Conclusion) (faults []v1alpha1.FabricFault, settled []v1alpha1.NodeResult) {
	faults = []v1alpha1.FabricFault{}
	for _, f := range c.Faults {
		faults = append(faults, v1alpha1.FabricFault{Domain: f.Domain, A: f.A, B: f.B, Reason: f.Reason})
	}
	for _, f := range c.Findings {
		settled = append(settled, v1alpha1.NodeResult{Name: f.Node, Verdict: f.Verdict, Reason: "isolation: " + f.Reason})
	}
	return faults, settled
}
