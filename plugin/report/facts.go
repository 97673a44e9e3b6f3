package report

import (
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// fact is one line about a group that did not pass.
type fact struct{ Name, Text string }

// facts are what speaks against a group beside its message, in the order in which a reader wants them: its nodes, the evidence against
// any of them, the thresholds that it did not meet, the sshds that did not answer.
func facts(g v1alpha1.GroupResult) []fact {
	all := []fact{{"nodes", NodeList(g.Nodes)}}
	if len(g.Borrowed) > 0 {
		all = append(all, fact{"of these borrowed", NodeList(g.Borrowed)})
	}
	for _, b := range g.Blamed {
		all = append(all, fact{"evidence against " + b.Name, b.Reason})
	}
	for _, t := range g.Thresholds {
		if !t.Met {
			all = append(all, fact{"threshold " + t.Key + " " + t.Expression, outcome(t)})
		}
	}
	for _, p := range g.Probe {
		if p.State != v1alpha1.ProbeReady {
			all = append(all, fact{"sshd of " + orElse(p.Node, p.Target), strings.TrimSuffix(string(p.State)+", "+p.Reason, ", ")})
		}
	}
	return all
}

// whyNot is the message of a group that did not pass, or what can be said without one.
func whyNot(g v1alpha1.GroupResult) string { return orElse(g.Message, "no result was recorded") }

// titleOf names a run, with its stage when it is one of several in a workflow.
func titleOf(r v1alpha1.Report) string {
	name := orElse(r.Name, orElse(r.Workflow, "a run without a name"))
	if stage := stageOf(r); stage != "" {
		name += " (" + stage + ")"
	}
	return name
}

// notPassed are the groups that did not pass, those that failed first.
func notPassed(groups []v1alpha1.GroupResult) []v1alpha1.GroupResult {
	var failed, unknown []v1alpha1.GroupResult
	for _, g := range groups {
		switch g.Verdict {
		case v1alpha1.Pass:
		case v1alpha1.Fail:
			failed = append(failed, g)
		default:
			unknown = append(unknown, g)
		}
	}
	return append(failed, unknown...)
}
