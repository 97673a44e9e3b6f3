package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestRising_has_round_ticks_from_0_to_above_the_top(t *testing.T) {
	for top, want := range map[float64]string{
		395: "0 100 200 300 400 500", 1: "0 0.2 0.4 0.6 0.8 1 1.2", 9.1: "0 2 4 6 8 10", 0.23: "0 0.05 0.1 0.15 0.2 0.25",
		1999: "0 500 1000 1500 2000 2500", 0: "0 0.2 0.4 0.6 0.8 1 1.2", math.Inf(1): "0 0.2 0.4 0.6 0.8 1 1.2",
	} {
		a, ticks := rising(top)
		var got []string
		for _, k := range ticks {
			got = append(got, k.Text)
			require.True(t, k.At >= 0 && k.At <= 100, "%v: %v", top, k)
		}
		require.Equal(t, want, strings.Join(got, " "), top)
		require.True(t, math.IsInf(top, 1) || a.to > top)
	}
}

func TestLimitsOf_draws_plain_bounds_and_nothing_else(t *testing.T) {
	for expression, want := range map[string][]float64{
		"value >= 350": {350}, ">= 400": {400}, " value<1.5e2 ": {150}, "value > 0.5": {0.5},
		"value >= 350 && value < 480": nil, "value * 2 > 3": nil, "350 <= value": nil, "value >= 1e999": nil, "value >= 1.2.3": nil, "": nil,
	} {
		got := limitsOf([]v1alpha1.ThresholdResult{{Key: v1alpha1.KeyBusBandwidth, Expression: expression}}, v1alpha1.KeyBusBandwidth)
		require.Equal(t, want, got, expression)
	}
	require.Empty(t, limitsOf([]v1alpha1.ThresholdResult{{Key: v1alpha1.KeyAlgBandwidth, Expression: "value > 1"}}, v1alpha1.KeyBusBandwidth))
}

func TestSizeText(t *testing.T) {
	for exponent, want := range map[float64]string{0: "1 B", 3: "8 B", 10: "1 KiB", 19: "512 KiB", 33: "8 GiB", 50: "1 PiB", 61: "2048 PiB"} {
		require.Equal(t, want, sizeText(exponent))
	}
}

func TestDistinct_keeps_what_tells_names_apart(t *testing.T) {
	for names, want := range map[string]string{
		"gpu-node-01 gpu-node-02 gpu-node-11": "01 02 11", "gpu-node-010 gpu-node-011": "010 011",
		"a1.pool.example b1.pool.example": "a1 b1", "alone": "alone", "same same": "same same", "n": "n",
		"a-very-long-name-of-one-sort the-other": "-sort other",
	} {
		require.Equal(t, strings.Fields(want), distinct(strings.Fields(names)), names)
	}
	require.Empty(t, distinct(nil))
}

func TestMarks_beside_each_other_do_not_cover_each_other(t *testing.T) {
	c := &chart{}
	for range 5 {
		c.Loud = append(c.Loud, curve{Left: 100, Top: 20})
	}
	c.Loud = append(c.Loud, curve{Left: 50, Top: 20})
	c.markEnds()
	for i, a := range c.Loud {
		require.Equal(t, string(rune('A'+i)), a.Mark)
		for _, b := range c.Loud[:i] {
			require.False(t, math.Abs(a.Left-b.Left) < 4 && math.Abs(a.Top-b.Top) < 7.9, "%v covers %v", a, b)
		}
	}
	require.InDelta(t, 20, c.Loud[5].Top, 0.01, "one that is alone stays where its curve ends")
}

func TestAnOutlierThatPassedHasACurveOfItsOwn(t *testing.T) {
	r := passingFleet(8)
	for i := range 2 {
		r.Nodes[i].Verdict = v1alpha1.Suspect // as isolation has it
	}
	c := bandwidthChart(r)
	require.Len(t, c.Loud, 1)
	require.Contains(t, c.Loud[0].Text, "group-0, pass")
	require.Len(t, c.Quiet, 3)
}

func TestSlowest_keeps_every_spike(t *testing.T) {
	times := make([]float64, 10_001)
	times[7777] = 9
	points := slowest(times)
	require.LessOrEqual(t, len(points), stepPoints)
	top := 0.0
	for _, p := range points {
		top = max(top, p.y)
	}
	require.InDelta(t, 9, top, 0)
}

func TestTimeline(t *testing.T) {
	at := func(name string, from, to time.Duration) v1alpha1.GroupResult {
		return v1alpha1.GroupResult{Name: name, Started: new(started.Add(from)), DurationSec: (to - from).Seconds()}
	}
	t.Run("a lane holds what ran one after the other", func(t *testing.T) {
		r := v1alpha1.Report{Groups: []v1alpha1.GroupResult{
			at("g-2", 50*time.Second, 100*time.Second), at("g-0", 0, 50*time.Second), at("g-1", 0, 100*time.Second), {Name: "g-3"},
		}}
		got := timelineOf(r)
		require.Len(t, got.Lanes, 2)
		require.Equal(t, []string{"0", "2"}, []string{got.Lanes[0][0].Label, got.Lanes[0][1].Label})
		require.InDelta(t, 50, got.Lanes[0][1].Left, 0.1)
		require.InDelta(t, 100, got.Lanes[1][0].Width, 0.1)
	})
	t.Run("more at once than there is room for are counted", func(t *testing.T) {
		var r v1alpha1.Report
		for i := range maxLanes + 3 {
			r.Groups = append(r.Groups, at(fmt.Sprint("g-", i), 0, time.Minute))
		}
		require.Equal(t, 3, timelineOf(r).Hidden)
	})
	t.Run("nothing ran, nothing is drawn", func(t *testing.T) { require.Nil(t, timelineOf(v1alpha1.Report{})) })
}

func TestTextFoldsManyGroupsThatPassed(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, WriteText(&text, failingFleet(1000), Terminal))
	require.Less(t, strings.Count(text.String(), "\n"), 120)
	require.Contains(t, text.String(), "  496 more groups passed, ")
	for _, name := range []string{"group-4 ", "group-6 ", "group-9 ", "group-13 "} {
		require.Contains(t, text.String(), "\n  "+name)
	}
}

func TestReasonsAreWholeInAPipe(t *testing.T) {
	in := failInput()
	in.Groups[1].Blamed[0].Reason = strings.Repeat("word ", 60) + "end"
	var text bytes.Buffer
	require.NoError(t, WriteText(&text, Build(in), Unbounded))
	require.Regexp(t, `(?m)^  failed   gpu-node-04 +group-1: (word ){60}end$`, text.String())
	require.NotContains(t, text.String(), "…")
}

func TestClean_reaches_every_text(t *testing.T) {
	r := hostileFleet()
	c := clean(r)
	require.Contains(t, r.Name, "\x1b", "the original stays")
	for _, s := range []string{c.Name, c.Scope, string(c.Cause), c.Nodes[0].Name, c.Excluded[0].Reason, c.Groups[0].Probe[0].Reason, c.Groups[0].FailureLog.Pod, c.Groups[0].Bandwidth.Test, c.Warnings[0]} {
		require.NotRegexp(t, "[\x00-\x1f\u202e]", s)
		require.NotEmpty(t, s)
	}
	require.Contains(t, c.Groups[0].FailureLog.Tail, "\n", "a log keeps its lines")
}

func TestBriefKeepsVerdictsAndReasons(t *testing.T) {
	r := failingFleet(64)
	b := Brief(r)
	require.Equal(t, r.Nodes, b.Nodes)
	require.Equal(t, r.Counts, b.Counts)
	require.NotEmpty(t, r.Groups[0].Bandwidth.Results, "the original stays")
	for i, g := range b.Groups {
		require.Equal(t, r.Groups[i].Verdict, g.Verdict)
		require.True(t, g.Bandwidth == nil || len(g.Bandwidth.Results) == 0 && *g.Bandwidth.PeakBusGBps > 0)
	}
	require.Contains(t, b.Warnings[len(b.Warnings)-1], "left out")
}
