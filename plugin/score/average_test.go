package score_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// TestAverage: the footer's average must be that of the rows, where the rows are all there.
func TestAverage(t *testing.T) {
	sweep := "# nThread 1 nGpus 1 minBytes 1024 maxBytes 8192 step: 2(factor) warmup iters: 1 iters: 5 validation: 1\n"
	table := func(sizes ...int) string {
		var b strings.Builder
		for i, size := range sizes {
			fmt.Fprintf(&b, "%d %d float sum -1 20.39 %d.00 %d.00 0 20.48 %d.00 %d.00 0\n", size, size/4, i+1, i+1, i+1, i+1)
		}
		return b.String()
	}
	average := func(v float64) string {
		return fmt.Sprintf("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : %g\n", v)
	}
	nccl := "node02:7:8 [1] NCCL INFO Channel 00 : 0[0] -> 1[1] via P2P/IPC\n"
	units := "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n"
	for name, c := range map[string]struct {
		text string
		want v1alpha1.Verdict
	}{
		"the mean of all rows":                             {sweep + devices + header + units + table(1024, 2048, 4096, 8192) + average(2.5), v1alpha1.Pass},
		"within the rounding of the rows":                  {sweep + devices + header + units + table(1024, 2048, 4096, 8192) + average(2.504), v1alpha1.Pass},
		"another number is not the table's":                {sweep + devices + header + units + table(1024, 2048, 4096, 8192) + average(2.6), v1alpha1.Unknown},
		"nor in two cycles":                                {sweep + devices + header + strings.Repeat(table(1024, 2048, 4096, 8192), 2) + average(2.6), v1alpha1.Unknown},
		"nor without parameters, in a table that is uncut": {devices + header + units + table(1024, 2048, 4096) + average(2.6), v1alpha1.Unknown},
		"an excerpt leaves rows out":                       {sweep + devices + header + "...\n" + table(1024, 2048) + average(2.0), v1alpha1.Pass},
		"a row lost to a line of NCCL's":                   {sweep + devices + header + units + table(1024) + "     " + nccl + table(4096, 8192) + average(2.5), v1alpha1.Unknown},
		"lines of NCCL's that took none":                   {sweep + devices + header + units + table(1024) + nccl + table(2048, 4096, 8192) + average(1.75), v1alpha1.Pass},
		"nor in the second of two cycles":                  {sweep + devices + header + units + table(1024, 2048, 4096, 8192, 1024) + nccl + table(4096, 8192) + average(2), v1alpha1.Unknown},
		"and so does one without parameters":               {devices + header + table(1024, 4096, 8192) + average(1.2), v1alpha1.Pass},
		"but its average is not above the best row":        {devices + header + "...\n" + table(1024, 4096, 8192) + average(3.2), v1alpha1.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			got := of(c.text)
			require.Equal(t, c.want, got.Verdict, got.Reasons)
			require.Equal(t, c.want == v1alpha1.Pass, got.Bandwidth.Complete)
		})
	}
}

// TestRanksProblem: a whole device list and the bandwidths must tell of the same number of ranks.
func TestRanksProblem(t *testing.T) {
	name := begin[:strings.Index(begin, "\n")+1]
	of16 := strings.ReplaceAll(strings.ReplaceAll(rows, "   25.71   25.71", "   25.71   48.21"), "   37.77   37.77       0    27.49   38.14   38.14", "   37.77   70.82       0    27.49   38.14   71.51")
	for text, c := range map[string]struct{ text, want string }{
		"two ranks":                 {name + devices + header + rows + footer + end, ""},
		"the bandwidths of sixteen": {name + devices + header + of16 + strings.Replace(footer, "31.8", "45.7", 1) + end, "2 ranks are listed, but"},
		"an excerpt of a long list": {name + strings.Replace(devices, "Rank  1", "Rank  9", 1) + header + of16 + strings.Replace(footer, "31.8", "45.7", 1) + end, ""},
		"no list":                   {name + header + of16 + strings.Replace(footer, "31.8", "45.7", 1) + end, ""},
	} {
		t.Run(text, func(t *testing.T) {
			got := of(c.text)
			require.Equal(t, v1alpha1.Pass, got.Verdict, got.Reasons)
			require.Contains(t, got.Bandwidth.RanksProblem, c.want)
			require.Equal(t, c.want == "", got.Bandwidth.RanksProblem == "")
		})
	}
}
