package report

import (
	"fmt"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
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
		p.line("  ", orElse(g.Message, "no result was recorded"))
		p.line("  ", "nodes "+NodeList(g.Nodes))
		if len(g.Borrowed) > 0 {
			p.line("  ", "of these borrowed "+NodeList(g.Borrowed))
		}
		for _, b := range g.Blamed {
			p.line("  ", "evidence against "+b.Name+": "+b.Reason)
		}
		for _, t := range g.Thresholds {
			if !t.Met {
				p.line("  ", "threshold "+t.Key+" "+t.Expression+": "+outcome(t))
			}
		}
		for _, probe := range g.Probe {
			if probe.State != v1alpha1.ProbeReady {
				p.line("  ", "sshd of "+orElse(probe.Node, probe.Target)+": "+string(probe.State)+", "+probe.Reason)
			}
		}
		p.failureLog(g.FailureLog)
	}
}

func (p *page) failureLog(log *v1alpha1.FailureLog) {
	if log == nil || strings.TrimSpace(log.Tail) == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(log.Tail, "\r\n\t "), "\n")
	p.line("  ", fmt.Sprintf("log of pod %s, container %s, the last %d of %s:",
		log.Pod, log.Container, min(logLines, len(lines)), plural(len(lines), "line")))
	for _, line := range lines[max(0, len(lines)-logLines):] {
		p.text(plain.Fit("    | "+plain.Indented(line), pageColumns))
	}
}
