package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// passingFleet is a run of pairs of which every one passed.
func passingFleet(nodes int) v1alpha1.Report { return Build(fleet(nodes)) }

// failingFleet is a run with one fault of each kind: a slow pair, a pair with wrong values and a node that the log names, a worker whose
// sshd does not answer, a table that breaks off, a node in no group. It needs 32 nodes.
func failingFleet(nodes int) v1alpha1.Report {
	in := fleet(max(nodes, 32))
	slow(&in.Groups[4])
	wrong(&in.Groups[13])
	refused(&in.Groups[6])
	broken(&in.Groups[9])
	last := in.Target[len(in.Target)-1] + "x"
	in.Target = append(in.Target[:len(in.Target):len(in.Target)], last)
	in.Domains[last] = "rack-99"
	in.Untested = []v1alpha1.NodeReason{{Name: last, Reason: "its domain rack-99 holds one eligible node of the two that a group needs"}}
	in.Warnings = []string{"2 nodes of the target run pods with GPUs of other owners"}
	return Build(in)
}

func slow(g *v1alpha1.GroupResult) {
	measured(g, 241)
	g.Verdict, g.Cause = v1alpha1.Fail, v1alpha1.CauseThreshold
	g.Message = fmt.Sprintf("busBandwidthGBps is %.1f, which does not satisfy %s", *g.Bandwidth.BusBandwidthGBps, fleetThreshold)
	g.DurationSec *= 1.5
	g.FailureLog = tail(g, "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"+
		"  4294967296    1073741824     float     sum      -1    33414  128.54  241.01      0\n# Out of bounds values : 0 OK")
}

func wrong(g *v1alpha1.GroupResult) {
	g.Verdict, g.Cause = v1alpha1.Fail, v1alpha1.CauseWrongResults
	g.Message = "line 41: 56 wrong values at 1048576 B (out-of-place)"
	g.Bandwidth.Wrong = new(int64(56))
	g.Blamed = []v1alpha1.NodeReason{{Name: g.Nodes[1], Reason: "the log names it: NCCL WARN Cuda failure 'uncorrectable ECC error encountered'"}}
	g.FailureLog = tail(g, strings.Repeat("     1048576        262144     float     sum      -1    18.41   56.96  106.79     56\n", 18)+
		g.Nodes[1]+":4121:4180 [3] transport/net_ib.cc:1120 NCCL WARN Cuda failure 'uncorrectable ECC error encountered'\n"+
		"# Out of bounds values : 56 FAILED\n# Avg bus bandwidth    : 139.51")
}

func refused(g *v1alpha1.GroupResult) {
	g.Verdict, g.Cause, g.Bandwidth, g.Thresholds = v1alpha1.Fail, v1alpha1.CauseWorkerNotStarted, nil, nil
	g.Message, g.DurationSec, g.Attempts = "timeoutPerJob of 5m passed before every worker's sshd answered", 300, 2
	g.Blamed = []v1alpha1.NodeReason{{Name: g.Nodes[0], Reason: "its sshd refused every connection for 5m"}}
	g.Probe = []v1alpha1.ProbeResult{
		{Target: "10.0.12.9:22", Node: g.Nodes[0], State: v1alpha1.ProbeRefused, Attempts: 61, Reason: "connection refused: nothing listens on the port"},
		{Target: "10.0.12.10:22", Node: g.Nodes[1], State: v1alpha1.ProbeReady, LatencyMs: 1.4, Attempts: 1},
	}
	g.Warnings = []string{"attempt 1: timeout"}
}

func broken(g *v1alpha1.GroupResult) {
	g.Verdict, g.Cause = v1alpha1.Unknown, v1alpha1.CauseIncomplete
	g.Message = "the table has no footer: the log ends after 1073741824 B"
	g.Bandwidth.Complete = false
	g.Bandwidth.Results = g.Bandwidth.Results[:28]
	g.Thresholds = nil
}

func tail(g *v1alpha1.GroupResult, text string) *v1alpha1.FailureLog {
	return &v1alpha1.FailureLog{Pod: "nccl-pairs-" + g.Name + "-launcher-0-0-7xk2p", Container: "node", Tail: text + "\n"}
}

// trainingFleet is a run of two groups of four nodes, one of which slows down and loses its loss.
func trainingFleet() v1alpha1.Report {
	in := fleet(8)
	in.Name, in.Workflow, in.Framework, in.Excluded = "goodput", "goodput", "torch", nil
	in.Thresholds = []Threshold{{Key: v1alpha1.KeyStepTime, Expression: "value <= 6"}}
	in.Groups = in.Groups[:2]
	for i := range in.Groups {
		g := &in.Groups[i]
		g.Nodes, g.Bandwidth = in.Target[4*i:4*i+4], nil
		g.DurationSec = 600
		training(g, float64(i))
	}
	in.Finished = new(in.Groups[0].Started.Add(10*time.Minute + 20*time.Second))
	return Build(in)
}

func training(g *v1alpha1.GroupResult, drift float64) {
	t := &v1alpha1.Training{Steps: []int{1, 120}, GoodputRatio: new(0.93), LossLast: new(1.83), Drift: new(0.35 * drift)}
	sum := 0.0
	for i := range 120 {
		s := 5.4 + 0.08*noise(i, 7) + drift*1.9*float64(max(i-60, 0))/60
		if i == 0 {
			s = 9.1 // the first step compiles
		}
		t.StepTimesSec, t.TFLOPsPerGPU = append(t.StepTimesSec, hundredths(s)), append(t.TFLOPsPerGPU, hundredths(2140/s))
		sum += s
	}
	t.AvgStepTimeSec = new(hundredths(sum / 120))
	met := *t.AvgStepTimeSec <= 6
	g.Training = t
	g.Thresholds = []v1alpha1.ThresholdResult{{Key: v1alpha1.KeyStepTime, Expression: "value <= 6", Value: t.AvgStepTimeSec, Met: met}}
	if drift > 0 {
		g.Verdict, g.Cause, g.Message = v1alpha1.Fail, v1alpha1.CauseSlowDrift, "steps grew 35 % slower over the run, from step 60 on"
	}
}

// attack is text that tries to be markup, and more.
const attack = "</textarea></script></svg><script>alert(1)</script>\"'><img src=x onerror=alert(1)>`|[x](javascript:alert(1))" +
	"{{workflow.name}}]]>&lt;\x1b[2J\x1b]0;owned\x07\u202e\x00\xff@team #1 https://evil.example <!-- -->\n\nPASS\n```\n# heading"

// hostileFleet is a failing run in which every text that comes from outside is an attack on a page: markup, escape codes, direction
// overrides, templates, lengths.
func hostileFleet() v1alpha1.Report {
	in := fleet(4)
	in.Target = []string{attack, strings.Repeat("n", 253), "c", "d"}
	in.Domains = map[string]string{attack: attack}
	in.Name, in.Workflow, in.Platform, in.GPUArchitecture, in.Scope, in.Stage = attack, attack, attack, attack, attack, attack
	in.Excluded = []v1alpha1.NodeReason{{Name: attack, Reason: attack}}
	in.Thresholds = []Threshold{{Key: attack, Expression: attack}}
	in.Warnings = []string{attack}
	for i := range in.Groups {
		g := &in.Groups[i]
		g.Nodes = in.Target[2*i : 2*i+2]
		g.Name, g.Message, g.Verdict, g.Cause, g.Domain = fmt.Sprint(attack, i), attack, v1alpha1.Fail, attack, attack
		g.Blamed = []v1alpha1.NodeReason{{Name: attack, Reason: attack}}
		g.Probe = []v1alpha1.ProbeResult{{Target: attack, Node: attack, State: attack, Reason: attack}}
		g.FailureLog = &v1alpha1.FailureLog{Pod: attack, Container: attack, Tail: strings.Repeat(attack+"\n", 20)}
		g.Warnings = slices.Repeat([]string{attack}, 2)
		g.Bandwidth.Test = attack
		g.Thresholds = []v1alpha1.ThresholdResult{{Key: attack, Expression: attack, Value: new(1.0)}}
	}
	return Build(in)
}
