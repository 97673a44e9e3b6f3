package report

import (
	"fmt"
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// settle gives suspects the verdicts that isolation came to, and names the groups of isolation that each node was in. What
// isolation says of a node that is not a suspect stands back behind what made it something else. It returns the isolation for
// the report.
func settle(in Input, nodes []v1alpha1.NodeResult) *v1alpha1.Isolation {
	if in.Isolation == nil {
		return nil
	}
	isolation := *in.Isolation
	isolation.Groups = orderedGroups(in.Isolation.Groups)
	isolation.Faults = append([]v1alpha1.FabricFault{}, in.Isolation.Faults...)
	at := map[string]int{}
	for i := range nodes {
		at[nodes[i].Name] = i
	}
	blamed := map[string]bool{}
	for _, g := range isolation.Groups {
		for _, name := range g.Nodes {
			if i, is := at[name]; is {
				nodes[i].Groups = append(nodes[i].Groups, g.Name)
			}
		}
		for _, b := range g.Blamed {
			if i, is := at[b.Name]; is && g.Verdict == v1alpha1.Fail && nodes[i].Verdict != v1alpha1.Failed {
				nodes[i].Verdict, nodes[i].Reason = v1alpha1.Failed, g.Name+": "+orElse(b.Reason, describe(&g))
				blamed[b.Name] = true
			}
		}
	}
	for _, s := range in.Settled {
		if i, is := at[s.Name]; is && nodes[i].Verdict == v1alpha1.Suspect && !blamed[s.Name] {
			why := nodes[i].Reason
			if s.Verdict == v1alpha1.Failed {
				why = orElse(convicts(isolation.Groups, s.Name), why)
			}
			nodes[i].Verdict, nodes[i].Reason = s.Verdict, s.Reason+" ("+why+")"
		}
	}
	return &isolation
}

// convicts is how the last group of isolation failed that a node was in: what its first group failed with may have been another node's.
func convicts(groups []v1alpha1.GroupResult, node string) string {
	for i := range slices.Backward(groups) {
		if g := &groups[i]; g.Verdict == v1alpha1.Fail && slices.Contains(g.Nodes, node) {
			return describe(g)
		}
	}
	return ""
}

func isolationTitle(i *v1alpha1.Isolation) string {
	return fmt.Sprintf("Isolation: %s, %s", plural(i.Rounds, "round"), plural(len(i.Groups), "group"))
}

// cleared are the nodes that were suspects and passed: no other node that passed has a reason.
func cleared(nodes []v1alpha1.NodeResult) []v1alpha1.NodeResult {
	return slices.DeleteFunc(slices.Clone(nodes), func(n v1alpha1.NodeResult) bool { return n.Verdict != v1alpha1.Passed || n.Reason == "" })
}

// place names what is at fault between nodes: a part of the fabric, or the two sides of a link.
func place(f v1alpha1.FabricFault) string {
	if f.Domain != "" {
		return f.Domain
	}
	return "link " + NodeList(f.A) + " to " + NodeList(f.B)
}

// isolation shows the rounds, what they found between nodes, and why each suspect that they cleared is one no longer.
func (p *page) isolation(r v1alpha1.Report) {
	if r.Isolation == nil {
		return
	}
	p.section(isolationTitle(r.Isolation))
	for _, g := range r.Isolation.Groups {
		p.row(g.Purpose, cell{"  " + g.Name, 16}, cell{g.Verdict.String(), 7}, cell{p.nodes(g.Nodes, 24), 24})
	}
	for _, f := range r.Isolation.Faults {
		p.line("  ", "fault of the fabric, "+place(f)+": "+f.Reason)
	}
	for _, n := range cleared(r.Nodes) {
		p.line("  ", n.Name+" is cleared: "+n.Reason)
	}
}
