package score_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

const (
	begin = `# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 1048576 step: 2(factor) warmup iters: 1 iters: 5 agg iters: 1 validation: 1 graph: 0
`
	devices = `#  Rank  0 Group  0 Pid     12 on node-a device  0 [0000:04:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid     13 on node-b device  0 [0000:04:00] NVIDIA H100 80GB HBM3
`
	header = `#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
`
	rows = `      524288        131072     float     sum      -1    20.39   25.71   25.71       0    20.48   25.60   25.60       0
     1048576        262144     float     sum      -1    27.76   37.77   37.77       0    27.49   38.14   38.14       0
`
	footer = `# Out of bounds values : 0 OK
# Avg bus bandwidth    : 31.8
`
	end  = "# Collective test concluded: all_reduce_perf\n"
	good = begin + devices + header + rows + footer + end

	gone    = "ssh: Could not resolve hostname w-0.w: Name or service not known\n"
	crash   = "node-b: Test NCCL failure common.cu:1204 'unhandled cuda error'\n"
	stack   = " .. node-b pid 13: Test failure common.cu:915\n"
	aborted = "mpirun noticed that process rank 1 with PID 13 on node node-b exited on signal 9 (Killed).\n"
	warning = "node-b:1:2 [0] x.cc:1 NCCL WARN NET/IB : Got completion from peer 192.0.2.1<49189> with error 4\n"
)

func of(text string) v1alpha1.LogScore { return score.Log("x.txt", parse.Text([]byte(text))) }

func TestVerdict(t *testing.T) {
	alone := strings.SplitAfter(devices, "\n")[0]
	zero := "      524288        131072     float     sum      -1    20.39   25.71    0.00       0    20.48   25.60    0.00       0\n"
	nought := strings.Replace(footer, "31.8", "0", 1)
	for name, c := range map[string]struct {
		text    string
		verdict v1alpha1.Verdict
		cause   v1alpha1.Cause
		nodes   []string
	}{
		"a whole, checked, right run of two ranks is a pass": {good, v1alpha1.Pass, "", nil},
		"an empty log is not a pass":                         {"", v1alpha1.Unknown, v1alpha1.CauseIncomplete, nil},
		"a log of something else is not a pass":              {"hello\nworld\n", v1alpha1.Unknown, v1alpha1.CauseIncomplete, nil},
		"a footer of another run is not a pass":              {begin + devices + header + rows + strings.Replace(footer, "31.8", "41.8", 1) + end, v1alpha1.Unknown, v1alpha1.CauseIncomplete, nil},
		"a run without rows is not a pass":                   {begin + devices + header + footer + end, v1alpha1.Unknown, v1alpha1.CauseIncomplete, nil},
		"half a footer is not a pass":                        {begin + devices + header + rows + "# Avg bus bandwidth    : 31.8\n" + end, v1alpha1.Unknown, v1alpha1.CauseIncomplete, nil},
		"the other half is not either":                       {begin + devices + header + rows + "# Out of bounds values : 0 OK\n" + end, v1alpha1.Unknown, v1alpha1.CauseIncomplete, nil},
		"a test that never ends is not a pass":               {begin + devices + header + rows + footer, v1alpha1.Unknown, v1alpha1.CauseIncomplete, nil},
		"a second test that never ends is not a pass":        {good + begin, v1alpha1.Unknown, v1alpha1.CauseIncomplete, nil},
		"two good tests are a pass":                          {good + good, v1alpha1.Pass, "", nil},
		"validation off is not a pass":                       {strings.Replace(good, "validation: 1", "validation: 0", 1), v1alpha1.Unknown, v1alpha1.CauseUnchecked, nil},
		"rows without a check are not a pass":                {strings.ReplaceAll(good, "       0 ", "     N/A ")[:], v1alpha1.Pass, "", nil}, // one placement of each row is checked
		"rows without any check are not a pass":              {strings.ReplaceAll(strings.ReplaceAll(good, "       0 ", "     N/A "), "       0\n", "     N/A\n"), v1alpha1.Unknown, v1alpha1.CauseUnchecked, nil},
		"one wrong value is a fail":                          {strings.Replace(good, "25.71       0", "25.71       1", 1), v1alpha1.Fail, v1alpha1.CauseWrongResults, nil},
		"a failed footer is a fail":                          {strings.Replace(good, "0 OK", "3 FAILED", 1), v1alpha1.Fail, v1alpha1.CauseWrongResults, nil},
		"the tool's own gate is a fail":                      {strings.Replace(good, "31.8", "31.8 FAILED", 1), v1alpha1.Fail, v1alpha1.CauseThreshold, nil},
		"the tool's own gate may be met":                     {strings.Replace(good, "31.8", "31.8 OK", 1), v1alpha1.Pass, "", nil},
		"a crash is a fail":                                  {begin + devices + header + rows + crash + stack, v1alpha1.Fail, v1alpha1.CauseCUDAError, []string{"node-b"}},
		"a crash before a good run is a fail":                {crash + good, v1alpha1.Fail, v1alpha1.CauseCUDAError, []string{"node-b"}},
		"an abort alone is a fail":                           {aborted, v1alpha1.Fail, v1alpha1.CauseJobFailed, []string{"node-b"}},
		"wrong values explain the abort after them":          {strings.Replace(good, "0 OK", "3 FAILED", 1) + stack + aborted, v1alpha1.Fail, v1alpha1.CauseWrongResults, nil},
		"a crash explains the abort after it":                {aborted + crash, v1alpha1.Fail, v1alpha1.CauseCUDAError, []string{"node-b"}},
		"a fatal warning is a fail":                          {begin + devices + header + rows + warning, v1alpha1.Fail, v1alpha1.CauseIBError, []string{"node-b"}},
		"a warning that a good end overcame is a pass":       {strings.Replace(good, header, header+warning, 1), v1alpha1.Pass, "", nil},
		"names that cannot be resolved are a fail":           {gone, v1alpha1.Fail, v1alpha1.CauseDNS, []string{"w-0"}},
		"names that resolved later are a pass":               {gone + good, v1alpha1.Pass, "", nil},
		"names lost after a run are a fail":                  {good + gone, v1alpha1.Fail, v1alpha1.CauseDNS, []string{"w-0"}},
		"a throttled login explains that mpirun gave up":     {"kex_exchange_identification: read: Connection reset by peer\nORTE was unable to reliably start one or more daemons.\n", v1alpha1.Unknown, v1alpha1.CauseThrottle, nil},
		"mpirun that gave up by itself is a fail":            {"ORTE was unable to reliably start one or more daemons.\n", v1alpha1.Fail, v1alpha1.CauseJobFailed, nil},
		"a refused login explains that mpirun gave up":       {"ssh: connect to host w-1 port 22: Connection refused\nORTE was unable to reliably start one or more daemons.\n", v1alpha1.Unknown, v1alpha1.CauseWorkerNotStarted, []string{"w-1"}},
		"a throttled login may be tried again":               {"kex_exchange_identification: read: Connection reset by peer\n", v1alpha1.Unknown, v1alpha1.CauseThrottle, nil},
		"one rank is not a pass":                             {strings.Replace(begin+alone+header+rows+nought+end, rows, zero, 1), v1alpha1.Unknown, v1alpha1.CauseSingleRank, nil},
		"one rank in cycles is still one rank":               {begin + alone + header + zero + zero + nought + end, v1alpha1.Unknown, v1alpha1.CauseSingleRank, nil},
		"two rank 0 are a build without MPI":                 {begin + alone + alone + header + zero + zero + nought + end, v1alpha1.Fail, v1alpha1.CauseNoMPI, nil},
		"zero over and over is a build without MPI":          {header + header + zero + zero + nought, v1alpha1.Fail, v1alpha1.CauseNoMPI, nil},
		"two processes one after the other as well":          {strings.Repeat(strings.Replace(begin, "# Collective test starting: all_reduce_perf\n", "", 1)+alone+header+zero, 2) + nought + nought, v1alpha1.Fail, v1alpha1.CauseNoMPI, nil},
		"a broadcast that does not show its ranks":           {header + strings.ReplaceAll(rows, "sum      -1", "none      0") + footer, v1alpha1.Unknown, v1alpha1.CauseIncomplete, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := of(c.text)
			require.Equal(t, c.verdict, got.Verdict, "%v", got.Reasons)
			require.Equal(t, c.cause, got.Cause, "%v", got.Reasons)
			require.ElementsMatch(t, c.nodes, got.Nodes)
			require.Equal(t, got.Verdict == v1alpha1.Pass, len(got.Reasons) == 0, "a reason for everything but a pass: %v", got.Reasons)
		})
	}
}

// TestUnreadableRows: what a row that cannot be read measured, nobody knows; what it counted as wrong, still counts.
func TestUnreadableRows(t *testing.T) {
	const unread = "line 7: a row that cannot be read"
	nothing := strings.NewReplacer("25.71", "0.00", "25.60", "0.00", "37.77", "0.00", "38.14", "0.00")
	for name, c := range map[string]struct {
		text    string
		verdict v1alpha1.Verdict
		reason  string
	}{
		"a negative bandwidth":      {strings.Replace(good, "38.14   38.14", "38.14    -1.0", 1), v1alpha1.Unknown, unread},
		"its wrong values":          {strings.Replace(good, "38.14   38.14       0", "38.14    -1.0       9", 1), v1alpha1.Fail, "line 7: 9 wrong values at 1048576 B (in-place)"},
		"a size of 30 digits":       {strings.Replace(good, "1048576        ", strings.Repeat("9", 30)+" ", 1), v1alpha1.Unknown, ""},
		"nan in both placements":    {strings.NewReplacer("37.77", "nan", "38.14", "nan").Replace(good), v1alpha1.Unknown, unread},
		"inf in both placements":    {strings.NewReplacer("37.77", "inf", "38.14", "inf").Replace(good), v1alpha1.Unknown, unread},
		"1e308 in every row":        {strings.NewReplacer("25.71", "1e308", "37.77", "1e308", "38.14", "1e308").Replace(good), v1alpha1.Unknown, "line 6: a row that cannot be read"},
		"half a row":                {strings.Replace(good, "       0    27.49   38.14   38.14       0", "", 1), v1alpha1.Unknown, unread},
		"0 everywhere of two ranks": {begin + devices + header + nothing.Replace(rows) + footer + end, v1alpha1.Unknown, "line 6: a row that cannot be read: every bus bandwidth is 0, although 2 ranks are listed"},
		"too slow for two decimals": {begin + devices + header + nothing.Replace(rows) + strings.Replace(footer, "31.8", "0.00055", 1) + end, v1alpha1.Pass, ""},
		"0 FAILED":                  {strings.Replace(good, "0 OK", "0 FAILED", 1), v1alpha1.Fail, "line 8: the tool says FAILED, with 0 results out of bounds"},
		"an echo of a footer":       {"+ echo '# Out of bounds values : 0 OK'\n" + begin + devices + header + rows + end, v1alpha1.Unknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := of(c.text)
			_, err := json.Marshal(got)
			require.NoError(t, err)
			require.Equal(t, c.verdict, got.Verdict, "%v", got.Reasons)
			if c.verdict == v1alpha1.Unknown {
				require.Equal(t, v1alpha1.CauseIncomplete, got.Cause)
				require.False(t, got.Bandwidth.Complete)
			}
			if c.reason != "" {
				require.Equal(t, c.reason, got.Reasons[0])
			}
		})
	}
}

func TestReasons(t *testing.T) {
	text := begin + devices + header + strings.Replace(rows, "37.77       0", "37.77      56", 1) + strings.Replace(footer, "0 OK", "1 FAILED", 1) + end
	require.Equal(t, []string{
		"line 7: 56 wrong values at 1048576 B (out-of-place)",
		"line 8: the tool counted 1 results out of bounds",
	}, of(text).Reasons)
	require.Equal(t, "line 1: cuda-error on node-b: node-b: Test NCCL failure common.cu:1204 'unhandled cuda error' (2 times)", of(crash + crash).Reasons[0])
}

func TestRanks(t *testing.T) {
	list := func(ranks ...int) string {
		var b strings.Builder
		for _, r := range ranks {
			fmt.Fprintf(&b, "#  Rank %2d Group  0 Pid     12 on node-a device  0 [0000:04:00] NVIDIA H100\n", r)
		}
		return b.String()
	}
	row := func(alg, bus float64) string {
		return fmt.Sprintf("1048576 262144 float sum -1 27.76 %.2f %.2f 0 27.49 %.2f %.2f 0\n", alg, bus, alg, bus)
	}
	n := func(v int) *int { return &v }
	for name, c := range map[string]struct {
		text string
		want *int
	}{
		"a list without a gap":                   {list(0, 1, 2, 3), n(4)},
		"a list with a gap":                      {list(0, 3), nil},
		"a gap that the quotient confirms":       {list(0, 3) + row(100, 150), n(4)},
		"a gap that another quotient confirms":   {list(0, 3) + row(100, 75), n(4)},
		"a gap that the quotient contradicts":    {list(0, 3) + row(100, 175), nil},
		"a gap and a quotient that says nothing": {list(0, 3) + row(100, 100), nil},
		"a list that the quotient contradicts":   {list(0, 1, 2, 3) + row(100, 175), nil},
		"a list and a broadcast":                 {list(0, 1, 2, 3) + row(100, 100), n(4)},
		"a list and rows too small to tell":      {list(0, 1, 2, 3) + row(0.04, 0.04), n(4)},
		"a list that ends within a process":      {"# nThread 1 nGpus 8 minBytes 8\n" + list(0, 1), nil},
		"a rank twice":                           {list(0, 1, 1, 2), nil},
		"no list":                                {row(100, 150), nil},
		"1440 ranks":                             {list(1439) + row(203.01, 405.74), n(1440)},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, of(c.text).Bandwidth.Ranks)
		})
	}
}

func TestBandwidth(t *testing.T) {
	t.Run("the mean over cycles, the peak of a row, what a threshold sees", func(t *testing.T) {
		second := strings.ReplaceAll(strings.ReplaceAll(rows, "37.77", "57.77"), "38.14", "20.00")
		b := of(begin + devices + header + rows + second + footer + end).Bandwidth
		require.InDelta(t, 57.77, *b.PeakBusGBps, 0)
		require.EqualValues(t, 1048576, *b.PeakSizeBytes)
		require.InDelta(t, 47.77, *b.BusBandwidthGBps, 0)
		require.InDelta(t, 47.77, *b.LargestSizeBusGBps, 0)
		require.Len(t, b.Results, 2)
		require.Equal(t, 2, b.Results[1].Samples)
		require.InDelta(t, 29.07, b.Results[1].InPlace.BusGBps, 0)
		require.True(t, b.Checked)
		require.True(t, b.Complete)
		require.EqualValues(t, 0, *b.Wrong)
		require.InDelta(t, 31.8, *b.AvgBusGBps, 0)
		require.Equal(t, "all_reduce", b.Test)
	})
	t.Run("the threshold and the largest size may differ", func(t *testing.T) {
		b := of(strings.NewReplacer("37.77", "7.77", "38.14", "8.14").Replace(good)).Bandwidth
		require.InDelta(t, 25.71, *b.BusBandwidthGBps, 0)
		require.InDelta(t, 7.77, *b.LargestSizeBusGBps, 0)
	})
	t.Run("in place counts where nothing else exists", func(t *testing.T) {
		b := of(header + "1048576 262144 float sum -1 27.49 38.14 38.14 0\n").Bandwidth
		require.InDelta(t, 38.14, *b.BusBandwidthGBps, 0)
		require.Nil(t, b.Results[0].OutOfPlace)
	})
	t.Run("what the log does not hold is null", func(t *testing.T) {
		b := of(begin).Bandwidth
		text, err := json.Marshal(b)
		require.NoError(t, err)
		require.JSONEq(t, `{"test":"all_reduce","ranks":null,"peakBusGBps":null,"peakSizeBytes":null,"avgBusGBps":null,"wrong":null,"checked":false,"complete":false,"busBandwidthGBps":null,"algBandwidthGBps":null,"largestSizeBusGBps":null,"results":[]}`, string(text))
	})
	t.Run("several tests agree or say nothing", func(t *testing.T) {
		b := of(good + strings.ReplaceAll(good, "all_reduce", "reduce")).Bandwidth
		require.Empty(t, b.Test)
		require.Nil(t, b.AvgBusGBps)
		require.Equal(t, 2, *b.Ranks)
		require.Len(t, b.Results, 4)
	})
}

func TestThresholds(t *testing.T) {
	thresholds, errs := v1alpha1.ParseThresholds(map[string]string{
		v1alpha1.KeyBusBandwidth: "value >= 37", v1alpha1.KeyAlgBandwidth: "value > 40", v1alpha1.KeyGoodput: "value >= 0",
	})
	require.Empty(t, errs)
	results := score.Thresholds(thresholds, of(good))
	require.Len(t, results, 3)
	require.Equal(t, v1alpha1.KeyAlgBandwidth, results[0].Key)
	require.InDelta(t, 37.77, *results[0].Value, 0)
	require.False(t, results[0].Met)
	require.InDelta(t, 37.77, *results[1].Value, 0)
	require.True(t, results[1].Met)
	require.Equal(t, v1alpha1.ThresholdResult{Key: v1alpha1.KeyGoodput, Expression: "value >= 0"}, results[2], "not measured is not met")

	t.Run("a true zero is a value", func(t *testing.T) {
		zero := 0.0
		s := v1alpha1.LogScore{Training: &v1alpha1.Training{GoodputRatio: &zero}}
		got := score.Thresholds(thresholds[2:], s)
		require.Equal(t, &zero, got[0].Value)
		require.True(t, got[0].Met)
	})
	t.Run("the mean of a training", func(t *testing.T) {
		tflops, err := v1alpha1.ParseThreshold(v1alpha1.KeyTFLOPs, "value == 15.0")
		require.NoError(t, err)
		got := score.Thresholds([]v1alpha1.Threshold{tflops}, v1alpha1.LogScore{Training: of("step: 1 loss: 6.2 tps: 1 tflops: 10.0\nstep: 2 loss: 6.2 tps: 1 tflops: 20.0\n").Training})
		require.True(t, got[0].Met)
	})
	t.Run("an expression that cannot be evaluated for a value leaves the answer open", func(t *testing.T) {
		bad, err := v1alpha1.ParseThreshold(v1alpha1.KeyBusBandwidth, "1 / (int(value) - 37) == 1")
		require.NoError(t, err)
		got := score.Thresholds([]v1alpha1.Threshold{bad}, of(good))
		require.Nil(t, got[0].Value)
		require.False(t, got[0].Met)
	})
}

// TestPrefix: a log that is still being written, or was cut, is never a pass before the last line that a pass needs.
func TestPrefix(t *testing.T) {
	texts := map[string]string{"good": good, "good after a failed launch": gone + good}
	for _, l := range labels(t) {
		texts[l.File] = string(sample(t, l.File))
	}
	for name, text := range texts {
		stride := 17
		if of(text).Verdict == v1alpha1.Pass {
			stride = 1
		}
		needed := len(text)
		if i := strings.LastIndex(text, "# Avg bus bandwidth"); i >= 0 && !strings.Contains(text, "Collective test") {
			needed = i + strings.Index(text[i:], "\n") // what follows the footer of an old version says nothing
		}
		for n := 0; n <= needed; n += stride {
			if n < len(text) {
				got := score.Log(name, parse.Text([]byte(text[:n])))
				require.NotEqual(t, v1alpha1.Pass, got.Verdict, "%s cut at byte %d", name, n)
			}
		}
	}
	t.Run("a second test that has begun is needed too", func(t *testing.T) {
		for n := len(good) + strings.Index(good, "\n") + 1; n < 2*len(good); n++ {
			require.NotEqual(t, v1alpha1.Pass, of((good + good)[:n]).Verdict, "cut at byte %d", n)
		}
	})
}

// FuzzScore: anything is judged without a panic; a pass has all that a pass needs; every number can be written as JSON.
func FuzzScore(f *testing.F) {
	for _, l := range labels(f) {
		f.Add(sample(f, l.File))
	}
	for _, text := range []string{good, begin + devices + header + rows + crash + stack + aborted, gone + good, warning} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		log := parse.Text(text)
		got := score.Log("fuzz", log)
		out, err := json.Marshal(got)
		require.NoError(t, err)
		again, err := json.Marshal(score.Log("fuzz", parse.Text(text)))
		require.NoError(t, err)
		require.Equal(t, string(out), string(again), "same text, same bytes")
		require.Equal(t, got.Verdict == v1alpha1.Pass, got.Kind == v1alpha1.KindBandwidth && len(got.Reasons) == 0)
		if got.Verdict == v1alpha1.Pass {
			b := got.Bandwidth
			require.True(t, b.Checked && b.Complete && b.PeakBusGBps != nil)
			require.True(t, b.Wrong == nil || *b.Wrong == 0)
			require.True(t, b.Ranks == nil || *b.Ranks > 1)
			require.False(t, math.IsInf(*b.PeakBusGBps, 0))
			for _, failure := range log.Failures {
				require.True(t, failure.Launch || failure.Warning)
			}
		}
	})
}

// FuzzPrefix: a log that was cut is no pass by what the cut has left of its last line: a number may have lost its end. Only an
// object, and what ends within a line as a bar does, shows by itself that it is whole.
func FuzzPrefix(f *testing.F) {
	for _, l := range labels(f) {
		text := sample(f, l.File)
		f.Add(text, len(text)-1)
	}
	for _, text := range []string{good, good + good, gone + good, warning + good} {
		f.Add([]byte(text), len(text)-2)
		f.Add([]byte(text), strings.Index(text, "# Avg")+24)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		if cut = cut % (len(text) + 1); cut < 0 {
			cut = -cut
		}
		text = text[:cut]
		whole := text[:bytes.LastIndexAny(text, "\r\n")+1]
		if score.Log("cut", parse.Text(text)).Verdict == v1alpha1.Pass && !bytes.ContainsAny(text[len(whole):], "}\\") {
			require.Equal(t, v1alpha1.Pass, score.Log("whole", parse.Text(whole)).Verdict)
		}
	})
}

func BenchmarkScore(b *testing.B) {
	log := parse.Text([]byte(good))
	for b.Loop() {
		if score.Log("good", log).Verdict != v1alpha1.Pass {
			b.Fatal("not a pass")
		}
	}
}
