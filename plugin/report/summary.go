package report

import (
	"fmt"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// maxSummary is the size of the output parameter report, in bytes. Argo keeps every output in the Workflow object, inputs made of it again.
const maxSummary = 4 << 10

// Summary is the report in at most 4 KiB: the verdict, the counts, then the nodes and groups that did not pass, as many as there is room for.
func Summary(r v1alpha1.Report) string {
	lines := []string{
		strings.ToUpper(r.Verdict.String()) + " " + r.Name + because(r),
		tally(r.Counts),
	}
	for _, n := range badNodes(r.Nodes) {
		lines = append(lines, n.Verdict.String()+" "+n.Name+": "+n.Reason)
	}
	for _, g := range r.Groups {
		if g.Verdict != v1alpha1.Pass {
			lines = append(lines, g.Verdict.String()+" "+g.Name+" ("+NodeList(g.Nodes)+"): "+orElse(g.Message, string(g.Cause)))
		}
	}
	if len(r.Thresholds) == 0 {
		lines = append(lines, "no threshold set")
	}

	var s strings.Builder
	const room = 48 // for the line that counts the rest
	for i, line := range lines {
		line = unbrace(plain.Cut(plain.Line(line), 240))
		if s.Len()+len(line)+1 > maxSummary-room {
			fmt.Fprintf(&s, "and %d lines more in the report\n", len(lines)-i)
			break
		}
		s.WriteString(line + "\n")
	}
	return s.String()
}

// unbrace parts opening braces: text that a later task takes as input goes through Argo's template engine.
func unbrace(s string) string {
	for strings.Contains(s, "{{") {
		s = strings.ReplaceAll(s, "{{", "{ {")
	}
	return s
}
