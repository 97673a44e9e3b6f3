package demo

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

const threshold = "value >= 350"

func TestRun_names_the_two_bad_nodes_and_nobody_else(t *testing.T) {
	for seed := range uint64(40) {
		for _, nodes := range []int{8, 63, 64} {
			f := NewFleet(nodes, seed)
			o, err := Run(f, threshold)
			require.NoError(t, err)
			r := o.Report
			require.Equal(t, v1alpha1.Fail, r.Verdict)
			require.Equal(t, v1alpha1.Counts{Target: nodes, Passed: nodes - 2, Failed: 2}, r.Counts, "seed %d, %d nodes", seed, nodes)
			for _, n := range r.Nodes {
				require.Equal(t, n.Name == f.Slow || n.Name == f.Corrupt, n.Verdict == v1alpha1.Failed, n)
			}
		}
	}
}

func TestRun_of_a_sound_fleet_passes(t *testing.T) {
	f := NewFleet(64, 1)
	f.Slow, f.Corrupt = "", ""
	o, err := Run(f, threshold)
	require.NoError(t, err)
	require.Equal(t, v1alpha1.Pass, o.Report.Verdict)
	require.Zero(t, o.Again, "nobody is suspect, so nobody is tested again")
}

func TestRun_gives_the_same_bytes(t *testing.T) {
	page := func() string {
		o, err := Run(NewFleet(64, 3), threshold)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, report.WriteJSON(&b, o.Report))
		return b.String()
	}
	require.Equal(t, page(), page())
}

func TestRun_refuses(t *testing.T) {
	_, err := Run(NewFleet(1, 1), threshold)
	require.EqualError(t, err, "cutting the fleet into pairs: need 2, found 1 node for one group")
	_, err = Run(NewFleet(8, 1), "value >")
	require.ErrorContains(t, err, `reading the threshold: busBandwidthGBps: is "value >": column 8`)
}

// The parser finds in the log what the writer put in.
func TestLog_reads_as_what_it_says(t *testing.T) {
	f := NewFleet(8, 5)
	text, _ := f.run(job{"pair", []string{f.Corrupt, f.Slow}})
	log := parse.Text([]byte(text))
	require.Len(t, log.Tests, 1)
	o, err := Run(f, threshold)
	require.NoError(t, err)
	for _, g := range o.Report.Groups {
		b := g.Bandwidth
		require.Equal(t, 16, *b.Ranks, g.Name)
		require.True(t, b.Complete && b.Checked, g.Name)
		require.Len(t, b.Results, 31)
		bad := fmt.Sprint(g.Nodes)
		require.Equal(t, bytes.Contains([]byte(bad), []byte(f.Corrupt)), *b.Wrong > 0, g.Name)
		require.InDelta(t, goodGBps, *b.PeakBusGBps, goodGBps*0.45, g.Name)
	}
}

func BenchmarkRun64(b *testing.B) {
	for b.Loop() {
		if _, err := Run(NewFleet(64, 1), threshold); err != nil {
			b.Fatal(err)
		}
	}
}
