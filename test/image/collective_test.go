package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// programsDir is filled by programs and removed at the end.
var programsDir string

// programs compiles the stand-ins once for all tests and returns their folder.
var programs = sync.OnceValues(func() (string, error) {
	if err := ensurePackages(context.Background(), os.Stderr, mpiTools); err != nil {
		return "", err
	}
	var err error
	if programsDir, err = os.MkdirTemp("", "seatrial-programs-"); err != nil {
		return "", err
	}
	return programsDir, buildCollectives(context.Background(), programsDir, os.Stderr)
})

func TestMain(m *testing.M) {
	status := m.Run()
	_ = os.RemoveAll(programsDir)
	os.Exit(status)
}

// job is one run of a stand-in on this machine.
type job struct {
	program string
	args    []string
	env     []string // of every rank
	ranks   int      // 0: two
	alone   bool     // one rank without mpirun, which takes a third of the time
}

func (j job) command(ctx context.Context, t *testing.T) *exec.Cmd {
	t.Helper()
	dir, err := programs()
	require.NoError(t, err)
	if j.program == "" {
		j.program = collectives[0]
	}
	if j.alone {
		cmd := exec.CommandContext(ctx, filepath.Join(dir, j.program), j.args...)
		cmd.Env = append(os.Environ(), j.env...)
		cmd.WaitDelay = 10 * time.Second
		return cmd
	}
	if j.ranks == 0 {
		j.ranks = 2
	}
	args := []string{"--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", strconv.Itoa(j.ranks),
		"--mca", "mpi_yield_when_idle", "1", "--mca", "btl_vader_single_copy_mechanism", "none"}
	for _, e := range j.env {
		args = append(args, "-x", e)
	}
	cmd := exec.CommandContext(ctx, "mpirun", append(append(args, filepath.Join(dir, j.program)), j.args...)...)
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// run returns what the job printed and its exit status.
func (j job) run(t *testing.T) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := j.command(ctx, t)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	require.NoError(t, ctx.Err(), "the job did not end:\n%s%s", &out, &errs)
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// healthy runs the job, which has to pass.
func (j job) healthy(t *testing.T) table {
	t.Helper()
	stdout, stderr, status := j.run(t)
	require.Zero(t, status, stdout+stderr)
	return read(t, stdout)
}

type cells struct{ timeUs, algbw, busbw, wrong string }

type row struct {
	bytes, count int
	placements   [2]cells
}

// table is what a test reads of a printed table; the footer's fields are "" when it is missing.
type table struct {
	text, config         string
	ranks                int
	rows                 []row
	outOfBounds, average string
}

var (
	devicePattern = regexp.MustCompile(`^#  Rank +\d+ Group  0 Pid +\d+ on +\S+ device +\d+ \[0000:00:00\] CPU test image$`)
	rowPattern    = regexp.MustCompile(`^ *(\d+) +(\d+) +float +(sum|none) +-1((?: +\S+){8})$`)
)

func read(t *testing.T, text string) table {
	t.Helper()
	parsed := table{text: text}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "# nThread"):
			parsed.config = line
		case devicePattern.MatchString(line):
			parsed.ranks++
		case strings.HasPrefix(line, "# Out of bounds values : "):
			parsed.outOfBounds = strings.TrimPrefix(line, "# Out of bounds values : ")
		case strings.HasPrefix(line, "# Avg bus bandwidth    : "):
			parsed.average = strings.TrimPrefix(line, "# Avg bus bandwidth    : ")
		case rowPattern.MatchString(line):
			m := rowPattern.FindStringSubmatch(line)
			f := strings.Fields(m[4])
			parsed.rows = append(parsed.rows, row{atoi(t, m[1]), atoi(t, m[2]), [2]cells{
				{f[0], f[1], f[2], f[3]}, {f[4], f[5], f[6], f[7]}}})
		}
	}
	return parsed
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}

func float(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	return v
}

func TestHealthy(t *testing.T) {
	for _, c := range []struct {
		program, name string
		ranks         int
		factor        float64 // busbw / algbw
		sizes         []int   // bytes that are really moved
	}{
		{"all_reduce_perf_mpi", "all_reduce", 2, 1, []int{8, 128, 2048, 32768, 524288}},
		{"all_reduce_perf_mpi", "all_reduce", 3, 4. / 3, []int{8, 128, 2048, 32768, 524288}},
		{"all_gather_perf_mpi", "all_gather", 3, 2. / 3, []int{0, 96, 2016, 32736, 524256}},
		{"reduce_scatter_perf_mpi", "reduce_scatter", 3, 2. / 3, []int{0, 96, 2016, 32736, 524256}},
		{"all_reduce_perf_mpi", "all_reduce", 1, 0, []int{8, 128, 2048, 32768, 524288}},
	} {
		t.Run(fmt.Sprintf("%s_of_%d_ranks_prints_a_whole_table_without_a_wrong_value", c.name, c.ranks), func(t *testing.T) {
			got := job{program: c.program, ranks: c.ranks, args: []string{"-b", "8", "-e", "1M", "-f", "16", "-w", "1"}}.healthy(t)
			lines := strings.Split(got.text, "\n")
			require.Regexp(t, `^# nccl-tests version 2\.17\.`, lines[0])
			require.Equal(t, "# Collective test starting: "+c.name+"_perf", lines[1])
			require.Equal(t, "# nThread 1 nGpus 1 minBytes 8 maxBytes 1048576 step: 16(factor) warmup iters: 1 iters: 5 agg iters: 1 validation: 1 graph: 0", lines[2])
			require.True(t, strings.HasSuffix(got.text, "#\n# Collective test concluded: "+c.name+"_perf\n"))
			require.Equal(t, c.ranks, got.ranks)
			require.Equal(t, "0 OK", got.outOfBounds)
			require.Len(t, got.rows, len(c.sizes))
			sum := 0.
			for i, r := range got.rows {
				require.Equal(t, c.sizes[i], r.bytes)
				for _, p := range r.placements {
					require.Equal(t, "0", p.wrong)
					algbw, busbw, us := float(t, p.algbw), float(t, p.busbw), float(t, p.timeUs)
					require.Positive(t, us)
					require.InDelta(t, float64(r.bytes)/us/1e3, algbw, 0.006+algbw*0.01/us, "algbw is size over time, in 10^9 B/s")
					require.InDelta(t, algbw*c.factor, busbw, 0.012, "busbw follows from algbw and the ranks")
					sum += busbw
				}
			}
			require.InDelta(t, sum/float64(2*len(got.rows)), float(t, got.average), 0.01)
		})
	}

	t.Run("the_header_is_that_of_nccl_tests_2.17", func(t *testing.T) {
		got := job{args: []string{"-b", "8", "-e", "8"}}.healthy(t)
		require.Contains(t, got.text, `
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)        
           8             2     float     sum      -1  `)
	})

	t.Run("unchecked_is_not_zero_wrong", func(t *testing.T) {
		got := job{args: []string{"-b", "1K", "-e", "1K", "-c", "0"}}.healthy(t)
		require.Contains(t, got.config, "validation: 0")
		require.Equal(t, "N/A", got.rows[0].placements[0].wrong)
		require.Equal(t, "N/A", got.rows[0].placements[1].wrong)
	})
}

func TestCaps(t *testing.T) {
	sweep := []string{"-b", "8", "-e", "32G", "-f", "2", "-n", "100", "-w", "50"}
	t.Run("the_published_arguments_stop_at_1_MiB_and_5_calls", func(t *testing.T) {
		got := job{args: sweep}.healthy(t)
		require.Contains(t, got.config, "maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 5 ")
		require.Len(t, got.rows, 18)
		require.Equal(t, 1<<20, got.rows[17].bytes)
	})
	t.Run("the_environment_moves_them", func(t *testing.T) {
		got := job{args: sweep, env: []string{"SEATRIAL_TEST_MAX_BYTES=4K", "SEATRIAL_TEST_MAX_ITERS=2"}}.healthy(t)
		require.Contains(t, got.config, "maxBytes 4096 step: 2(factor) warmup iters: 2 iters: 2 ")
		require.Len(t, got.rows, 10)
	})
	t.Run("sizes_that_all_lie_above_run_once_at_the_cap", func(t *testing.T) {
		got := job{args: []string{"--minbytes", "512M", "--maxbytes=8G", "--stepfactor", "2"}}.healthy(t)
		require.Contains(t, got.config, "minBytes 1048576 maxBytes 1048576")
		require.Len(t, got.rows, 1)
	})
}

func TestMistakesAreRefused(t *testing.T) {
	for name, j := range map[string]job{
		"an_unknown_option":              {args: []string{"-Q", "1"}},
		"an_unknown_long_option":         {args: []string{"--bytes", "1"}},
		"a_value_that_is_missing":        {args: []string{"-b"}},
		"a_stray_word":                   {args: []string{"8"}},
		"a_negative_size":                {args: []string{"-b", "-8"}},
		"a_size_with_an_unknown_suffix":  {args: []string{"-e", "8X"}},
		"a_size_that_overflows":          {args: []string{"-e", "99999999999T"}},
		"sizes_in_the_wrong_order":       {args: []string{"-b", "2M", "-e", "1M"}},
		"no_calls":                       {args: []string{"-n", "0"}},
		"no_step":                        {args: []string{"-f", "0"}},
		"two_devices_a_rank":             {args: []string{"-g", "2"}},
		"a_cap_that_is_no_size":          {env: []string{"SEATRIAL_TEST_MAX_BYTES=lots"}},
		"a_cap_of_nothing":               {env: []string{"SEATRIAL_TEST_MAX_ITERS=0"}},
		"an_unknown_fault":               {env: []string{"SEATRIAL_TEST_FAULT=slwo"}},
		"a_fault_with_a_wrong_argument":  {env: []string{"SEATRIAL_TEST_FAULT=slow=fast"}},
		"a_fault_that_takes_no_argument": {env: []string{"SEATRIAL_TEST_FAULT=wrong=3"}},
		"a_crash_that_is_never_reached":  {env: []string{"SEATRIAL_TEST_FAULT=crash=2M"}},
	} {
		t.Run(name, func(t *testing.T) {
			j.alone = true
			stdout, stderr, status := j.run(t)
			require.Equal(t, 2, status, stderr)
			require.NotEmpty(t, stderr)
			require.NotContains(t, stdout, "Avg bus bandwidth")
		})
	}
	t.Run("one_rank_of_several_says_what_is_wrong", func(t *testing.T) {
		_, stderr, status := job{args: []string{"-Q"}}.run(t)
		require.Equal(t, 2, status)
		require.Equal(t, 1, strings.Count(stderr, `"-Q"`), stderr)
	})
	t.Run("help_is_not_a_mistake", func(t *testing.T) {
		stdout, _, status := job{args: []string{"--help"}, alone: true}.run(t)
		require.Zero(t, status)
		require.Contains(t, stdout, "--stepfactor")
	})
}

// TestFaults runs each fault beside its healthy twin: the same job without it.
func TestFaults(t *testing.T) {
	args := []string{"-b", "1K", "-e", "4K", "-f", "2"}
	host, err := os.Hostname()
	require.NoError(t, err)
	healthy := job{args: args}.healthy(t)
	require.Equal(t, "0 OK", healthy.outOfBounds)
	require.Len(t, healthy.rows, 3)
	with := func(fault string) job { return job{args: args, env: []string{"SEATRIAL_TEST_FAULT=" + fault}} }

	t.Run("slow_costs_bandwidth_and_nothing_else", func(t *testing.T) {
		got := with("slow@rank:1").healthy(t)
		require.Equal(t, "0 OK", got.outOfBounds)
		require.Len(t, got.rows, 3)
		for _, r := range got.rows {
			for _, p := range r.placements {
				require.GreaterOrEqual(t, float(t, p.timeUs), 50e3, "50 ms a call")
			}
		}
		best := func(of table) float64 {
			us := float(t, of.rows[0].placements[0].timeUs)
			for _, r := range of.rows {
				us = min(us, float(t, r.placements[0].timeUs), float(t, r.placements[1].timeUs))
			}
			return us
		}
		require.Greater(t, best(got), 5*best(healthy))
	})
	t.Run("slow_takes_its_milliseconds", func(t *testing.T) {
		us := float(t, with("slow=10@" + host).healthy(t).rows[0].placements[0].timeUs)
		require.GreaterOrEqual(t, us, 10e3)
	})
	t.Run("wrong_values_are_counted_and_fail_the_run", func(t *testing.T) {
		stdout, _, status := with("wrong@rank:0").run(t)
		require.Equal(t, 1, status)
		got := read(t, stdout)
		require.Equal(t, "6 FAILED", got.outOfBounds)
		for _, r := range got.rows {
			require.Equal(t, strconv.Itoa((r.count+96)/97), r.placements[0].wrong)
			require.Equal(t, r.placements[0].wrong, r.placements[1].wrong)
		}
	})
	t.Run("wrong_values_of_other_collectives_too", func(t *testing.T) {
		for _, program := range collectives[1:] {
			j := with("wrong")
			j.program = program
			stdout, _, status := j.run(t)
			require.Equal(t, 1, status)
			require.Equal(t, "6 FAILED", read(t, stdout).outOfBounds)
		}
	})
	t.Run("crash_names_its_host_and_leaves_the_table_cut", func(t *testing.T) {
		stdout, _, status := with("crash=2K@rank:1").run(t)
		require.Equal(t, 1, status)
		require.Contains(t, stdout, host+": Test NCCL failure collective.c:")
		require.Regexp(t, ` \.\. `+regexp.QuoteMeta(host)+` pid \d+: Test failure`, stdout)
		require.NotContains(t, stdout, "Avg bus bandwidth")
	})
	t.Run("hang_prints_what_came_before_and_then_nothing", func(t *testing.T) {
		cmd := with("hang=2K@rank:1").command(t.Context(), t)
		pipe, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		var out bytes.Buffer
		done := make(chan struct{})
		go func() { defer close(done); _, _ = io.Copy(&out, pipe) }()
		select {
		case <-done:
			require.Fail(t, "the job ended", out.String())
		case <-time.After(4 * time.Second):
		}
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		<-done
		require.Error(t, cmd.Wait())
		got := read(t, out.String())
		require.Len(t, got.rows, 1, out.String())
		require.Empty(t, got.average+got.outOfBounds)
	})
}

func TestWhereAFaultApplies(t *testing.T) {
	args := []string{"-b", "1K", "-e", "1K"}
	file := filepath.Join(t.TempDir(), "fault")
	require.NoError(t, os.WriteFile(file, []byte("wrong\n"), 0o644))
	empty := filepath.Join(t.TempDir(), "fault")
	require.NoError(t, os.WriteFile(empty, nil, 0o644))
	for name, c := range map[string]struct {
		env    []string
		status int
	}{
		"a_fault_file_is_enough":               {[]string{"SEATRIAL_TEST_FAULT_FILE=" + file}, 1},
		"an_empty_fault_file_is_no_fault":      {[]string{"SEATRIAL_TEST_FAULT_FILE=" + empty}, 0},
		"file_means_hosts_with_a_fault_file":   {[]string{"SEATRIAL_TEST_FAULT_FILE=" + empty, "SEATRIAL_TEST_FAULT=wrong@file"}, 1},
		"and_not_those_without":                {[]string{"SEATRIAL_TEST_FAULT=wrong@file"}, 0},
		"the_node_is_named_by_environment":     {[]string{"SEATRIAL_TEST_NODE=gpu-node-02", "SEATRIAL_TEST_FAULT=wrong@gpu-node-02"}, 1},
		"another_node_is_healthy":              {[]string{"SEATRIAL_TEST_NODE=gpu-node-02", "SEATRIAL_TEST_FAULT=wrong@gpu-node-0"}, 0},
		"a_rank_that_is_not_there":             {[]string{"SEATRIAL_TEST_FAULT=wrong@rank:7"}, 0},
		"a_rank_is_a_whole_number":             {[]string{"SEATRIAL_TEST_FAULT=wrong@rank:0x"}, 0},
		"the_second_of_a_list":                 {[]string{"SEATRIAL_TEST_FAULT=slow=1,wrong"}, 1},
		"nosshd_is_not_the_collective's":       {[]string{"SEATRIAL_TEST_FAULT=nosshd"}, 0},
		"an_empty_list_is_no_fault_(the_twin)": {[]string{"SEATRIAL_TEST_FAULT="}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := job{args: args, env: c.env, alone: true}.run(t)
			require.Equal(t, c.status, status, stdout+stderr)
		})
	}
}
