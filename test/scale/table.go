package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Targets.
const (
	mostMemory  = 256 << 20
	mostObject  = 1 << 20
	mostTaskSet = 500 << 10
	mostReport  = 30 * time.Second
)

// row is a line of the table: what a sweep measured, and whether that meets the target. missed is nil where there is none.
type row struct {
	name, target string
	value        func(r result) string
	missed       func(r result) bool
}

var rows = []row{
	{"nodes, groups", "", func(r result) string { return fmt.Sprintf("%d, %d", r.nodes, r.groups()) }, nil},
	{"verdict", "pass", func(r result) string {
		if r.byHand {
			return "none"
		}
		return fmt.Sprintf("%s, %d of %d nodes passed", r.verdict, r.counts.Passed, r.counts.Target)
	}, func(r result) bool { return !r.byHand && (r.verdict != "pass" || r.counts.Passed != r.nodes) }},
	{"pods of the jobs", "", func(r result) string { return fmt.Sprint(r.pods) }, nil},
	{"pods of Argo and Seatrial", "", func(r result) string { return fmt.Sprint(r.argos) }, nil},
	{"all TrainJobs applied after", "", func(r result) string { return seconds(r.applied) }, nil},
	{"all launchers run after", "", func(r result) string { return seconds(r.allRun) }, nil},
	{"last launcher ended after", "", func(r result) string { return seconds(r.lastEnd) }, nil},
	{"last TrainJob Complete after", "", func(r result) string { return unlessByHand(r, seconds(r.complete)) }, nil},
	{"from there to the report", seconds(mostReport), func(r result) string { return unlessByHand(r, seconds(r.report)) }, func(r result) bool { return !r.byHand && misses(r.report, mostReport) }},
	{"from the last launcher's end to that of the workflow", "", func(r result) string { return seconds(r.over) }, nil},
	{"requests of the plugin", "", func(r result) string {
		return unlessByHand(r, fmt.Sprintf("%d, %.1f a group", r.peak.requests, per(r.peak.requests, r)))
	}, nil},
	{"requests of everybody", "", func(r result) string { return fmt.Sprintf("%d, %.0f a group", r.total, per(r.total, r)) }, nil},
	{"TaskSet at most", kib(mostTaskSet), func(r result) string { return unlessByHand(r, kib(r.peak.taskSet)) }, func(r result) bool { return !r.byHand && misses(r.peak.taskSet, mostTaskSet) }},
	{"Workflow at most", kib(mostObject), func(r result) string { return kib(r.peak.workflow) }, func(r result) bool { return misses(r.peak.workflow, mostObject) }},
	{"run record", kib(mostObject) + " an object", func(r result) string {
		return unlessByHand(r, fmt.Sprintf("%s in %d ConfigMaps, the largest %s", kib(r.peak.record), r.peak.records, kib(r.peak.recordLargest)))
	}, func(r result) bool { return !r.byHand && misses(r.peak.recordLargest, mostObject) }},
	{"memory of the plugin at most", kib(mostMemory), func(r result) string { return unlessByHand(r, kib(int(r.peak.plugin.most))) }, func(r result) bool { return !r.byHand && misses(r.peak.plugin.most, mostMemory) }},
	{"processor time of the plugin", "", func(r result) string { return unlessByHand(r, seconds(r.peak.plugin.cpu)) }, nil},
	{"restarts of the plugin", "0", func(r result) string { return unlessByHand(r, fmt.Sprint(r.peak.restarts)) }, func(r result) bool { return r.peak.restarts > 0 }},
}

// misses says whether a figure is above the most that it may be, or was never measured.
func misses[T int | int64 | time.Duration](figure, most T) bool { return figure <= 0 || figure > most }

func unlessByHand(r result, text string) string {
	if r.byHand {
		return "-"
	}
	return text
}

func per(n int64, r result) float64 { return float64(n) / float64(r.groups()) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.0f s", d.Seconds()) }

// table writes the sweeps as Markdown and returns how many targets were missed.
func table(out io.Writer, results []result) (missed int) {
	var b strings.Builder
	head, line := "| |", "|---|"
	for _, r := range results {
		head += " " + r.name + " |"
		line += "---|"
	}
	fmt.Fprintf(&b, "%s target |\n%s---|\n", head, line)
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, r := range results {
			text := row.value(r)
			if row.missed != nil && row.missed(r) {
				missed++
				text = "**" + text + "**"
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		fmt.Fprintf(&b, " %s |\n", row.target)
	}
	_, _ = io.WriteString(out, b.String()) // a table that cannot be printed says so by its absence
	return missed
}
