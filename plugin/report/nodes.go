package report

import (
	"fmt"
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// judgeNodes gives each target node its verdict, sorted by name. Groups are in order. whyInNone is the reason of a node that is in
// no group and not in whyUntested.
func judgeNodes(target []string, whyUntested map[string]string, whyInNone string, groups []v1alpha1.GroupResult) []v1alpha1.NodeResult {
	memberOf := map[string][]*v1alpha1.GroupResult{}
	blame := map[string]string{} // the first evidence against a node
	for i := range groups {
		g := &groups[i]
		for _, node := range slices.Compact(slices.Clone(g.Nodes)) {
			memberOf[node] = append(memberOf[node], g)
		}
		for _, b := range g.Blamed {
			if _, known := blame[b.Name]; !known && g.Verdict != v1alpha1.Pass {
				blame[b.Name] = g.Name + ": " + orElse(b.Reason, describe(g))
			}
		}
	}

	names := slices.Compact(slices.Sorted(slices.Values(target)))
	nodes := make([]v1alpha1.NodeResult, 0, len(names))
	for _, name := range names {
		node := v1alpha1.NodeResult{Name: name, Groups: []string{}}
		for _, g := range memberOf[name] {
			node.Groups = append(node.Groups, g.Name)
		}
		if evidence, blamed := blame[name]; blamed {
			node.Verdict, node.Reason = v1alpha1.Failed, evidence
		} else if node.Verdict, node.Reason = judgeByGroups(name, memberOf[name]); node.Verdict == v1alpha1.Untested {
			node.Reason = orElse(whyUntested[name], whyInNone)
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// longestReason bounds, in runes, what each of a fleet's nodes repeats of the run's message.
const longestReason = 200

// whyInNone is the reason of a target node that is in no group and has no reason of its own: that of the run, if that is why.
func whyInNone(in Input) string {
	switch {
	case len(in.Groups) > 0:
		return "in no group"
	case in.Cause == CausePlanOnly: // its message is the plan
		return "only the plan was asked for"
	case in.Message != "":
		return plain.Cut(in.Message, longestReason)
	case in.Ended != "":
		return plain.Cut("the run was ended before it had groups: "+in.Ended, longestReason)
	case in.Finished != nil:
		return "the run ended before it had groups"
	default:
		return "the run has no groups yet"
	}
}

// whyUntested gives the reasons that single nodes have for being in no group.
func whyUntested(in Input) map[string]string {
	why := map[string]string{}
	if in.Sampled && len(in.Groups) > 0 {
		for _, name := range in.Target {
			why[name] = "the scheduler did not choose it (placement Unpinned)"
		}
	}
	for _, u := range in.Untested {
		why[u.Name] = u.Reason
	}
	return why
}

// judgeByGroups judges a node that no evidence names by the groups that it was in, the worst first.
func judgeByGroups(name string, groups []*v1alpha1.GroupResult) (v1alpha1.NodeVerdict, string) {
	if len(groups) == 0 {
		return v1alpha1.Untested, ""
	}
	passedOne := slices.ContainsFunc(groups, func(g *v1alpha1.GroupResult) bool { return g.Verdict == v1alpha1.Pass })
	var suspect, unknown *v1alpha1.GroupResult
	for _, g := range groups {
		switch {
		case g.Verdict == v1alpha1.Pass:
		case g.Verdict == v1alpha1.Fail && !Blameless(g.Cause):
			cleared := g.Overflow && passedOne && slices.Contains(g.Borrowed, name)
			if len(g.Nodes) == 1 {
				return v1alpha1.Failed, describe(g)
			} else if suspect == nil && !cleared {
				suspect = g
			}
		default:
			if unknown == nil {
				unknown = g
			}
		}
	}
	switch {
	case suspect != nil:
		return v1alpha1.Suspect, describe(suspect)
	case unknown != nil:
		return v1alpha1.NodeUnknown, describe(unknown)
	default:
		return v1alpha1.Passed, ""
	}
}

// placeNodes gives each node its topology domain. A group that lends its domain is one that lies in it as a whole; one that borrows does not.
func placeNodes(nodes []v1alpha1.NodeResult, domains map[string]string, groups []v1alpha1.GroupResult) {
	ofGroup := map[string]string{}
	for _, g := range groups {
		if !g.Overflow {
			ofGroup[g.Name] = g.Domain
		}
	}
	for i := range nodes {
		n := &nodes[i]
		n.Domain = domains[n.Name]
		for _, g := range n.Groups {
			n.Domain = orElse(n.Domain, ofGroup[g])
		}
	}
}

// Blameless says whether a group can fail by this cause through no fault of any node: a full queue, a slow registry, a
// volume that does not attach. Its nodes were not tested, and that is all that is known of them.
func Blameless(cause v1alpha1.Cause) bool {
	switch cause {
	case v1alpha1.CauseUnschedulable, v1alpha1.CauseImagePull, v1alpha1.CauseVolume, v1alpha1.CauseInfrastructure:
		return true
	default:
		return false
	}
}

// describe says in a line how a group ended.
func describe(g *v1alpha1.GroupResult) string {
	what := g.Name + " " + map[v1alpha1.Verdict]string{v1alpha1.Pass: "passed", v1alpha1.Fail: "failed"}[g.Verdict]
	if g.Verdict != v1alpha1.Pass && g.Verdict != v1alpha1.Fail {
		what = g.Name + " could not be judged"
	}
	return what + ": " + orElse(g.Message, orElse(string(g.Cause), "no result was recorded"))
}

// strangers warns of nodes that groups name and the target does not hold: the counts leave them out.
func strangers(nodes []v1alpha1.NodeResult, groups []v1alpha1.GroupResult) []string {
	target := map[string]bool{}
	for _, n := range nodes {
		target[n.Name] = true
	}
	var warnings []string
	for _, g := range groups {
		for _, name := range slices.Compact(slices.Clone(g.Nodes)) {
			if !target[name] {
				warnings = append(warnings, fmt.Sprintf("%s ran on %s, which is not a target node", g.Name, name))
			}
		}
		for _, b := range g.Blamed {
			if !target[b.Name] && !slices.Contains(g.Nodes, b.Name) {
				warnings = append(warnings, fmt.Sprintf("%s: evidence names %s, which is not a target node: %s", g.Name, b.Name, b.Reason))
			}
		}
	}
	return warnings
}

func orElse(s, byDefault string) string {
	if s == "" {
		return byDefault
	}
	return s
}
