package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

const (
	pass    = v1alpha1.Pass
	fail    = v1alpha1.Fail
	unknown = v1alpha1.Unknown
)

// overflow is an overflow group of c and the borrowed b.
func overflow(verdict v1alpha1.Verdict) v1alpha1.GroupResult {
	g := group("group-9", verdict, "b", "c")
	g.Overflow, g.Borrowed = true, []string{"b"}
	return g
}

func blaming(g v1alpha1.GroupResult, node string) v1alpha1.GroupResult {
	g.Blamed = append(g.Blamed, v1alpha1.NodeReason{Name: node, Reason: "its pod exited with 139"})
	return g
}

func caused(g v1alpha1.GroupResult, cause v1alpha1.Cause) v1alpha1.GroupResult {
	g.Cause = cause
	return g
}

func TestVerdicts(t *testing.T) {
	type nodes map[string]v1alpha1.NodeVerdict
	for name, tt := range map[string]struct {
		groups []v1alpha1.GroupResult
		nodes  nodes
		run    v1alpha1.Verdict
	}{
		"all groups passed":                         {[]v1alpha1.GroupResult{group("g-0", pass, "a", "b"), group("g-1", pass, "c", "d")}, nodes{"a": v1alpha1.Passed, "b": v1alpha1.Passed, "c": v1alpha1.Passed, "d": v1alpha1.Passed}, pass},
		"a failed group makes suspects":             {[]v1alpha1.GroupResult{group("g-0", fail, "a", "b"), group("g-1", pass, "c")}, nodes{"a": v1alpha1.Suspect, "b": v1alpha1.Suspect, "c": v1alpha1.Passed}, fail},
		"evidence makes one failed, others suspect": {[]v1alpha1.GroupResult{blaming(group("g-0", fail, "a", "b"), "b")}, nodes{"a": v1alpha1.Suspect, "b": v1alpha1.Failed}, fail},
		"a failed group of one is that node":        {[]v1alpha1.GroupResult{group("g-0", fail, "a"), group("g-1", pass, "b")}, nodes{"a": v1alpha1.Failed, "b": v1alpha1.Passed}, fail},
		"a borrowed node that passed is cleared":    {[]v1alpha1.GroupResult{group("g-0", pass, "a", "b"), overflow(fail)}, nodes{"a": v1alpha1.Passed, "b": v1alpha1.Passed, "c": v1alpha1.Suspect}, fail},
		"a borrowed node that failed is not":        {[]v1alpha1.GroupResult{group("g-0", fail, "a", "b"), overflow(pass)}, nodes{"a": v1alpha1.Suspect, "b": v1alpha1.Suspect, "c": v1alpha1.Passed}, fail},
		"a borrowed node without a pass is not":     {[]v1alpha1.GroupResult{group("g-0", unknown, "a", "b"), overflow(fail)}, nodes{"a": v1alpha1.NodeUnknown, "b": v1alpha1.Suspect, "c": v1alpha1.Suspect}, fail},
		"evidence beats being borrowed":             {[]v1alpha1.GroupResult{group("g-0", pass, "a", "b"), blaming(overflow(fail), "b")}, nodes{"a": v1alpha1.Passed, "b": v1alpha1.Failed, "c": v1alpha1.Suspect}, fail},
		"one unknown group is an unknown run":       {[]v1alpha1.GroupResult{group("g-0", pass, "a"), group("g-1", unknown, "b")}, nodes{"a": v1alpha1.Passed, "b": v1alpha1.NodeUnknown}, unknown},
		"unknown beats passed for a node":           {[]v1alpha1.GroupResult{group("g-0", pass, "a", "b"), overflow(unknown)}, nodes{"a": v1alpha1.Passed, "b": v1alpha1.NodeUnknown, "c": v1alpha1.NodeUnknown}, unknown},
		"fail beats unknown for a run":              {[]v1alpha1.GroupResult{group("g-0", fail, "a"), group("g-1", unknown, "b")}, nodes{"a": v1alpha1.Failed, "b": v1alpha1.NodeUnknown}, fail},
		"an untested node is no pass":               {[]v1alpha1.GroupResult{group("g-0", pass, "a")}, nodes{"a": v1alpha1.Passed, "z": v1alpha1.Untested}, unknown},
		"no group is no pass":                       {nil, nodes{"a": v1alpha1.Untested}, unknown},
		"no node and no group is no pass":           {nil, nodes{}, unknown},
		"no target is no pass":                      {[]v1alpha1.GroupResult{group("g-0", pass)}, nodes{}, unknown},
		"a verdict out of range is unknown":         {[]v1alpha1.GroupResult{group("g-0", 77, "a")}, nodes{"a": v1alpha1.NodeUnknown}, unknown},
		"blame in a group that passed is no blame":  {[]v1alpha1.GroupResult{blaming(group("g-0", pass, "a"), "a")}, nodes{"a": v1alpha1.Passed}, pass},
		"blame in an unknown group is evidence":     {[]v1alpha1.GroupResult{blaming(group("g-0", unknown, "a", "b"), "a")}, nodes{"a": v1alpha1.Failed, "b": v1alpha1.NodeUnknown}, unknown},
		"a full queue blames nobody":                {[]v1alpha1.GroupResult{caused(group("g-0", fail, "a"), v1alpha1.CauseUnschedulable), group("g-1", pass, "b")}, nodes{"a": v1alpha1.NodeUnknown, "b": v1alpha1.Passed}, fail},
		"evidence may name a node of another group": {[]v1alpha1.GroupResult{blaming(group("g-0", fail, "a", "b"), "c"), group("g-1", pass, "c")}, nodes{"a": v1alpha1.Suspect, "b": v1alpha1.Suspect, "c": v1alpha1.Failed}, fail},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{Groups: tt.groups}
			for node := range tt.nodes {
				in.Target = append(in.Target, node)
			}
			r := Build(in)
			got := nodes{}
			for _, n := range r.Nodes {
				got[n.Name] = n.Verdict
				require.Equal(t, n.Verdict == v1alpha1.Passed, n.Reason == "", "whatever is not a pass has a reason, %v", n)
			}
			require.Equal(t, tt.nodes, got)
			require.Equal(t, tt.run, r.Verdict)
			require.NotEmpty(t, r.Message)
		})
	}
}

func TestRunCauses(t *testing.T) {
	for name, tt := range map[string]struct {
		cause  v1alpha1.Cause
		groups []v1alpha1.GroupResult
		want   v1alpha1.Verdict
	}{
		"a build failure tests nothing: unknown":     {CauseBuildFailed, nil, unknown},
		"a partition error tests nothing: unknown":   {CausePartitionError, nil, unknown},
		"no eligible node is unknown":                {CauseNoEligibleNode, nil, unknown},
		"trouble of the run is at best unknown":      {v1alpha1.CauseInfrastructure, []v1alpha1.GroupResult{group("g-0", pass, "a")}, unknown},
		"trouble of the run does not hide a failure": {v1alpha1.CauseInfrastructure, []v1alpha1.GroupResult{group("g-0", fail, "a")}, fail},
	} {
		t.Run(name, func(t *testing.T) {
			r := Build(Input{Target: []string{"a"}, Groups: tt.groups, Cause: tt.cause, Message: "why"})
			require.Equal(t, tt.want, r.Verdict)
			require.Equal(t, tt.cause, r.Cause)
			require.Equal(t, "why", r.Message)
			if len(tt.groups) == 0 {
				require.Equal(t, v1alpha1.Counts{Target: 1, Untested: 1}, r.Counts, "nobody is blamed")
				require.Equal(t, "why", r.Nodes[0].Reason)
			}
		})
	}
}

func TestTheReasonOfANodeInNoGroupIsTheRunsWhereThatIsWhy(t *testing.T) {
	long := strings.Repeat("m", 5000)
	for name, tt := range map[string]struct {
		in      Input
		reason  string
		message string
	}{
		"the run partitioned and left it out":       {Input{Groups: []v1alpha1.GroupResult{group("g-0", pass, "b")}, Ended: "Stop was asked for"}, "in no group", "1 group passed, 1 node not tested"},
		"it has a reason of its own":                {Input{Untested: []v1alpha1.NodeReason{{Name: "a", Reason: "own"}}, Message: "why"}, "own", "why"},
		"the run could not be partitioned":          {Input{Cause: CausePartitionError, Message: "PartitionError: need 4, found 3"}, "PartitionError: need 4, found 3", "PartitionError: need 4, found 3"},
		"unpinned, nobody was there to choose":      {Input{Sampled: true, Cause: CausePartitionError, Message: "PartitionError: need 4, found 3"}, "PartitionError: need 4, found 3", "PartitionError: need 4, found 3"},
		"unpinned, the scheduler chose others":      {Input{Sampled: true, Groups: []v1alpha1.GroupResult{group("g-0", pass, "b")}}, "the scheduler did not choose it (placement Unpinned)", "1 group passed, 1 node not tested"},
		"only the plan was asked for":               {Input{Cause: CausePlanOnly, Message: "PlanOnly: 1 node"}, "only the plan was asked for", "PlanOnly: 1 node"},
		"the run was stopped":                       {Input{Ended: "Stop was asked for", Finished: new(time.Time)}, "the run was ended before it had groups: Stop was asked for", "no group ran: Stop was asked for"},
		"it ended, and nobody says why":             {Input{Finished: new(time.Time)}, "the run ended before it had groups", "no group ran"},
		"it goes on":                                {Input{}, "the run has no groups yet", "no group ran"},
		"a long message is not repeated as a whole": {Input{Cause: CauseBuildFailed, Message: long}, long[:199] + "…", long},
	} {
		t.Run(name, func(t *testing.T) {
			tt.in.Target = []string{"a"}
			if len(tt.in.Groups) > 0 {
				tt.in.Target = []string{"a", "b"}
			}
			r := Build(tt.in)
			require.Equal(t, v1alpha1.Untested, r.Nodes[0].Verdict)
			require.Equal(t, tt.reason, r.Nodes[0].Reason)
			require.Equal(t, tt.message, r.Message)
		})
	}
}

func TestThresholdsAreNotPassedOver(t *testing.T) {
	set := []Threshold{{"busBandwidthGBps", ">= 400"}}
	for name, tt := range map[string]struct {
		groups  []v1alpha1.GroupResult
		verdict v1alpha1.Verdict
		overall v1alpha1.ThresholdResult
	}{
		"met by all":                     {[]v1alpha1.GroupResult{withBusbw(group("g-0", pass, "a"), 430, true), withBusbw(group("g-1", pass, "b"), 420, true)}, pass, v1alpha1.ThresholdResult{Value: new(420.0), Met: true}},
		"a pass that missed it is none":  {[]v1alpha1.GroupResult{withBusbw(group("g-0", pass, "a"), 430, true), withBusbw(group("g-1", pass, "b"), 390, false)}, fail, v1alpha1.ThresholdResult{Value: new(390.0)}},
		"a pass without a value is none": {[]v1alpha1.GroupResult{withBusbw(group("g-0", pass, "a"), 430, true), group("g-1", pass, "b")}, unknown, v1alpha1.ThresholdResult{}},
		"a value that is no number":      {[]v1alpha1.GroupResult{withBusbw(group("g-0", pass, "a", "b"), math.NaN(), true)}, unknown, v1alpha1.ThresholdResult{}},
		"no group":                       {nil, unknown, v1alpha1.ThresholdResult{}},
	} {
		t.Run(name, func(t *testing.T) {
			r := Build(Input{Target: []string{"a", "b"}, Groups: tt.groups, Thresholds: set})
			require.Equal(t, tt.verdict, r.Verdict)
			tt.overall.Key, tt.overall.Expression = set[0].Key, set[0].Expression
			require.Equal(t, []v1alpha1.ThresholdResult{tt.overall}, r.Thresholds)
		})
	}
}

func TestStrangersAreWarnedOf(t *testing.T) {
	r := Build(Input{Target: []string{"a", "a"}, Groups: []v1alpha1.GroupResult{blaming(group("g-0", fail, "a", "x"), "y")}})
	require.Equal(t, 1, r.Counts.Target, "a node counts once")
	require.Equal(t, []string{
		"g-0 ran on x, which is not a target node",
		"g-0: evidence names y, which is not a target node: its pod exited with 139",
	}, r.Warnings)
}

// Random runs: every node is accounted for, a pass means that everything passed, order does not matter and the input stays as it was.
func TestBuildHoldsForEveryRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		in := sampleInput()
		for i := range rng.IntN(12) {
			in.Target = append(in.Target, fmt.Sprintf("n%d", i))
		}
		for i := range rng.IntN(5) {
			g := group(fmt.Sprintf("group-%d", i*7), v1alpha1.Verdict(rng.IntN(3)))
			for _, n := range in.Target {
				if rng.IntN(3) == 0 {
					g.Nodes = append(g.Nodes, n)
				}
			}
			if len(g.Nodes) > 0 && rng.IntN(4) == 0 {
				g = blaming(g, g.Nodes[0])
			}
			in.Groups = append(in.Groups, g)
		}
		r := Build(in)
		c := r.Counts
		require.Equal(t, c.Target, c.Passed+c.Failed+c.Suspect+c.Untested+c.Unknown)
		require.Len(t, r.Nodes, c.Target)
		if r.Verdict == pass {
			require.Positive(t, c.Target)
			require.Equal(t, c.Target, c.Passed)
			for _, g := range r.Groups {
				require.Equal(t, pass, g.Verdict)
			}
		}
		for _, g := range r.Groups {
			require.False(t, g.Verdict == fail && r.Verdict != fail)
		}

		var first, second bytes.Buffer
		require.NoError(t, WriteJSON(&first, r))
		shuffled := in
		shuffled.Target, shuffled.Groups = slices.Clone(in.Target), slices.Clone(in.Groups)
		rng.Shuffle(len(shuffled.Target), func(i, j int) { shuffled.Target[i], shuffled.Target[j] = shuffled.Target[j], shuffled.Target[i] })
		rng.Shuffle(len(shuffled.Groups), func(i, j int) { shuffled.Groups[i], shuffled.Groups[j] = shuffled.Groups[j], shuffled.Groups[i] })
		require.NoError(t, WriteJSON(&second, Build(shuffled)))
		require.Equal(t, first.String(), second.String())
	}
}

func TestBuildLeavesItsInputAlone(t *testing.T) {
	in := Input{Target: []string{"b", "a"}, Groups: []v1alpha1.GroupResult{withBusbw(group("g-1", pass, "b", "a"), math.Inf(1), false), group("g-0", pass, "a")}, Thresholds: []Threshold{{"busBandwidthGBps", ">= 1"}}}
	Build(in)
	require.Equal(t, []string{"b", "a"}, in.Target)
	require.Equal(t, "g-1", in.Groups[0].Name)
	require.Equal(t, pass, in.Groups[0].Verdict)
	require.Equal(t, []string{"b", "a"}, in.Groups[0].Nodes)
	require.True(t, math.IsInf(*in.Groups[0].Bandwidth.BusBandwidthGBps, 1))
}

func TestGroupsAreInTheOrderOfTheirNumbers(t *testing.T) {
	r := Build(Input{Groups: []v1alpha1.GroupResult{group("group-10", pass), group("group-9", pass), group("group-09", pass), group("a", pass)}})
	var names []string
	for _, g := range r.Groups {
		names = append(names, g.Name)
	}
	require.Equal(t, []string{"a", "group-09", "group-9", "group-10"}, names)
}
