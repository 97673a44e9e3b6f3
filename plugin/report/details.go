package report

import (
	"fmt"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// logLines is how much of a failure log a page shows; the JSON report has all that was kept.
const logLines = 12

// details shows why groups did not pass: cause, message, nodes that evidence names, missed thresholds, sshds, the end of the log.
func (p *page) details(groups []v1alpha1.GroupResult) {
	for _, g := range groups {
		if g.Verdict == v1alpha1.Pass {
			continue
		}
		title := "Details of " + g.Name + ": " + g.Verdict.String()
		if g.Cause != "" {
			title += " (" + string(g.Cause) + ")"
		}
		p.section(title)
		p.line("  ", whyNot(g))
		for _, f := range facts(g) {
			p.line("  ", f.Name+": "+f.Text)
		}
		p.failureLog(g.FailureLog)
	}
}

func (p *page) failureLog(log *v1alpha1.FailureLog) {
	if log == nil {
		return
	}
	lines := logLinesOf(log.Tail)
	if len(lines) == 0 {
		return
	}
	p.line("  ", fmt.Sprintf("log of pod %s, container %s, the last %d of %s:",
		log.Pod, log.Container, min(logLines, len(lines)), plural(len(lines), "line")))
	for _, line := range lines[max(0, len(lines)-logLines):] {
		p.cut("    | " + line)
	}
}
