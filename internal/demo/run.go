package demo

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

const (
	groupNodes = 2
	// atOnce is how many jobs run side by side, as with maxConcurrent.
	atOnce = 8
	// logTail is how many lines of a failed job's log go into the report.
	logTail = 20
)

// began is when the made-up run was started: the same bytes on every day.
var began = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)

// Outcome is what a trial found.
type Outcome struct {
	Report v1alpha1.Report
	// Pairs and Again count the jobs of the first round and of the second.
	Pairs, Again int
	// Logs are what the jobs wrote, by the name of the group.
	Logs map[string]string
}

// trial is a run under way.
type trial struct {
	fleet      Fleet
	thresholds []v1alpha1.Threshold
	logs       map[string]string
	// free holds when each of the places for a job is free again.
	free [atOnce]time.Time
}

// Run tests a fleet in pairs and settles which nodes are at fault. The threshold is an expression over the bus bandwidth in GB/s.
func Run(f Fleet, threshold string) (Outcome, error) {
	limit, err := v1alpha1.ParseThreshold(v1alpha1.KeyBusBandwidth, threshold)
	if err != nil {
		return Outcome{}, fmt.Errorf("reading the threshold: %w", err)
	}
	t := &trial{fleet: f, thresholds: []v1alpha1.Threshold{limit}, logs: map[string]string{}}
	// 1. Pairs.
	cut, err := partition.Chunk(f.Nodes, groupNodes)
	if err != nil {
		return Outcome{}, fmt.Errorf("cutting the fleet into pairs: %w", err)
	}
	// 2. A job for each: log, samples, verdict.
	var groups []v1alpha1.GroupResult
	for _, g := range cut {
		r := t.test(job{g.Name, g.Nodes})
		r.Overflow, r.Borrowed = g.Overflow, g.Borrowed
		groups = append(groups, r)
	}
	// 3. Which node of a failed pair was it?
	isolation, settled := t.settle(groups)
	// 4. The report.
	finished := began
	for _, end := range t.free {
		if end.After(finished) {
			finished = end
		}
	}
	again := 0
	if isolation != nil {
		again = len(isolation.Groups)
	}
	return Outcome{Pairs: len(groups), Again: again, Logs: t.logs, Report: report.Build(report.Input{
		Name: "demo", Workflow: "demo", Framework: v1alpha1.FrameworkMPI, Platform: "simulated", GPUArchitecture: "h100",
		Started: &began, Finished: &finished, Target: f.Nodes, Domains: f.domains(),
		Groups: groups, Isolation: isolation, Settled: settled,
		Thresholds: []report.Threshold{{Key: limit.Key, Expression: limit.Expression}},
	})}, nil
}

// test runs a job on the place that is free first, and judges its log as the plugin does.
func (t *trial) test(j job) v1alpha1.GroupResult {
	text, took := t.fleet.run(j)
	t.logs[j.name] = text
	place := 0
	for i, at := range t.free {
		if at.Before(t.free[place]) {
			place = i
		}
	}
	started := t.free[place]
	if started.IsZero() {
		started = began.Add(8 * time.Second) // the pods of a first job start
	}
	t.free[place] = started.Add(took + 3*time.Second) // and are seen gone before the next
	r := score.Group(score.Evidence{
		Ending: score.Complete, Asked: true, Ranks: len(j.nodes) * gpusPerNode, Thresholds: t.thresholds,
		Logs: []v1alpha1.LogScore{score.Log(j.name, parse.Text([]byte(text)))},
	})
	r.Name, r.Nodes, r.Attempts, r.Started, r.DurationSec = j.name, append([]string{}, j.nodes...), 1, &started, took.Seconds()
	if r.Verdict != v1alpha1.Pass {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		r.FailureLog = &v1alpha1.FailureLog{Pod: "demo-" + j.name + "-launcher-0-0", Container: "node", Tail: strings.Join(lines[max(0, len(lines)-logTail):], "\n")}
	}
	return r
}
