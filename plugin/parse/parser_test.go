package parse

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// good is a whole log of nccl-tests 2.17: two ranks, three sizes.
const good = `# nccl-tests version 2.17.8 nccl-headers=22809 nccl-library=22809
# Collective test starting: all_reduce_perf_mpi
# nThread 1 nGpus 1 minBytes 8 maxBytes 1048576 step: 2(factor) warmup iters: 1 iters: 5 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid     12 on node-a device  0 [0000:04:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid     13 on node-b device  0 [0000:04:00] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
           8             2     float     sum      -1    10.50    0.00    0.00       0    10.25    0.00    0.00       0
      524288        131072     float     sum      -1    20.39   25.71   25.71       0    20.48   25.60   25.60       0
     1048576        262144     float     sum      -1    27.76   37.77   37.77       0    27.49   38.14   38.14       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 21.2033
#
# Collective test concluded: all_reduce_perf_mpi
`

func TestText(t *testing.T) {
	log := Text([]byte(good))
	require.Equal(t, 18, log.Lines)
	require.Empty(t, log.Failures)
	require.Len(t, log.Tests, 1)
	test := log.Tests[0]
	require.Equal(t, "all_reduce", test.Name)
	require.Equal(t, 2, test.StartLine)
	require.Equal(t, 18, test.EndLine)
	require.Equal(t, 1, test.Headers)
	on := true
	require.Equal(t, []Config{{Line: 3, Threads: 1, GPUs: 1, Sizes: 18, Validation: &on}}, test.Configs)
	require.Equal(t, []Device{{Line: 6, Rank: 0, Pid: 12, Host: "node-a"}, {Line: 7, Rank: 1, Pid: 13, Host: "node-b"}}, test.Devices)
	require.Equal(t, &Bounds{Line: 15, OK: true}, test.Bounds)
	require.Equal(t, &Average{Line: 16, GBps: 21.2033}, test.Average)
	require.Equal(t, 3, test.Table.Rows)
	require.Equal(t, &Peak{Line: 14, GBps: 38.14, SizeBytes: 1048576, InPlace: true}, test.Table.Peak)
	require.Equal(t, Size{SizeBytes: 524288, DType: "float", RedOp: "sum", Root: -1, Rows: 1,
		OutOfPlace: Sum{Rows: 1, TimeUs: 20.39, AlgGBps: 25.71, BusGBps: 25.71, Counted: 1},
		InPlace:    Sum{Rows: 1, TimeUs: 20.48, AlgGBps: 25.60, BusGBps: 25.60, Counted: 1}}, test.Table.Sizes[1])
}

// TestPrefixes: whatever other programs put around each line, the log says the same.
func TestPrefixes(t *testing.T) {
	want := Text([]byte(good))
	around := func(format string) func(string) string {
		return func(line string) string { return fmt.Sprintf(format, line) }
	}
	for name, wrap := range map[string]func(string) string{
		"kubelet UTC":            around("2026-02-05T16:17:20.615110976Z %s"),
		"kubelet offset":         around("2026-02-05T16:17:20.615110976-07:00 %s"),
		"seconds, half an hour":  around("2026-02-05T16:17:20+05:30 %s"),
		"container runtime":      around("2026-02-05T16:17:20.615110976Z stdout F %s"),
		"mpirun tag":             around("[1,0]<stdout>:%s"),
		"prterun tag":            around("[prterun-launcher-1@1,0]<stdout>: %s"),
		"srun label":             around("0: %s"),
		"srun wide label":        around("  12: %s"),
		"torchrun":               around("[rank0]:%s"),
		"kubectl":                around("[pod/run-launcher-0-0-abcde/node] %s"),
		"kubectl and timestamps": around("[pod/run-launcher-0-0-abcde/node] 2026-02-05T16:17:20.615110976Z %s"),
		"kubelet and mpirun":     around("2026-02-05T16:17:20.615110976Z [1,0]<stdout>:%s"),
		"colour":                 around("\x1b[32m%s\x1b[0m"),
		"colour inside":          func(line string) string { return strings.ReplaceAll(line, "0", "\x1b[1m0\x1b[0m") },
		"CRLF":                   around("%s\r"),
		"tabs":                   func(line string) string { return strings.ReplaceAll(line, "  ", "\t") },
		"no comment sign":        func(line string) string { return strings.TrimPrefix(line, "#") },
		"quoted":                 around("> %s"),
		"JSON log file": func(line string) string {
			return fmt.Sprintf(`{"log":%q,"stream":"stdout","time":"2026-02-05T16:17:20Z"}`, line+"\n")
		},
		"JSON logger": around(`{"time":"2026-02-05T16:17:20Z","level":"INFO","msg":"%s"}`),
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for line := range strings.Lines(good) {
				b.WriteString(wrap(strings.TrimSuffix(line, "\n")) + "\n")
			}
			got := Text([]byte(b.String()))
			got.Tests[0].Configs[0].Writer = "" // which is the prefix itself
			require.Equal(t, want, got)
		})
	}
}

// TestRows: one row, with or without the header of its version.
func TestRows(t *testing.T) {
	const (
		modern    = "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong"
		stamped   = modern + "  timestamp"
		reduction = "#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error"
		broadcast = "#  size  count  type  root  time  algbw  busbw  error  time  algbw  busbw  error"
		gather    = "#  size  count  type  time  algbw  busbw  error  time  algbw  busbw  error"
		first     = "#  bytes  N  type  op  time  algbw  busbw  res  time  algbw  busbw  res"
		perIter   = "#  size  count  type  redop  root  time  algbw  busbw  #wrong  i_min  i_max  i_p99  i_cv%  time  algbw  busbw  #wrong  i_min  i_max  i_p99  i_cv%"
		cpu       = "#  size  count  type  redop  root  cputime  algbw  busbw  #wrong  cputime  algbw  busbw  #wrong"
		repeated  = "#  size  count  type  redop  root  time  algbw  busbw  #wrong  #bitdiff  time  algbw  busbw  #wrong  #bitdiff"
		tuned     = "#  size  count  type  redop  root  time  algbw  busbw  #wrong  impl  algo  proto  sync  #channels  time  algbw  busbw  #wrong  impl  algo  proto  sync  #channels"
		extra     = "# p4dn  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error"
	)
	measured := func(time, alg, bus float64, counted int, wrong int64) Sum {
		return Sum{Rows: 1, TimeUs: time, AlgGBps: alg, BusGBps: bus, Counted: counted, Wrong: wrong}
	}
	spread := func(s Sum, least float64) Sum {
		s.Iterations = map[float64]*Iterations{
			8.1: {Rows: 1, MinUs: 8.1, MaxUs: 8.2, P99Us: 8.3, CVPercent: 8.4},
			9.1: {Rows: 1, MinUs: 9.1, MaxUs: 9.2, P99Us: 9.3, CVPercent: 9.4},
		}[least]
		return s
	}
	size := func(redop string, root int, out, in Sum) Size {
		return Size{SizeBytes: 8, DType: "float", RedOp: redop, Root: root, Rows: 1, OutOfPlace: out, InPlace: in}
	}
	for name, c := range map[string]struct {
		header, row string
		want        Size
	}{
		"modern":               {modern, "8 2 float sum -1 10.5 1.5 2.5 0 11.5 3.5 4.5 0", size("sum", -1, measured(10.5, 1.5, 2.5, 1, 0), measured(11.5, 3.5, 4.5, 1, 0))},
		"modern, no header":    {"", "8 2 float sum -1 10.5 1.5 2.5 3 11.5 3.5 4.5 0", size("sum", -1, measured(10.5, 1.5, 2.5, 1, 3), measured(11.5, 3.5, 4.5, 1, 0))},
		"root 0":               {modern, "8 2 float none 0 10.5 1.5 2.5 0 11.5 3.5 4.5 0", size("none", 0, measured(10.5, 1.5, 2.5, 1, 0), measured(11.5, 3.5, 4.5, 1, 0))},
		"in place not checked": {modern, "8 2 float none -1 10.5 1.5 2.5 0 11.5 3.5 4.5 N/A", size("none", -1, measured(10.5, 1.5, 2.5, 1, 0), measured(11.5, 3.5, 4.5, 0, 0))},
		"in place not run":     {modern, "8 2 float none -1 10.5 1.5 2.5 0 N/A N/A N/A N/A", size("none", -1, measured(10.5, 1.5, 2.5, 1, 0), Sum{})},
		"in place only":        {modern, "8 2 float sum -1 11.5 3.5 4.5 0", size("sum", -1, Sum{}, measured(11.5, 3.5, 4.5, 1, 0))},
		"exponents":            {modern, "8 2 float sum -1 1e+06 6e+06 1.2e+03 1.04858e+06 2.6e+06 3.5 4.5 0", size("sum", -1, measured(1e6, 6e6, 1200, 1, 1048580), measured(2.6e6, 3.5, 4.5, 1, 0))},
		"infinite":             {modern, "8 2 float sum -1 0.00 inf inf 0 11.5 3.5 4.5 0", size("sum", -1, Sum{Counted: 1}, measured(11.5, 3.5, 4.5, 1, 0))},
		"not a number":         {modern, "8 2 float sum -1 nan nan -nan 2 11.5 3.5 4.5 0", size("sum", -1, Sum{Counted: 1, Wrong: 2}, measured(11.5, 3.5, 4.5, 1, 0))},
		"stamped":              {stamped, "8 2 float sum -1 10.5 1.5 2.5 0 11.5 3.5 4.5 0 2026-01-31 10:11:12", size("sum", -1, measured(10.5, 1.5, 2.5, 1, 0), measured(11.5, 3.5, 4.5, 1, 0))},
		"stamped, no header":   {"", "8 2 float sum -1 10.5 1.5 2.5 0 11.5 3.5 4.5 0 2026-01-31 10:11:12", size("sum", -1, measured(10.5, 1.5, 2.5, 1, 0), measured(11.5, 3.5, 4.5, 1, 0))},
		"per iteration":        {perIter, "8 2 float sum -1 10.5 1.5 2.5 0 9.1 9.2 9.3 9.4 11.5 3.5 4.5 0 8.1 8.2 8.3 8.4", size("sum", -1, spread(measured(10.5, 1.5, 2.5, 1, 0), 9.1), spread(measured(11.5, 3.5, 4.5, 1, 0), 8.1))},
		"per iteration, bare":  {"", "8 2 float sum -1 10.5 1.5 2.5 0 9.1 9.2 9.3 9.4 11.5 3.5 4.5 0 8.1 8.2 8.3 8.4", size("sum", -1, spread(measured(10.5, 1.5, 2.5, 1, 0), 9.1), spread(measured(11.5, 3.5, 4.5, 1, 0), 8.1))},
		"iteration and date":   {perIter + " timestamp", "8 2 float sum -1 10.5 1.5 2.5 0 9.1 9.2 9.3 9.4 11.5 3.5 4.5 0 8.1 8.2 8.3 8.4 2026-01-31 10:11:12", size("sum", -1, spread(measured(10.5, 1.5, 2.5, 1, 0), 9.1), spread(measured(11.5, 3.5, 4.5, 1, 0), 8.1))},
		"repeated":             {repeated, "8 2 float sum -1 10.5 1.5 2.5 0 7 11.5 3.5 4.5 0 0", size("sum", -1, measured(10.5, 1.5, 2.5, 1, 0), measured(11.5, 3.5, 4.5, 1, 0))},
		"with words":           {tuned, "8 2 float sum -1 10.5 1.5 2.5 0 dev RING LL128 N/A 24 11.5 3.5 4.5 1 dev TREE SIMPLE N/A 24", size("sum", -1, measured(10.5, 1.5, 2.5, 1, 0), measured(11.5, 3.5, 4.5, 1, 1))},
		"processor time":       {cpu, "8 2 float sum -1 10.5 1.5 2.5 0 11.5 3.5 4.5 0", size("sum", -1, measured(10.5, 1.5, 2.5, 1, 0), measured(11.5, 3.5, 4.5, 1, 0))},
		"old reduction":        {reduction, "8 2 float sum 10.5 1.5 2.5 4e-07 11.5 3.5 4.5 N/A", size("sum", -1, measured(10.5, 1.5, 2.5, 0, 0), measured(11.5, 3.5, 4.5, 0, 0))},
		"old alltoall":         {reduction, "8 2 float 10.5 1.5 2.5 4e-07 11.5 3.5 4.5 0e+00", size("", -1, measured(10.5, 1.5, 2.5, 0, 0), measured(11.5, 3.5, 4.5, 0, 0))},
		"old broadcast":        {broadcast, "8 2 float 3 10.5 1.5 2.5 0e+00 11.5 3.5 4.5 0e+00", size("", 3, measured(10.5, 1.5, 2.5, 0, 0), measured(11.5, 3.5, 4.5, 0, 0))},
		"old gather":           {gather, "8 2 float 10.5 1.5 2.5 0e+00 11.5 3.5 4.5 0e+00", size("", -1, measured(10.5, 1.5, 2.5, 0, 0), measured(11.5, 3.5, 4.5, 0, 0))},
		"rccl's asterisk":      {modern, "8 2 float sum -1 10.5 1.5 2.5 3* 11.5 3.5 4.5 0", size("sum", -1, measured(10.5, 1.5, 2.5, 1, 3), measured(11.5, 3.5, 4.5, 1, 0))},
		"old rccl's asterisk":  {gather, "8 2 float 10.5 1.5 2.5 3e-01* 11.5 3.5 4.5 0e+00", size("", -1, measured(10.5, 1.5, 2.5, 0, 0), measured(11.5, 3.5, 4.5, 0, 0))},
		"version 1":            {first, "8 2 float sum 10.5 1.5 2.5 1e-07 11.5 3.5 4.5 1e-07", size("sum", -1, measured(10.5, 1.5, 2.5, 0, 0), measured(11.5, 3.5, 4.5, 0, 0))},
		"a column before":      {extra, "4 8 2 float sum 10.5 1.5 2.5 1e-07 11.5 3.5 4.5 1e-07", size("sum", -1, measured(10.5, 1.5, 2.5, 0, 0), measured(11.5, 3.5, 4.5, 0, 0))},
	} {
		t.Run(name, func(t *testing.T) {
			log := Text([]byte(c.header + "\n" + c.row + "\n"))
			require.Len(t, log.Tests, 1)
			require.Equal(t, []Size{c.want}, log.Tests[0].Table.Sizes)
		})
	}
	for name, row := range map[string]string{
		"cut before the end":       "8 2 float sum -1 10.5 1.5 2.5 0 11.5 3.5",
		"cut before the last cell": "8 2 float sum -1 10.5 1.5 2.5 0 11.5 3.5 4.5",
		"a word in a cell":         "8 2 float sum -1 10.5 1.5 x 0 11.5 3.5 4.5 0",
		"two points":               "8 2 float sum -1 10.5 397.14.1 2.5 0 11.5 3.5 4.5 0",
		"a negative bandwidth":     "8 2 float sum -1 10.5 -1.5 2.5 0 11.5 3.5 4.5 0",
		"half a wrong value":       "8 2 float sum -1 10.5 1.5 2.5 0.5 11.5 3.5 4.5 0",
		"a size beyond 63 bits":    "99999999999999999999 2 float sum -1 10.5 1.5 2.5 0 11.5 3.5 4.5 0",
		"hexadecimal":              "8 2 float sum -1 0x10 1.5 2.5 0 11.5 3.5 4.5 0",
		"INFO in the middle":       "8 2 float sum -1 10.5 1.5 node:1:1 [0] NCCL INFO x 2.5 0 11.5 3.5 4.5 0",
		"a date for a cell":        "8 2 float sum -1 10.5 1.5 2.5 0 11.5 3.5 4.5 0 x y",
		"numbers of a matrix":      "8 2 3 4 5 6 7 8 9 10 11 12 13",
	} {
		t.Run(name+" is no row", func(t *testing.T) {
			log := Text([]byte(modern + "\n" + row + "\n"))
			require.Zero(t, log.Tests[0].Table.Rows)
		})
	}
}

func TestTests(t *testing.T) {
	t.Run("two runs in one log are two tests", func(t *testing.T) {
		log := Text([]byte(good + strings.ReplaceAll(good, "all_reduce", "all_gather")))
		require.Len(t, log.Tests, 2)
		require.Equal(t, "all_gather", log.Tests[1].Name)
		require.Equal(t, 3, log.Tests[1].Table.Rows)
		require.Equal(t, 20, log.Tests[1].StartLine)
	})
	t.Run("without announcements too", func(t *testing.T) {
		old := without(good, "Collective test")
		log := Text([]byte(old + old))
		require.Len(t, log.Tests, 2)
		require.Equal(t, log.Tests[0].Table.Peak.GBps, log.Tests[1].Table.Peak.GBps)
	})
	t.Run("a run after a failed one is another", func(t *testing.T) {
		begun := strings.Join(strings.SplitAfter(good, "\n")[1:8], "")
		log := Text([]byte(begun + "node-a: Test NCCL failure common.cu:1 'unhandled cuda error'\n" + good))
		require.Len(t, log.Tests, 2)
		require.Zero(t, log.Tests[0].Table.Rows)
		require.Equal(t, 3, log.Tests[1].Table.Rows)
	})
	t.Run("cycles are folded by size", func(t *testing.T) {
		lines := strings.SplitAfter(good, "\n")
		rows := strings.Join(lines[11:14], "")
		log := Text([]byte(strings.Join(lines[:11], "") + rows + rows + strings.Join(lines[14:], "")))
		require.Len(t, log.Tests, 1)
		require.Equal(t, 6, log.Tests[0].Table.Rows)
		require.Len(t, log.Tests[0].Table.Sizes, 3)
		require.Equal(t, 2, log.Tests[0].Table.Sizes[2].Rows)
		require.Zero(t, log.Tests[0].Table.Repeats)
	})
}

// without drops the lines that hold a text.
func without(text, mark string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, mark) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestFailures(t *testing.T) {
	for text, want := range map[string]Failure{
		"node-c: Test NCCL failure common.cu:1204 'unhandled cuda error (run with NCCL_DEBUG=INFO for details) / '":                {Cause: v1alpha1.CauseCUDAError, Strength: Generic, Host: "node-c"},
		"node-c: Test NCCL failure common.cu:1204 'unhandled cuda error / Cuda failure 2 'out of memory''":                         {Cause: v1alpha1.CauseOutOfMemory, Strength: Specific, Host: "node-c"},
		"w-0: Test CUDA failure common.cu:941 'system not yet initialized'":                                                        {Cause: v1alpha1.CauseCUDANotInitialized, Strength: Specific, Host: "w-0"},
		"w-0: Test CUDA failure common.cu:941 'a text of tomorrow'":                                                                {Cause: v1alpha1.CauseCUDAError, Strength: Specific, Host: "w-0"},
		"w-0: Test NCCL failure common.cu:941 'a text of tomorrow'":                                                                {Cause: v1alpha1.CauseSystemError, Strength: Generic, Host: "w-0"},
		" .. w-0 pid 15: Test failure common.cu:891":                                                                               {Strength: Echo, Host: "w-0"},
		" .. w-0: Test failure common.cu:891":                                                                                      {Strength: Echo, Host: "w-0"},
		"w-0: Test timeout (60s)":                                                                                                  {Cause: v1alpha1.CauseHang, Strength: Specific, Host: "w-0"},
		"NCCL failure all_reduce.cu:95 'unhandled cuda error'":                                                                     {Cause: v1alpha1.CauseCUDAError, Strength: Generic},
		"n2:25146:25854 [0] ib_plugin.c:1105 NCCL WARN NET/IB : Got completion from peer 192.0.2.1<49189> with error 4":            {Cause: v1alpha1.CauseIBError, Strength: Specific, Host: "n2", Warning: true},
		"[2026-10-31 12:00:00] n2:25146:25854 [0] misc/socket.cc:1 NCCL WARN Connect to 192.0.2.7<4711> failed : No route to host": {Cause: v1alpha1.CauseNetUnreachable, Strength: Specific, Host: "192.0.2.7", Warning: true},
		"n2:1:2 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found":                                               {Cause: v1alpha1.CauseBootstrap, Strength: Specific, Host: "n2", Warning: true},
		"n2:1:2 [0] include/shm.h:1 NCCL WARN Call to posix_fallocate failed : No space left on device":                            {Cause: v1alpha1.CauseSystemError, Strength: Specific, Host: "n2", Warning: true},
		"ssh: Could not resolve hostname job-worker-0.job-worker: Name or service not known":                                       {Cause: v1alpha1.CauseDNS, Strength: Specific, Host: "job-worker-0", Launch: true},
		"ssh: Could not resolve hostname job-launcher.job: Temporary failure in name resolution":                                   {Cause: v1alpha1.CauseDNSSelf, Strength: Specific, Host: "job-launcher", Launch: true},
		"root@job-worker-1.job-worker: Permission denied (publickey,password).":                                                    {Cause: v1alpha1.CauseAuth, Strength: Specific, Host: "job-worker-1", Launch: true},
		"kex_exchange_identification: Connection closed by remote host":                                                            {Cause: v1alpha1.CauseThrottle, Strength: Specific, Host: "", Launch: true, Retry: true},
		"ssh: connect to host w-3.svc port 22: Connection refused":                                                                 {Cause: v1alpha1.CauseWorkerNotStarted, Strength: Specific, Host: "w-3", Launch: true, Retry: true},
		"ssh: connect to host 192.0.2.9 port 22: No route to host":                                                                 {Cause: v1alpha1.CauseNetUnreachable, Strength: Specific, Host: "192.0.2.9", Launch: true},
		"waiting for sshd on job-worker-0.job.default.svc":                                                                         {Cause: v1alpha1.CauseWorkerNotStarted, Strength: Generic, Host: "job-worker-0", Launch: true, Retry: true},
		"mpirun was unable to find the specified executable file, and therefore":                                                   {Strength: Echo},
		"[proxy:0:1@w-1] HYDU_create_process: execvp error on file /opt/all_reduce_perf (No such file or directory)":               {Strength: Echo},
		"mpirun noticed that process rank 3 with PID 123 on node w-1 exited on signal 9 (Killed).":                                 {Strength: Echo, Host: "w-1"},
		"srun: error: node07: task 3: Exited with exit code 1":                                                                     {Strength: Echo, Host: "node07"},
		"srun: error: node07.cluster: tasks 0-7: Segmentation fault (core dumped)":                                                 {Strength: Echo, Host: "node07"},
		"srun: error: node[01-04]: tasks 0-31: Killed":                                                                             {Strength: Echo},
		"srun: error: node07: task 3: Out Of Memory":                                                                               {Cause: v1alpha1.CauseOutOfMemory, Strength: Specific, Host: "node07"},
		"srun: error: Node failure on node07":                                                                                      {Cause: v1alpha1.CauseSystemError, Strength: Specific, Host: "node07"},
		"srun: error: Unable to create step for job 7: Invalid node name specified":                                                {Strength: Echo},
		"slurmstepd: error: *** STEP 7.0 ON node01 CANCELLED AT 2026-11-30T12:00:00 DUE TO TIME LIMIT ***":                         {Strength: Echo},
		"slurmstepd: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks have been OOM Killed.":                 {Cause: v1alpha1.CauseOutOfMemory, Strength: Specific},
		"n2:1:2 [0] x.cc:1 NCCL WARN Cuda failure 'a text of tomorrow'":                                                            {Cause: v1alpha1.CauseCUDAError, Strength: Specific, Host: "n2", Warning: true},
		"w-0: Test NCCL failure common.cu:1 'remote process exited or there was a network error / '":                               {Cause: v1alpha1.CauseSystemError, Strength: Echo, Host: "w-0"},
		"RuntimeError: NCCL error in: x.cpp:1, unhandled system error":                                                             {Cause: v1alpha1.CauseSystemError, Strength: Generic},
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.":                                                 {Cause: v1alpha1.CauseOutOfMemory, Strength: Specific},
		"RuntimeError: CUDA error: an illegal memory access was encountered":                                                       {Cause: v1alpha1.CauseCUDAError, Strength: Specific},
		"Couldn't resolve pi-launcher":                                                                                             {Cause: v1alpha1.CauseDNSSelf, Strength: Specific, Host: "pi-launcher", Launch: true},
		"getaddrinfo: Name or service not known":                                                                                   {Cause: v1alpha1.CauseDNS, Strength: Generic, Launch: true},
		"Waiting for pi-worker-1.pi to be ready":                                                                                   {Cause: v1alpha1.CauseWorkerNotStarted, Strength: Generic, Host: "pi-worker-1", Launch: true, Retry: true},
		"There are not enough slots available in the system to satisfy the 4 slots":                                                {Strength: Echo},
	} {
		t.Run(text, func(t *testing.T) {
			log := Text([]byte(text + "\n"))
			require.Len(t, log.Failures, 1)
			want.Line, want.Count, want.Text = 1, 1, strings.TrimSpace(text)
			require.Equal(t, want, log.Failures[0])
		})
	}
	for _, text := range []string{
		"Warning: Permanently added '[192.0.2.33]:2022' (RSA) to the list of known hosts.",
		"cp: cannot create regular file: Permission denied",
		"n2:1:2 [0] NCCL INFO Call to connect returned Connection refused, retrying",
		"n2:1:2 [0] misc/x.cc:1 NCCL WARN NET/IB : Unable to open IOMMU group",
		"no failure at all",
		"curl: (6) Could not resolve host: example.com",
		"waiting for the cache to warm up",
	} {
		t.Run(text+" is none", func(t *testing.T) {
			require.Empty(t, Text([]byte(text+"\n")).Failures)
		})
	}
	t.Run("a host behind the last cell of an unfinished row has its own name", func(t *testing.T) {
		log := Text([]byte("         256            64     float     sum      -1  3322.49    0.00    0.00      0node-7: Test NCCL failure collective.c:74 'unhandled system error / '\n .. node-7 pid 38: Test failure collective.c:75\n"))
		require.Equal(t, "node-7", log.Failures[0].Host)
		require.Len(t, log.Failures, 2)
	})
	t.Run("a flood of one failure is one failure", func(t *testing.T) {
		log := Text(bytes.Repeat([]byte("w-0: Test NCCL failure common.cu:1 'unhandled cuda error'\n"), 10000))
		require.Len(t, log.Failures, 1)
		require.Equal(t, 10000, log.Failures[0].Count)
	})
	t.Run("a flood of hosts is bounded", func(t *testing.T) {
		var b strings.Builder
		for i := range 10000 {
			fmt.Fprintf(&b, "w-%d: Test NCCL failure common.cu:1 'unhandled cuda error'\n", i)
		}
		log := Text([]byte(b.String()))
		require.Len(t, log.Failures, maxFailures)
		require.Equal(t, 10000-maxFailures, log.MoreFailures)
	})
	t.Run("its text is safe to show", func(t *testing.T) {
		log := Text([]byte("w-0: Test NCCL failure x 'a\x07b\u202ec token=s3cr3t " + strings.Repeat("é", 4000) + "'\n"))
		require.NotContains(t, log.Failures[0].Text, "\x07")
		require.NotContains(t, log.Failures[0].Text, "\u202e")
		require.NotContains(t, log.Failures[0].Text, "s3cr3t")
		require.LessOrEqual(t, len(log.Failures[0].Text), maxText)
	})
	t.Run("a host that is none is not blamed", func(t *testing.T) {
		log := Text([]byte("$(reboot): Test NCCL failure common.cu:1 'unhandled cuda error'\n"))
		require.Empty(t, log.Failures[0].Host)
	})
}

// TestRaised: how a Python program ended, by its own words and torchrun's.
func TestRaised(t *testing.T) {
	const traceback = "[rank3]: Traceback (most recent call last):\n[rank3]:   File \"train.py\", line 5, in <module>\n[rank3]:     raise ValueError(shard)\n[rank3]: ValueError: bad shard\n"
	const root = "Traceback (most recent call last):\n  File \"torchrun\", line 8, in <module>\ntorch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n" +
		"Failures:\n[1]:\n  host      : node08\n  exitcode  : -15 (pid: 224)\nRoot Cause (first observed failure):\n[0]:\n  time      : 2026-11-30_07:00:00\n" +
		"  host      : node07\n  rank      : 11 (local_rank: 3)\n  exitcode  : -9 (pid: 222)\n  host      : node09\n"
	const step = "iter 1: loss 4.5, time 5.00ms\n"
	for name, c := range map[string]struct {
		text string
		want Raised
	}{
		"an exception":               {traceback, Raised{Line: 1, Text: "ValueError: bad shard"}},
		"the first of several":       {traceback + strings.ReplaceAll(traceback, "bad shard", "echo"), Raised{Line: 1, Text: "ValueError: bad shard"}},
		"the one behind the steps":   {strings.ReplaceAll(traceback, "bad shard", "overcome") + step + traceback, Raised{Line: 6, Text: "ValueError: bad shard"}},
		"torchrun's root cause":      {root, Raised{Line: 1, Text: "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:", Host: "node07", Rank: "11", ExitCode: "-9"}},
		"what explains it":           {traceback + root, Raised{Line: 1, Text: "ValueError: bad shard", Host: "node07", Rank: "11", ExitCode: "-9"}},
		"explained later":            {root + traceback, Raised{Line: 1, Text: "ValueError: bad shard", Host: "node07", Rank: "11", ExitCode: "-9"}},
		"a signal":                   {"torch.distributed.elastic.multiprocessing.api.SignalException: Process 99 got signal: 15\n", Raised{Line: 1, Text: "torch.distributed.elastic.multiprocessing.api.SignalException: Process 99 got signal: 15"}},
		"a host that is none":        {"Root Cause (first observed failure):\n  host      : $(reboot)\n  rank      : x\n  exitcode  : y\n", Raised{Line: 1, Text: ""}},
		"a sentence is no exception": {"an Error: x\nTheError is here\n", Raised{}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Text([]byte(c.text)).Raised) })
	}
	t.Run("a watchdog that ends a process tells of a hang", func(t *testing.T) {
		for _, text := range []string{
			"[rank0]:[F1130 07:00:00 ProcessGroupNCCL.cpp:1554] [Rank 0] Terminating the process after attempting to dump debug info, due to ProcessGroupNCCL watchdog hang.\n",
			"[rank0]:[F1130 07:00:00 ProcessGroupNCCL.cpp:1554] [Rank 0] Heartbeat monitor timed out! Process will be terminated after dumping debug info.\n",
		} {
			log := Text([]byte(text))
			require.Len(t, log.Failures, 1)
			require.Equal(t, v1alpha1.CauseHang, log.Failures[0].Cause)
		}
	})
}

func TestUnfinished(t *testing.T) {
	t.Run("a row without an end is dropped", func(t *testing.T) {
		lines := strings.SplitAfter(good, "\n")
		text := strings.Join(lines[:14], "")
		require.Equal(t, 3, Text([]byte(text)).Tests[0].Table.Rows)
		require.Equal(t, 2, Text([]byte(strings.TrimSuffix(text, "\n"))).Tests[0].Table.Rows)
	})
	t.Run("a footer without an end is dropped", func(t *testing.T) {
		text := good[:strings.Index(good, "21.2033")+len("21.20")]
		require.Nil(t, Text([]byte(text)).Tests[0].Average)
	})
	t.Run("a failure without an end counts", func(t *testing.T) {
		require.Len(t, Text([]byte("w-0: Test NCCL failure common.cu:1 'unhandled cu")).Failures, 1)
	})
	t.Run("a line longer than the bound is no row", func(t *testing.T) {
		row := strings.Split(good, "\n")[12]
		log := Text([]byte(row + strings.Repeat(" ", maxLine) + "\n" + row + "\n"))
		require.Equal(t, 2, log.Lines)
		require.Equal(t, 1, log.Tests[0].Table.Rows)
	})
}

// TestSplit: how the text is split into pieces changes nothing. The samples are split at every 17th byte, which meets every
// kind of place in one of them; the fuzz test goes on from there.
func TestSplit(t *testing.T) {
	texts := samples(t)
	texts["good"] = []byte(good)
	for name, text := range texts {
		want := Text(text)
		stride := 17
		if name == "good" {
			stride = 1
		}
		for at := 0; at < len(text); at += stride {
			var p Parser
			_, _ = p.Write(text[:at])
			_, _ = p.Write(text[at:])
			require.Equal(t, want, p.Finish(), "%s split at %d", name, at)
		}
		var p Parser
		for i := range text {
			_, _ = p.Write(text[i : i+1])
		}
		require.Equal(t, want, p.Finish(), "%s byte by byte", name)
	}
}

func TestMemory(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	piece := noiseLog(1<<20, 300)
	long := bytes.Repeat([]byte("x"), 1<<20)
	before := heap()
	var p Parser
	for range 64 {
		_, _ = p.Write(piece)
		_, _ = p.Write(long)
		_, _ = p.Write(long)
	}
	require.Less(t, heap(), before+1<<20, "64 MiB of rows and 128 MiB of one line")
	require.NotZero(t, p.Finish().Lines)
}

// TestBounds: a log that is made to fill memory is not kept whole, and says so.
func TestBounds(t *testing.T) {
	t.Run("sizes, over all tests", func(t *testing.T) {
		var b strings.Builder
		for i := range maxSizes + 10 {
			if i%1000 == 0 {
				b.WriteString("# Collective test starting: all_reduce_perf\n")
			}
			fmt.Fprintf(&b, "%d 2 float sum -1 10.5 1.5 2.5 0 11.5 3.5 4.5 0\n", i)
		}
		log := Text([]byte(b.String()))
		require.True(t, log.Truncated)
		kept, rows := 0, 0
		for _, test := range log.Tests {
			kept += len(test.Table.Sizes)
			rows += test.Table.Rows
		}
		require.Equal(t, maxSizes, kept)
		require.Equal(t, maxSizes+10, rows)
	})
	t.Run("tests", func(t *testing.T) {
		log := Text(bytes.Repeat([]byte("# Collective test starting: all_reduce_perf\n"), 2*maxTests))
		require.True(t, log.Truncated)
		require.Len(t, log.Tests, maxTests)
	})
	t.Run("devices", func(t *testing.T) {
		log := Text(bytes.Repeat([]byte("# Rank 0 Pid 1 on node-a device 0 [0x00] x\n"), maxDevices+1))
		require.True(t, log.Truncated)
		require.Len(t, log.Tests[0].Devices, maxDevices)
	})
}

func samples(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/samples/*.txt")
	require.NoError(t, err)
	require.Len(t, files, 46)
	all := make(map[string][]byte, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all[filepath.Base(file)] = text
	}
	return all
}

// FuzzParser: any text is read without a panic; splitting it changes nothing; every number of the Log stands in the text.
func FuzzParser(f *testing.F) {
	for _, text := range samples(f) {
		f.Add(text, 7)
	}
	f.Add([]byte(good), 100)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		want := Text(text)
		if at = at % (len(text) + 1); at < 0 {
			at = -at
		}
		var p Parser
		_, _ = p.Write(text[:at])
		_, _ = p.Write(text[at:])
		require.Equal(t, want, p.Finish())

		require.LessOrEqual(t, want.Lines, bytes.Count(text, []byte("\n"))+1)
		numbers := numbersIn(text)
		for _, test := range want.Tests {
			if test.Table.Peak != nil {
				require.LessOrEqual(t, test.Table.Peak.Line, want.Lines)
				require.True(t, finite(test.Table.Peak.GBps) && test.Table.Peak.GBps >= 0)
				require.Contains(t, numbers, test.Table.Peak.GBps)
				require.Contains(t, numbers, float64(test.Table.Peak.SizeBytes))
			}
			if test.Average != nil {
				require.Contains(t, numbers, test.Average.GBps)
			}
			for _, size := range test.Table.Sizes {
				require.Contains(t, numbers, float64(size.SizeBytes))
				for _, sum := range []Sum{size.OutOfPlace, size.InPlace} {
					if sum.Rows == 1 {
						require.Subset(t, numbers, printed{sum.TimeUs: true, sum.AlgGBps: true, sum.BusGBps: true})
					}
					if it := sum.Iterations; it != nil {
						require.Positive(t, it.Rows)
						for _, v := range []float64{it.MinUs, it.MaxUs, it.P99Us, it.CVPercent} {
							require.True(t, v == 0 || numbers[v], "%v", v)
						}
					}
				}
			}
			for _, process := range test.Processes {
				require.True(t, finite(process.Relative) && process.Worst >= 0)
			}
			require.GreaterOrEqual(t, test.Table.Wrong, int64(0))
			require.Equal(t, test.Table.Rows, test.Table.CheckedRows+test.Table.UncheckedRows)
		}
		for _, failure := range want.Failures {
			require.True(t, failure.Line >= 1 && failure.Line <= want.Lines)
			require.LessOrEqual(t, len(failure.Text), 2*maxText)
		}
	})
}
