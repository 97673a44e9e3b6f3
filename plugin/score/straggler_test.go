package score_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// timed is a whole, good result of -I 1 -J of four processes, each with a mean time in µs.
func timed(times ...int) string {
	var devices, iterations []string
	for i, us := range times {
		devices = append(devices, fmt.Sprintf(`{"rank":%d,"hostname":"node-%d"}`, i, i))
		iterations = append(iterations, fmt.Sprintf("[%d,%d]", us, us))
	}
	return `{"version":3,"args":["all_reduce_perf"],"config":{"nthreads":1,"ngpus":1,"validation":1,"devices":[` + strings.Join(devices, ",") + `]},"results":[` +
		`{"size":1048576,"count":262144,"type":"float","redop":"sum","root":"-1","out_of_place":{"time":10.0,"alg_bw":100.0,"bus_bw":150.0,"nwrong":0.0},` +
		`"out_of_place_per_iter":{"min_us":9.0,"max_us":32.0,"p99_us":32.0,"cv_pct":40.0,"per_process_max_times_us":[` + strings.Join(iterations, ",") + `]},"in_place":null}],` +
		`"out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":150.0,"okay":"unchecked"},"errors":[""],"end_time":"x"}`
}

func TestStragglers(t *testing.T) {
	t.Run("a process that takes longer is named, and is no fail", func(t *testing.T) {
		got := of(timed(10, 10, 13, 10))
		require.Equal(t, v1alpha1.Pass, got.Verdict, got.Reasons)
		require.Empty(t, got.Nodes)
		require.Equal(t, []v1alpha1.Straggler{{Process: 2, Host: "node-2", Ratio: 1.3, WorstRatio: 1.3, WorstSizeBytes: 1048576}}, got.Bandwidth.Stragglers)
		require.Equal(t, "process 2 on node-2 took 1.3 times as long as the median one, up to 1.3 times at 1048576 B", score.StragglerText(got.Bandwidth.Stragglers[0]))
	})
	t.Run("the slowest comes first, few are kept", func(t *testing.T) {
		got := of(timed(10, 20, 10, 30, 10)).Bandwidth.Stragglers
		require.Len(t, got, 2)
		require.Equal(t, 3, got[0].Process)
		require.Len(t, of(timed(append(repeat(10, 60), repeat(20, 40)...)...)).Bandwidth.Stragglers, 16)
	})
	t.Run("processes that keep together are none", func(t *testing.T) { require.Empty(t, of(timed(100, 104, 98, 101)).Bandwidth.Stragglers) })
	t.Run("an iteration that stands out is told with its size", func(t *testing.T) {
		b := of(timed(10, 10)).Bandwidth
		require.Equal(t, &v1alpha1.Iterations{MinUs: 9, MaxUs: 32, P99Us: 32, CVPercent: 40}, b.Results[0].OutOfPlace.Iterations)
		ratio, size, ok := score.SlowestIteration(b)
		require.True(t, ok)
		require.InDelta(t, 3.2, ratio, 1e-9)
		require.EqualValues(t, 1048576, size)
		_, _, ok = score.SlowestIteration(of(good).Bandwidth)
		require.False(t, ok)
	})
	t.Run("a pass with one warns of it", func(t *testing.T) {
		r := score.Group(score.Evidence{Ending: score.Complete, Logs: []v1alpha1.LogScore{of(timed(10, 20, 10, 30, 10))}})
		require.Equal(t, v1alpha1.Pass, r.Verdict)
		require.Equal(t, []string{"process 3 on node-3 took 3 times as long as the median one, up to 3 times at 1048576 B, and 1 more was slow"}, r.Warnings)
	})
}

func repeat(v, n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = v
	}
	return values
}

// TestRepeats: a run that was asked to repeat itself says when its results differed.
func TestRepeats(t *testing.T) {
	differ := strings.Replace(good, "# Avg bus", "# Bitwise mismatches   : 3 FAILED\n# Avg bus", 1)
	got := of(differ)
	require.Equal(t, v1alpha1.Fail, got.Verdict)
	require.Equal(t, v1alpha1.CauseWrongResults, got.Cause)
	require.Equal(t, []string{"line 9: 3 results differed when the run repeated itself"}, got.Reasons)
	require.Equal(t, v1alpha1.Pass, of(strings.Replace(differ, "3 FAILED", "0 OK", 1)).Verdict)
	require.Equal(t, v1alpha1.Fail, of(strings.Replace(timed(10, 10), `"average_bus`, `"bitwise_mismatches":{"count":2,"okay":"false"},"average_bus`, 1)).Verdict)
}
