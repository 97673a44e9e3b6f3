package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// writeScore writes what one log proves: a line of JSON, or a line with the verdict and more below it.
func (a *app) writeScore(format string, s v1alpha1.LogScore, outcomes []v1alpha1.ThresholdResult) error {
	if format == asJSON {
		return writeJSON(a.stdout, s, "")
	}
	var b strings.Builder
	b.WriteString(headline(s) + "\n")
	for _, reason := range s.Reasons[min(1, len(s.Reasons)):] {
		b.WriteString("  " + plain.Line(reason) + "\n")
	}
	if len(s.Nodes) > 0 {
		b.WriteString("  the log blames " + plain.Line(strings.Join(s.Nodes, ", ")) + "\n")
	}
	for _, line := range [][]string{bandwidthText(s.Bandwidth), trainingText(s.Training)} {
		if len(line) > 0 {
			b.WriteString("  " + plain.Line(strings.Join(line, ", ")) + "\n")
		}
	}
	if s.Bandwidth != nil {
		for _, slow := range s.Bandwidth.Stragglers {
			b.WriteString("  " + plain.Line(score.StragglerText(slow)) + "\n")
		}
	}
	for _, t := range outcomes {
		if t.Met {
			b.WriteString(fmt.Sprintf("  threshold %s %s: met, %.4g\n", t.Key, plain.Line(t.Expression), *t.Value))
		}
	}
	if _, err := io.WriteString(a.stdout, b.String()); err != nil {
		return fmt.Errorf("writing the score: %w", err)
	}
	return nil
}

// headline reads `file: verdict (cause): first reason`.
func headline(s v1alpha1.LogScore) string {
	text := plain.Line(s.File) + ": " + s.Verdict.String()
	if s.Cause != "" {
		text += " (" + string(s.Cause) + ")"
	}
	if len(s.Reasons) > 0 {
		return text + ": " + plain.Line(s.Reasons[0])
	}
	if s.Kind == v1alpha1.KindUnknown {
		return text + ": it holds nothing that Seatrial knows"
	}
	return text
}

// bandwidthText lists what was measured and leaves out what the log does not hold.
func bandwidthText(b *v1alpha1.Bandwidth) []string {
	if b == nil {
		return nil
	}
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if b.Test != "" {
		add("%s", b.Test)
	}
	if b.Ranks != nil {
		add("%d ranks", *b.Ranks)
	}
	if b.PeakBusGBps != nil && b.PeakSizeBytes != nil {
		add("best busbw %.4g GB/s at %d B", *b.PeakBusGBps, *b.PeakSizeBytes)
	}
	if b.BusBandwidthGBps != nil {
		add("for thresholds %.4g GB/s", *b.BusBandwidthGBps)
	}
	if b.LargestSizeBusGBps != nil {
		add("at the largest size %.4g GB/s", *b.LargestSizeBusGBps)
	}
	if b.AvgBusGBps != nil {
		add("average %.4g GB/s", *b.AvgBusGBps)
	}
	switch {
	case b.Wrong != nil:
		add("%d wrong values", *b.Wrong)
	case !b.Checked:
		add("results not checked")
	}
	if !b.Complete {
		add("table not whole")
	}
	if ratio, size, ok := score.SlowestIteration(b); ok {
		add("an iteration took up to %.3g times the mean at %d B", ratio, size)
	}
	return parts
}

func trainingText(t *v1alpha1.Training) []string {
	if t == nil {
		return nil
	}
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if len(t.Steps) == 2 {
		add("steps %d to %d", t.Steps[0], t.Steps[1])
	}
	switch {
	case t.AvgStepTimeSec != nil:
		add("%.4g s a step", *t.AvgStepTimeSec)
	case t.AvgProblem != "":
		add("no average step time: %s", t.AvgProblem)
	}
	if n := len(t.TFLOPsPerGPU); n > 0 {
		add("last throughput %.4g TFLOP/s a GPU", t.TFLOPsPerGPU[n-1])
	}
	if t.GoodputRatio != nil {
		add("goodput %.3g", *t.GoodputRatio)
	}
	if t.LossLast != nil {
		add("last loss %.4g", *t.LossLast)
	}
	if t.Drift != nil {
		add("drift %.2g", *t.Drift)
	}
	return parts
}
