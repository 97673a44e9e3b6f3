package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Several runs in one workflow are its stages, such as those of a certification.

// Order puts the reports of one workflow in the order in which their runs began; a run that has not begun is last.
func Order(reports []v1alpha1.Report) {
	slices.SortStableFunc(reports, func(a, b v1alpha1.Report) int {
		switch {
		case a.Started != nil && b.Started != nil && !a.Started.Equal(*b.Started):
			return a.Started.Compare(*b.Started)
		case (a.Started == nil) != (b.Started == nil):
			if a.Started == nil {
				return 1
			}
			return -1
		}
		return cmp.Or(strings.Compare(a.Stage, b.Stage), strings.Compare(a.Scope, b.Scope))
	})
}

// Overall is the verdict of several runs: fail if one failed, else unknown if one could not be told or is not over, else pass.
// Of no run it is unknown.
func Overall(reports []v1alpha1.Report) v1alpha1.Verdict {
	worst := v1alpha1.Pass
	if len(reports) == 0 {
		worst = v1alpha1.Unknown
	}
	for _, r := range reports {
		switch {
		case r.Finished == nil:
		case r.Verdict == v1alpha1.Fail:
			return v1alpha1.Fail
		case r.Verdict == v1alpha1.Pass:
			continue
		}
		worst = v1alpha1.Unknown
	}
	return worst
}

// stageOf is what tells a run from the others of its workflow; empty for the only one.
func stageOf(r v1alpha1.Report) string {
	if r.Stage == "" && r.Scope != "" {
		return "scope " + r.Scope
	}
	return r.Stage
}

// WriteAllText writes reports one after the other, as WriteText does. After several there is an account of all, which ends as one report
// does: the verdict, the count of the nodes, and those that did not pass every stage that they were in.
func WriteAllText(w io.Writer, columns int, reports ...v1alpha1.Report) error {
	for i, r := range reports {
		if i > 0 {
			if _, err := io.WriteString(w, "\n\n"); err != nil {
				return fmt.Errorf("writing the report: %w", err)
			}
		}
		if err := WriteText(w, r, columns); err != nil {
			return err
		}
	}
	if len(reports) < 2 {
		return nil
	}
	p := page{columns: columns}
	p.text("")
	p.section("All stages")
	for _, r := range reports {
		p.row(shortTally(r.Counts), cell{"  " + orElse(stageOf(r), r.Name), 16}, cell{r.Verdict.String(), 7})
	}
	p.section(strings.ToUpper(Overall(reports).String()) + ": " + account(reports))
	nodes := everyStage(reports)
	p.line("", tally(count(nodes, 0)))
	for _, n := range badNodes(nodes) {
		p.row(n.Reason, cell{"  " + n.Verdict.String(), 10}, cell{n.Name, 22})
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// account counts the stages by what they say.
func account(reports []v1alpha1.Report) string {
	var parts []string
	for _, kind := range []struct {
		word string
		of   v1alpha1.Verdict
	}{{"failed", v1alpha1.Fail}, {"could not be told", v1alpha1.Unknown}, {"passed", v1alpha1.Pass}} {
		var names []string
		for _, r := range reports {
			if r.Verdict == kind.of {
				names = append(names, orElse(stageOf(r), r.Name))
			}
		}
		if len(names) > 0 {
			parts = append(parts, kind.word+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// shortTally is tally without what there is none of.
func shortTally(c v1alpha1.Counts) string {
	text := plural(c.Target, "node")
	sep := ": "
	for _, n := range countsOf(c) {
		if n.N > 0 {
			text += fmt.Sprintf("%s%d %s", sep, n.N, n.Verdict)
			sep = ", "
		}
	}
	return text
}

// everyStage gives each node of any stage the worst verdict that a stage has on it, with that stage and its reason. A node that a later
// stage left out, since it did not pass an earlier one, has the verdict of that one.
func everyStage(reports []v1alpha1.Report) []v1alpha1.NodeResult {
	rank := map[v1alpha1.NodeVerdict]int{v1alpha1.Passed: 1, v1alpha1.Untested: 2, v1alpha1.NodeUnknown: 3, v1alpha1.Suspect: 4, v1alpha1.Failed: 5}
	at := map[string]int{}
	var nodes []v1alpha1.NodeResult
	for _, r := range reports {
		for _, n := range r.Nodes {
			n.Reason = strings.TrimSuffix(orElse(stageOf(r), r.Name)+": "+n.Reason, ": ")
			i, seen := at[n.Name]
			switch {
			case !seen:
				at[n.Name] = len(nodes)
				nodes = append(nodes, n)
			case rank[n.Verdict] > rank[nodes[i].Verdict]:
				nodes[i] = n
			}
		}
	}
	slices.SortStableFunc(nodes, func(a, b v1alpha1.NodeResult) int { return byNumber(a.Name, b.Name) })
	return nodes
}
