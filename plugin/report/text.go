package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// WriteText writes the report for a reader: no control characters, the verdict and the bad nodes last. columns is Terminal or Unbounded.
func WriteText(w io.Writer, r v1alpha1.Report, columns int) error {
	p := page{columns: columns}
	p.header(r)
	p.groups(r.Groups)
	p.bandwidths(r.Groups)
	p.details(r.Groups)
	p.isolation(r)
	p.thresholds(r.Thresholds)
	p.excluded(r.Excluded)
	p.warnings(r)
	p.verdict(r)
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the report of %s: %w", r.Name, err)
	}
	return nil
}

func (p *page) header(r v1alpha1.Report) {
	p.line("", "Seatrial report: "+r.Name)
	field := func(name, value string) { p.row(value, cell{"  " + name, 13}) }
	field("workflow", r.Workflow)
	if stage := stageOf(r); stage != "" {
		field("stage", stage)
	}
	field("framework", orElse(r.Framework, "not known"))
	platform := orElse(r.Platform, "not known")
	if r.GPUArchitecture != "" {
		platform += ", " + r.GPUArchitecture
	}
	field("platform", platform)
	switch {
	case r.Started == nil:
		field("started", "not yet")
	case r.Finished == nil:
		field("started", stamp(*r.Started))
		field("duration", "not finished")
	default:
		field("started", stamp(*r.Started))
		field("duration", length(r.Finished.Sub(*r.Started)))
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") }

// length rounds to a second, below ten seconds to a tenth.
func length(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func (p *page) groups(groups []v1alpha1.GroupResult) {
	p.section("Groups")
	if len(groups) == 0 {
		p.line("  ", "none")
	}
	shown, folded := foldPassed(groups)
	for _, g := range shown {
		p.row(tookOf(g), cell{"  " + g.Name, 12}, cell{g.Verdict.String(), 7}, cell{p.nodes(g.Nodes, 24), 24}, cell{best(g), 16})
	}
	if len(folded) > 0 {
		p.line("  ", fmt.Sprintf("%s passed%s", plural(len(folded), "more group"), spread(folded)))
	}
}

// foldPassed parts the groups that a page lists from those that passed and are only counted, where there are many.
func foldPassed(groups []v1alpha1.GroupResult) (shown, folded []v1alpha1.GroupResult) {
	if len(groups) <= listedGroups {
		return groups, nil
	}
	for _, g := range groups {
		if g.Verdict == v1alpha1.Pass {
			folded = append(folded, g)
		} else {
			shown = append(shown, g)
		}
	}
	return shown, folded
}

// listedGroups is the number of groups that a page of text lists one by one; the JSON report has all of them.
const listedGroups = 24

// spread is the range of what groups measured: ", 379.4 to 392.6 GB/s".
func spread(groups []v1alpha1.GroupResult) string {
	var values []float64
	for _, g := range groups {
		if g.Bandwidth != nil && g.Bandwidth.PeakBusGBps != nil {
			values = append(values, *g.Bandwidth.PeakBusGBps)
		}
	}
	if len(values) == 0 {
		return ""
	}
	return ", " + number(slices.Min(values)) + " to " + number(slices.Max(values)) + " GB/s"
}

// nodes is NodeList; on a bounded page a list too long for its column ends in the number of nodes.
func (p *page) nodes(nodes []string, columns int) string {
	list := plain.Line(NodeList(nodes))
	if p.columns <= 0 || plain.Width(list) <= columns || len(nodes) < 2 {
		return list
	}
	number := fmt.Sprintf(" (%d)", len(nodes))
	return plain.Fit(list, columns-len(number)) + number
}

// best is the one number that a reader looks for first.
func best(g v1alpha1.GroupResult) string {
	switch {
	case g.Bandwidth != nil && g.Bandwidth.PeakBusGBps != nil:
		return number(*g.Bandwidth.PeakBusGBps) + " GB/s"
	case g.Training != nil && g.Training.AvgStepTimeSec != nil:
		return number(*g.Training.AvgStepTimeSec) + " s/step"
	default:
		return "nothing measured"
	}
}

// number shows four digits or more, as many as a bandwidth is good for.
func number(f float64) string {
	if f >= 1000 || f <= -1000 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.4g", f)
}

// bandwidths shows the number that a threshold sees beside the one at the largest size, since the first may come from a smaller size.
func (p *page) bandwidths(groups []v1alpha1.GroupResult) {
	shown := false
	listed, _ := foldPassed(groups)
	for _, g := range listed {
		if g.Bandwidth == nil || g.Bandwidth.BusBandwidthGBps == nil {
			continue
		}
		if !shown {
			p.section("Bus bandwidth: what a threshold sees, and at the largest size")
			shown = true
		}
		text := number(*g.Bandwidth.BusBandwidthGBps) + " GB/s"
		if g.Bandwidth.LargestSizeBusGBps != nil {
			text += ", " + number(*g.Bandwidth.LargestSizeBusGBps) + " GB/s"
		}
		p.row(strings.TrimSpace(text+"  "+g.Bandwidth.Test), cell{"  " + g.Name, 12})
	}
}

func (p *page) thresholds(thresholds []v1alpha1.ThresholdResult) {
	p.section("Thresholds")
	if len(thresholds) == 0 {
		p.line("  ", "no threshold set")
	}
	for _, t := range thresholds {
		p.line("  ", t.Key+" "+t.Expression+": "+overall(t))
	}
}

// overall is the outcome of a threshold over all groups.
func overall(t v1alpha1.ThresholdResult) string {
	if t.Value == nil {
		return "not measured in every group"
	}
	return outcome(t)
}

func outcome(t v1alpha1.ThresholdResult) string {
	switch {
	case t.Value == nil:
		return "nothing measured"
	case t.Met:
		return "met, " + number(*t.Value)
	default:
		return "not met, " + number(*t.Value)
	}
}

func (p *page) excluded(excluded []v1alpha1.NodeReason) {
	if len(excluded) > 0 {
		p.section("Excluded")
	}
	for _, e := range excluded {
		p.row(e.Reason, cell{"  " + e.Name, 26})
	}
}

func (p *page) warnings(r v1alpha1.Report) {
	warnings := allWarnings(r)
	if len(warnings) > 0 {
		p.section("Warnings")
	}
	for _, w := range warnings {
		p.line("  ", w)
	}
}

// allWarnings are the run's and then its groups', each with its name.
func allWarnings(r v1alpha1.Report) []string {
	all := append([]string{}, r.Warnings...)
	for _, g := range r.Groups {
		for _, w := range g.Warnings {
			all = append(all, g.Name+": "+w)
		}
	}
	return all
}

func (p *page) verdict(r v1alpha1.Report) {
	p.section(strings.ToUpper(r.Verdict.String()) + because(r))
	p.line("", tally(r.Counts))
	for _, n := range badNodes(r.Nodes) {
		p.row(n.Reason, cell{"  " + n.Verdict.String(), 10}, cell{n.Name, 22})
	}
}

func because(r v1alpha1.Report) string {
	text := ""
	if r.Cause != "" {
		text = " (" + string(r.Cause) + ")"
	}
	if r.Message != "" {
		text += ": " + r.Message
	}
	return text
}

func tally(c v1alpha1.Counts) string {
	text := fmt.Sprintf("%s: %d passed, %d failed, %d suspect, %d unknown, %d untested",
		plural(c.Target, "node"), c.Passed, c.Failed, c.Suspect, c.Unknown, c.Untested)
	if c.Excluded > 0 {
		text += fmt.Sprintf("; %d excluded", c.Excluded)
	}
	return text
}

// badNodes are the nodes that did not pass, the surest first.
func badNodes(nodes []v1alpha1.NodeResult) []v1alpha1.NodeResult {
	var bad []v1alpha1.NodeResult
	for _, verdict := range []v1alpha1.NodeVerdict{v1alpha1.Failed, v1alpha1.Suspect, v1alpha1.NodeUnknown, v1alpha1.Untested} {
		for _, n := range nodes {
			if n.Verdict == verdict {
				bad = append(bad, n)
			}
		}
	}
	return bad
}
