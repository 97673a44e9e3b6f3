package report

import (
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

var (
	started  = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	finished = started.Add(12*time.Minute + 3*time.Second)
)

func group(name string, verdict v1alpha1.Verdict, nodes ...string) v1alpha1.GroupResult {
	return v1alpha1.GroupResult{Name: name, Nodes: nodes, Verdict: verdict, Attempts: 1, DurationSec: 252.4}
}

func withBusbw(g v1alpha1.GroupResult, busbw float64, met bool) v1alpha1.GroupResult {
	g.Bandwidth = &v1alpha1.Bandwidth{
		Test: "all_reduce", PeakBusGBps: new(busbw + 1.25), BusBandwidthGBps: new(busbw), LargestSizeBusGBps: new(busbw - 7),
		Checked: true, Complete: true,
	}
	g.Thresholds = []v1alpha1.ThresholdResult{{Key: "busBandwidthGBps", Expression: ">= 400", Value: new(busbw), Met: met}}
	return g
}

func sampleInput() Input {
	return Input{
		Name: "nccl-all-reduce", Workflow: "nccl-all-reduce-x7k2p", Framework: "mpi", Platform: "azure", GPUArchitecture: "gb200",
		Started: &started, Finished: &finished,
	}
}

func passInput() Input {
	in := sampleInput()
	in.Target = []string{"gpu-node-03", "gpu-node-01", "gpu-node-02"}
	overflow := withBusbw(group("group-1", v1alpha1.Pass, "gpu-node-02", "gpu-node-03"), 431.9, true)
	overflow.Overflow, overflow.Borrowed, overflow.Attempts = true, []string{"gpu-node-02"}, 2
	in.Groups = []v1alpha1.GroupResult{overflow, withBusbw(group("group-0", v1alpha1.Pass, "gpu-node-01", "gpu-node-02"), 436.64, true)}
	in.Thresholds = []Threshold{{"busBandwidthGBps", ">= 400"}}
	in.Excluded = []v1alpha1.NodeReason{{Name: "gpu-node-09", Reason: "cordoned"}}
	in.Fragments = []v1alpha1.FragmentUse{{Name: "platform-azure", ResourceVersion: "812"}}
	return in
}

func failInput() Input {
	in := sampleInput()
	in.Target = []string{"gpu-node-01", "gpu-node-02", "gpu-node-03", "gpu-node-04", "gpu-node-05", "gpu-node-06", "gpu-node-07"}
	wrong := withBusbw(group("group-1", v1alpha1.Fail, "gpu-node-03", "gpu-node-04"), 410, true)
	wrong.Cause, wrong.Message = v1alpha1.CauseWrongResults, "line 41: 56 wrong values at 1048576 B (out-of-place), seen again at every larger size of the table"
	wrong.Blamed = []v1alpha1.NodeReason{{Name: "gpu-node-04", Reason: "the log names it: NCCL WARN Cuda failure 'uncorrectable ECC error'"}}
	wrong.FailureLog = &v1alpha1.FailureLog{Pod: "nccl-all-reduce-group-1-launcher-0-0-x", Container: "node", Tail: strings.Repeat("#  size count type\n", 20) + "# Out of bounds values : 56 FAILED\n"}
	slow := withBusbw(group("group-2", v1alpha1.Fail, "gpu-node-05", "gpu-node-06"), 212.5, false)
	slow.Cause, slow.Message = v1alpha1.CauseThreshold, "busBandwidthGBps 212.5 is not >= 400"
	slow.Warnings = []string{"the node container restarted once"}
	hung := group("group-3", v1alpha1.Fail, "gpu-node-06", "gpu-node-07")
	hung.Overflow, hung.Borrowed = true, []string{"gpu-node-06"}
	hung.Cause, hung.Message = v1alpha1.CauseTimeout, "timeoutPerJob of 3m passed"
	hung.Probe = []v1alpha1.ProbeResult{
		{Target: "10.0.0.6:22", Node: "gpu-node-06", State: v1alpha1.ProbeReady, LatencyMs: 1},
		{Target: "10.0.0.7:22", Node: "gpu-node-07", State: v1alpha1.ProbeRefused, Attempts: 61, Reason: "connection refused: nothing listens on the port"},
	}
	hung.Blamed = []v1alpha1.NodeReason{{Name: "gpu-node-07", Reason: "its sshd refused connections for 3m"}}
	in.Groups = []v1alpha1.GroupResult{withBusbw(group("group-0", v1alpha1.Pass, "gpu-node-01", "gpu-node-02"), 436.64, true), wrong, slow, hung}
	in.Thresholds = []Threshold{{"busBandwidthGBps", ">= 400"}}
	return in
}

// isolatedInput is a run whose isolation found a node and a link, and left one suspect.
func isolatedInput() Input {
	in := sampleInput()
	in.Target = []string{"gpu-node-01", "gpu-node-02", "gpu-node-03", "gpu-node-04", "gpu-node-05", "gpu-node-06", "gpu-node-07", "gpu-node-08"}
	slow := func(g v1alpha1.GroupResult) v1alpha1.GroupResult {
		g.Cause, g.Message = v1alpha1.CauseThreshold, "busBandwidthGBps is 212.5, which does not satisfy value >= 400"
		return withBusbw(g, 212.5, false)
	}
	trial := func(g v1alpha1.GroupResult, purpose string) v1alpha1.GroupResult {
		g.Purpose, g.Started, g.DurationSec = purpose, new(started.Add(5*time.Minute)), 90
		return g
	}
	in.Groups = []v1alpha1.GroupResult{
		withBusbw(group("group-0", v1alpha1.Pass, "gpu-node-01", "gpu-node-02"), 436.64, true),
		slow(group("group-1", v1alpha1.Fail, "gpu-node-03", "gpu-node-04")), slow(group("group-2", v1alpha1.Fail, "gpu-node-05", "gpu-node-06")),
		slow(group("group-3", v1alpha1.Fail, "gpu-node-07", "gpu-node-08")),
	}
	in.Isolation = &v1alpha1.Isolation{Rounds: 2,
		Groups: []v1alpha1.GroupResult{
			trial(slow(group("isolate-2-0", v1alpha1.Fail, "gpu-node-02", "gpu-node-03")), "gpu-node-03 with one more good node"),
			trial(slow(group("isolate-1-0", v1alpha1.Fail, "gpu-node-01", "gpu-node-03")), "gpu-node-03 with a good node"),
			trial(withBusbw(group("isolate-1-1", v1alpha1.Pass, "gpu-node-02", "gpu-node-04"), 433, true), "gpu-node-04 with a good node"),
			trial(slow(group("isolate-2-1", v1alpha1.Fail, "gpu-node-05", "gpu-node-06")), "group-2 again"),
		},
		Faults: []v1alpha1.FabricFault{
			{A: []string{"gpu-node-05"}, B: []string{"gpu-node-06"}, Reason: "gpu-node-05 and gpu-node-06 fail only together"},
			{Domain: "spine-1/leaf-3", Reason: "every pair that led into it failed"},
		},
	}
	in.Settled = []v1alpha1.NodeResult{
		{Name: "gpu-node-03", Verdict: v1alpha1.Failed, Reason: "isolation: fails with gpu-node-01 (isolate-1-0) and gpu-node-02 (isolate-2-0), which pass with others"},
		{Name: "gpu-node-04", Verdict: v1alpha1.Passed, Reason: "isolation: passes in isolate-1-1"},
		{Name: "gpu-node-05", Verdict: v1alpha1.Passed, Reason: "isolation: a link"}, {Name: "gpu-node-06", Verdict: v1alpha1.Passed, Reason: "isolation: a link"},
		{Name: "gpu-node-07", Verdict: v1alpha1.Suspect, Reason: "isolation: cannot be told from its switch"},
		{Name: "gpu-node-08", Verdict: v1alpha1.Suspect, Reason: "isolation: cannot be told from its switch"},
	}
	in.Thresholds = []Threshold{{"busBandwidthGBps", ">= 400"}}
	return in
}

func unknownInput() Input {
	in := sampleInput()
	in.Target = []string{"gpu-node-01", "gpu-node-02", "gpu-node-03", "gpu-node-04"}
	in.Scope = "4f2a11"
	cut := group("group-1", v1alpha1.Unknown, "gpu-node-03")
	cut.Cause, cut.Message = v1alpha1.CauseIncomplete, "the table has no footer"
	in.Groups = []v1alpha1.GroupResult{group("group-0", v1alpha1.Pass, "gpu-node-01", "gpu-node-02"), cut}
	in.Untested = []v1alpha1.NodeReason{{Name: "gpu-node-04", Reason: "its domain holds one node of two"}}
	return in
}

func unfinishedInput() Input {
	in := passInput()
	in.Finished = nil
	waiting := v1alpha1.GroupResult{Name: "group-2", Nodes: []string{"gpu-node-04"}}
	in.Target = append(in.Target, "gpu-node-04")
	in.Groups = append(in.Groups, waiting)
	return in
}

func partitionErrorInput() Input {
	in := sampleInput()
	in.Target = []string{"gpu-node-01", "gpu-node-02", "gpu-node-03"}
	in.Cause, in.Message = CausePartitionError, "PartitionError: need 4, found 3"
	return in
}

func hostileInput() Input {
	in := sampleInput()
	in.Name, in.Workflow, in.Platform = "\x1b]0;owned\x07run\r\nFAKE: PASS", strings.Repeat("w", 300), "節点"+strings.Repeat("点", 90)
	in.Target = []string{"a\x1b[31mb", strings.Repeat("n", 253), "{{workflow.name}}"}
	bad := group(strings.Repeat("g", 100), v1alpha1.Fail, in.Target...)
	bad.Cause, bad.Message = "\x1b[2Jcause", "{{{tasks.x}} \u202egnp.exe \x00"+strings.Repeat("m", 400)
	bad.Blamed = []v1alpha1.NodeReason{{Name: "a\x1b[31mb", Reason: "PASS\n\nPASS: all nodes passed"}, {Name: "elsewhere", Reason: "\x07bell"}}
	bad.FailureLog = &v1alpha1.FailureLog{Pod: "p\np", Container: "\tnode", Tail: "  \x1b[1;31mred\x1b[0m\r\n\n\tindented \xff\xfe" + strings.Repeat("x", 500) + "\nPASS\n"}
	bad.Warnings = []string{"\x1b[2K" + strings.Repeat("word ", 60)}
	in.Groups = []v1alpha1.GroupResult{bad}
	in.Excluded = []v1alpha1.NodeReason{{Name: strings.Repeat("e", 100), Reason: "line\nend"}}
	trial := group("isolate-1-0\x1b[2J", v1alpha1.Fail, "a\x1b[31mb", "|<b>")
	trial.Purpose, trial.Message = "PASS\nPASS </section> | `", "\x1b[31m<script>"
	in.Isolation = &v1alpha1.Isolation{Rounds: 1, Groups: []v1alpha1.GroupResult{trial},
		Faults: []v1alpha1.FabricFault{{Domain: "leaf\n## <i>", Reason: "PASS\x07\n\nPASS"}}}
	return in
}
