package score_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// layout is how one version of nccl-tests or rccl-tests prints a run of three sizes. In device lines RANK and HOST stand for what
// they say, in rows SIZE, COUNT, TIME, ALG and BUS.
type layout struct {
	before, device, names, row string
	ranks                      int
	factor                     float64 // busbw through algbw
	bounds                     string  // of the footer; "0 OK" when empty
	after                      string
}

var (
	layoutSizes = []int{1048576, 134217728, 1073741824}
	layoutAlg   = []float64{40, 180, 230.11}
)

func (l layout) text() string {
	var b strings.Builder
	b.WriteString(l.before)
	for r := range l.ranks {
		b.WriteString(strings.NewReplacer("RANK", fmt.Sprintf("%2d", r), "HOST", fmt.Sprintf("gpu-%02d", r/8)).Replace(l.device) + "\n")
	}
	b.WriteString(l.names + "\n")
	for i, size := range layoutSizes {
		b.WriteString(strings.NewReplacer("SIZE", fmt.Sprintf("%12d", size), "COUNT", fmt.Sprintf("%12d", size/4), "TIME", fmt.Sprintf("%7.1f", float64(size)/layoutAlg[i]/1e3),
			"ALG", fmt.Sprintf("%6.2f", layoutAlg[i]), "BUS", fmt.Sprintf("%6.2f", layoutAlg[i]*l.factor)).Replace(l.row) + "\n")
	}
	bounds := l.bounds
	if bounds == "" {
		bounds = "0 OK"
	}
	fmt.Fprintf(&b, "# Out of bounds values : %s\n# Avg bus bandwidth    : %g \n#\n%s", bounds, l.average(), l.after)
	return b.String()
}

func (l layout) peak() float64 { return printedBus(layoutAlg[2] * l.factor) }

func (l layout) average() float64 {
	sum := 0.0
	for _, alg := range layoutAlg {
		sum += printedBus(alg * l.factor)
	}
	return math.Round(sum/3*1000) / 1000
}

// printedBus is a bandwidth with the decimals that it is printed with.
func printedBus(v float64) float64 {
	printed, err := strconv.ParseFloat(fmt.Sprintf("%.2f", v), 64)
	if err != nil {
		panic(err)
	}
	return printed
}

const (
	layoutConfig = "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1073741824 step: 128(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n"
	oldConfig    = "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1073741824 step: 128(factor) warmup iters: 5 iters: 20 validation: 1\n"
	oldDevice    = "#   Rank RANK Pid   2000 on HOST device  0 [0x04] Tesla V100-SXM2-32GB"
	newDevice    = "#  Rank RANK Group  0 Pid   2000 on HOST device  0 [0000:04:00] NVIDIA H100 80GB HBM3"
	allReduce    = "# Collective test starting: all_reduce_perf_mpi\n"
	allReduced   = "# Collective test concluded: all_reduce_perf_mpi\n"
)

// placements writes what stands twice in a line: in a header and in a row.
func placements(before, each, behind string) string { return before + each + each + behind }

func names(each string) string { return placements("#  size  count  type  redop  root", each, "") }

func modern() layout {
	return layout{before: "# nccl-tests version 2.17.8 nccl-headers=22809 nccl-library=22809\n" + allReduce + layoutConfig, device: newDevice, ranks: 16, factor: 1.875,
		names: names("  time  algbw  busbw  #wrong"), row: placements("SIZE  COUNT     float     sum      -1", "  TIME  ALG  BUS       0", ""), after: allReduced}
}

// TestLayouts: every version's own layout is read to the same numbers.
func TestLayouts(t *testing.T) {
	old := func(columns, cells string, factor float64) layout {
		return layout{before: oldConfig, device: oldDevice, ranks: 8, factor: factor,
			names: placements("#  size  count  type  "+columns, "  time  algbw  busbw  error", ""), row: placements("SIZE  COUNT   float  "+cells, "  TIME  ALG  BUS  4e-07", "")}
	}
	with := func(change func(*layout)) layout {
		l := modern()
		change(&l)
		return l
	}
	iterations := "  i_min  i_max  i_p99  i_cv%"
	for name, c := range map[string]struct {
		layout  layout
		verdict v1alpha1.Verdict
		cause   v1alpha1.Cause
		wrong   int64 // -1 for none
	}{
		"1.0": {layout{before: strings.TrimPrefix(oldConfig, "# "), device: "#   Rank RANK on  HOST device  0 [0x04] Tesla P100", ranks: 4, factor: 1.5,
			names: placements("#  bytes  N  type  op", "  time  algbw  busbw  res", ""), row: placements("SIZE  COUNT   float     sum", "  TIME  ALG  BUS    1e-07", "")}, v1alpha1.Pass, "", -1},
		"2.8 all_reduce":         {old("redop", "sum", 1.75), v1alpha1.Pass, "", -1},
		"2.8 reduce with a root": {old("redop  root", "sum  0", 1), v1alpha1.Pass, "", -1},
		"2.9 broadcast":          {old("root", "0", 1), v1alpha1.Pass, "", -1},
		"2.9 all_gather":         {old("", "", 0.875), v1alpha1.Pass, "", -1},
		"2.9 alltoall, blank":    {old("redop", "   ", 0.875), v1alpha1.Pass, "", -1},
		"2.10 failed check": {func() layout {
			l := old("redop", "sum", 1.75)
			l.bounds = "6 FAILED"
			return l
		}(), v1alpha1.Fail, v1alpha1.CauseWrongResults, -1},
		"2.11 without checks": {func() layout {
			l := old("redop", "sum", 1.75)
			l.row = strings.ReplaceAll(l.row, "4e-07", "N/A")
			return l
		}(), v1alpha1.Unknown, v1alpha1.CauseUnchecked, -1},
		"2.13.0":                {with(func(l *layout) { l.before, l.device, l.after = layoutConfig, oldDevice, "" }), v1alpha1.Pass, "", 0},
		"2.16 bfloat16, mean":   {with(func(l *layout) { l.row = strings.Replace(l.row, "   float     sum", "bfloat16     avg", 1) }), v1alpha1.Pass, "", 0},
		"2.18 fp8, unaligned":   {with(func(l *layout) { l.row = strings.Replace(l.row, "   float", "  f8e4m3", 1) }), v1alpha1.Pass, "", 0},
		"2.17.3 six places":     {with(func(l *layout) { l.row = strings.ReplaceAll(l.row, "TIME", "1.2e+06") }), v1alpha1.Pass, "", 0},
		"2.17.3 unchecked half": {with(func(l *layout) { l.row = strings.TrimSuffix(l.row, "0") + "N/A" }), v1alpha1.Pass, "", 0},
		"2.17.6 with -S 1":      {with(func(l *layout) { l.names += "  timestamp"; l.row += "  2026-10-31 12:00:01" }), v1alpha1.Pass, "", 0},
		"2.17.7 with -M 1":      {with(func(l *layout) { l.row += "\n# GPU memory usage    : initial 1.20 GB | comms 2.30 GB | Total  3.50 GB" }), v1alpha1.Pass, "", 0},
		"2.19.2 with -I 1": {with(func(l *layout) {
			l.names = names("  time  algbw  busbw  #wrong" + iterations)
			l.row = placements("SIZE COUNT float sum -1", "  TIME  ALG  BUS  0  10.1  20.2  20.1  3.4", "")
		}), v1alpha1.Pass, "", 0},
		"2.19.2 with -I 1 -S 1": {with(func(l *layout) {
			l.names = names("  time  algbw  busbw  #wrong"+iterations) + "  timestamp"
			l.row = placements("SIZE COUNT float sum -1", "  TIME  ALG  BUS  0  10.1  20.2  20.1  3.4", "  2026-10-31 12:00:01")
		}), v1alpha1.Pass, "", 0},
		"2.20 wrong values beyond six digits": {with(func(l *layout) { l.row, l.bounds = strings.Replace(l.row, "0", "1.04858e+06", 1), "3 FAILED" }), v1alpha1.Fail, v1alpha1.CauseWrongResults, 3 * 1048580},
		"columns of tomorrow": {with(func(l *layout) {
			l.names = names("  time  algbw  busbw  #wrong  algo  proto")
			l.row = placements("SIZE COUNT float sum -1", "  TIME  ALG  BUS  0  RING  LL128", "")
		}), v1alpha1.Pass, "", 0},
		"rccl-tests": {with(func(l *layout) {
			l.before = "rccl-tests: Version develop:6704fc6\n" + layoutConfig
			l.row += "\n# Errors with asterisks indicate errors that have exceeded the maximum threshold."
			l.after = ""
		}), v1alpha1.Pass, "", 0},
		"rccl-tests, an asterisk":      {with(func(l *layout) { l.row, l.bounds = l.row+"*", "3 FAILED" }), v1alpha1.Fail, v1alpha1.CauseWrongResults, 0},
		"2.17 that never says its end": {with(func(l *layout) { l.after = "" }), v1alpha1.Unknown, v1alpha1.CauseIncomplete, 0},
		"two groups of four (NCCL_TESTS_SPLIT)": {with(func(l *layout) {
			l.factor, l.ranks = 1.5, 0
			for r := range 8 {
				l.before += strings.NewReplacer("Group  0", fmt.Sprintf("Group %2d", r/4), "RANK", fmt.Sprint(r), "HOST", "gpu-00").Replace(newDevice) + "\n"
			}
		}), v1alpha1.Pass, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := of(c.layout.text())
			require.Equal(t, v1alpha1.KindBandwidth, got.Kind)
			require.Equal(t, c.verdict, got.Verdict, "%v", got.Reasons)
			require.Equal(t, c.cause, got.Cause)
			require.InDelta(t, c.layout.peak(), *got.Bandwidth.PeakBusGBps, 0)
			require.InDelta(t, c.layout.average(), *got.Bandwidth.AvgBusGBps, 0)
			require.Len(t, got.Bandwidth.Results, len(layoutSizes))
			if c.wrong < 0 {
				require.Nil(t, got.Bandwidth.Wrong)
				return
			}
			require.Equal(t, c.wrong, *got.Bandwidth.Wrong)
		})
	}
}

// TestWriters: a run is read the same through whatever wrote its lines on.
func TestWriters(t *testing.T) {
	each := func(format string) func(string) string {
		return func(text string) string {
			var b strings.Builder
			for line := range strings.Lines(text) {
				b.WriteString(strings.Replace(format, "%", strings.TrimSuffix(line, "\n"), 1) + "\n")
			}
			return b.String()
		}
	}
	record := func(text string) string {
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		return `{"ts":"2026-02-05T16:17:20Z","level":"info","msg":"done","output":` + string(quoted) + "}\n"
	}
	for name, wrap := range map[string]func(string) string{
		"srun, other ranks between": func(text string) string {
			return strings.ReplaceAll(each(" 0: %")(text), "\n", "\n13: gpu-01:2013:3013 [5] NCCL INFO Channel 00/08 : 13[5] -> 14[6] via P2P/CUMEM\n")
		},
		"stern, in colour":   each("\x1b[36mrun-launcher-0-0-abcde\x1b[0m \x1b[32mnode\x1b[0m %"),
		"docker compose":     each("launcher-1  | %"),
		"syslog":             each("Oct 31 12:00:01 launcher-0 job[1]: %"),
		"klog":               each("I1031 12:00:01.123456       1 runner.go:55] %"),
		"Python's logging":   each("2026-10-31 12:00:01,123 INFO %"),
		"a time in brackets": each("[2026-10-31 12:00:01] %"),
		"pdsh":               each("gpu-00: %"),
		"a rank in brackets": each("[0] %"),
		"timestamps of every kind": func(text string) string {
			stamps := []string{"2026-02-05T16:17:20.615110976Z ", "2026-02-05T09:17:20.615110976-07:00 ", "2026-02-05T21:47:20+05:30 ", ""}
			var b strings.Builder
			b.WriteString("Defaulted container \"node\" out of: node, fix-ssh-permissions (init)\n")
			i := 0
			for line := range strings.Lines(text) {
				b.WriteString(stamps[i%len(stamps)] + line)
				i++
			}
			return b.String()
		},
		"containerd, which cuts long lines": func(text string) string {
			var b strings.Builder
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				for ; len(line) > 60; line = line[60:] {
					b.WriteString("2026-02-05T16:17:20.615110976Z stdout P " + line[:60] + "\n2026-02-05T16:17:20.7Z stderr P a warning\n")
				}
				b.WriteString("2026-02-05T16:17:20.61Z stdout F " + line + "\n2026-02-05T16:17:20.7Z stderr F  of two parts\n")
			}
			return b.String()
		},
		"one record for a run":   record,
		"records within records": func(text string) string { return record(record(text)) },
		"markdown":               func(text string) string { return "```\n" + strings.ReplaceAll(text, "# ", "") + "```\n" },
	} {
		t.Run(name, func(t *testing.T) {
			got := of(wrap(modern().text()))
			require.Equal(t, v1alpha1.Pass, got.Verdict, "%v", got.Reasons)
			require.Equal(t, 16, *got.Bandwidth.Ranks)
			require.InDelta(t, modern().peak(), *got.Bandwidth.PeakBusGBps, 0)
			require.InDelta(t, modern().average(), *got.Bandwidth.AvgBusGBps, 0)
		})
	}
	t.Run("a wrong value is one through all of them", func(t *testing.T) {
		l := modern()
		l.row = strings.Replace(l.row, "BUS       0", "BUS      12", 1)
		for _, wrap := range []func(string) string{each("launcher-1  | %"), each("gpu-00: %"), record} {
			require.Equal(t, v1alpha1.CauseWrongResults, of(wrap(l.text())).Cause)
		}
	})
}

// TestAlone: processes of a build without MPI that hand over their whole output one after the other.
func TestAlone(t *testing.T) {
	l := modern()
	l.ranks, l.factor = 1, 0
	several := modern()
	several.before, several.ranks, several.factor = strings.Replace(several.before, "nGpus 1", "nGpus 8", 1), 8, 1.75
	tagged := func(l layout, tag string) string {
		var b strings.Builder
		for line := range strings.Lines(l.text()) {
			b.WriteString(tag + line)
		}
		return b.String()
	}
	require.Equal(t, v1alpha1.CauseNoMPI, of(tagged(l, "[1,0]<stdout>:")+tagged(l, "[1,1]<stdout>:")).Cause)
	require.Equal(t, v1alpha1.CauseNoMPI, of(tagged(l, "0: ")+tagged(l, "1: ")).Cause)
	require.Equal(t, v1alpha1.CauseSingleRank, of(tagged(l, "[1,0]<stdout>:")+tagged(l, "[1,0]<stdout>:")).Cause, "a process that runs two tests")
	require.Equal(t, v1alpha1.CauseSingleRank, of(tagged(l, "[pod/node-0-0/node] ")+tagged(l, "[pod/node-1-0/node] ")).Cause, "pods that each test themselves")

	require.Equal(t, v1alpha1.CauseNoMPI, of(tagged(several, "[1,0]<stdout>:")+tagged(several, "[1,1]<stdout>:")).Cause, "with several GPUs to a process")
	require.Equal(t, v1alpha1.CauseNoMPI, of(tagged(several, "0: ")+tagged(several, "1: ")).Cause)
	require.Equal(t, v1alpha1.Pass, of(tagged(several, "[1,0]<stdout>:")+tagged(several, "[1,0]<stdout>:")).Verdict, "a process that runs two tests")
	require.Equal(t, v1alpha1.Pass, of(tagged(several, "[pod/node-0-0/node] ")+tagged(several, "[pod/node-1-0/node] ")).Verdict, "pods that each test themselves")
}
