package report

import "github.com/seed-95c1acfe/seatrial/api/v1alpha1"

// htmlIsolation is what the page shows of isolation: what it found first, then how.
type htmlIsolation struct {
	Title   string
	Faults  []htmlFault
	Cleared []v1alpha1.NodeResult
	Trials  []htmlTrial
	// Open: the table of groups is short enough to stand open.
	Open bool
}

// htmlFault is a fault between nodes.
type htmlFault struct{ Place, Reason string }

// htmlTrial is one group of isolation. Why is what speaks against it; empty when it passed.
type htmlTrial struct {
	Name, Nodes, Purpose, Why, Took string
	Verdict                         v1alpha1.Verdict
}

// shownTrials is the number of groups of isolation that a page shows unfolded.
const shownTrials = 16

// isolationView is nil where there was no isolation.
func isolationView(r v1alpha1.Report) *htmlIsolation {
	if r.Isolation == nil {
		return nil
	}
	v := &htmlIsolation{Title: isolationTitle(r.Isolation), Cleared: cleared(r.Nodes), Open: len(r.Isolation.Groups) <= shownTrials}
	for _, f := range r.Isolation.Faults {
		v.Faults = append(v.Faults, htmlFault{place(f), f.Reason})
	}
	for _, g := range r.Isolation.Groups {
		t := htmlTrial{Name: g.Name, Nodes: NodeList(g.Nodes), Purpose: g.Purpose, Verdict: g.Verdict, Took: tookOf(g)}
		if g.Verdict != v1alpha1.Pass {
			t.Why = whyNot(g)
		}
		v.Trials = append(v.Trials, t)
	}
	return v
}
