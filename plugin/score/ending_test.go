package score_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// TestEnding: what a launcher, a shell or a crashing process says behind a whole table is a fault, and names its host where it can.
func TestEnding(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		nodes []string
	}{
		"MPICH, a signal":         {"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK 3 PID 7 RUNNING AT node02\n=   KILLED BY SIGNAL: 9 (Killed)\n", []string{"node02"}},
		"MPICH, a code":           {"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 1234 RUNNING AT node02.cluster\n=   EXIT CODE: 139\n", []string{"node02"}},
		"MPICH's first line only": {"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n", nil},
		"Open MPI, no finalize":   {"mpirun has exited due to process rank 3 with PID 4321 on\nnode node02 exiting improperly. There are three reasons this could occur:\n", []string{"node02"}},
		"the same in one line":    {"mpirun has exited due to process rank 3 with PID 4321 on node node02 exiting improperly.\n", []string{"node02"}},
		"a signal":                {"[node02:01009] *** Process received signal ***\n[node02:01009] Signal: Segmentation fault (11)\n", []string{"node02"}},
		"a signal, tagged":        {"[1,3]<stderr>:[node02:01009] *** Process received signal ***\n", []string{"node02"}},
		"a lost daemon, PRTE":     {"PRTE has lost communication with a remote daemon.\n\n  HNP daemon   : [prterun-launcher-1@0,0] on node launcher\n  Remote daemon: [prterun-launcher-1@0,2] on node node06\n", []string{"node06"}},
		"a lost daemon, ORTE":     {"ORTE has lost communication with a remote daemon.\n\n  HNP daemon   : [[1,0],0] on node launcher\n  Remote daemon: [[1,0],2] on node node06\n", []string{"node06"}},
		"a shell":                 {"Killed\n", nil},
		"a shell's script":        {"/run.sh: line 3:    77 Killed                  mpirun all_reduce_perf\n", nil},
		"kubectl exec":            {"command terminated with exit code 137\n", nil},
	} {
		for where, before := range map[string]string{"behind a table": good, "alone": ""} {
			t.Run(name+", "+where, func(t *testing.T) {
				got := of(before + c.text)
				require.Equal(t, v1alpha1.Fail, got.Verdict, got.Reasons)
				require.Equal(t, v1alpha1.CauseJobFailed, got.Cause)
				require.ElementsMatch(t, c.nodes, got.Nodes)
			})
		}
	}
	for name, text := range map[string]string{
		"a server":           "metrics are running at http://10.0.0.1:9000\n",
		"a sound exit":       "command terminated with exit code 0\n",
		"a word":             "The idle shells were killed, as they are every night\n",
		"the head's address": "  HNP daemon   : [prterun-launcher-1@0,0] on node launcher\n",
	} {
		t.Run(name+" is no fault", func(t *testing.T) { require.Equal(t, v1alpha1.Pass, of(good+text).Verdict) })
	}
	t.Run("a shell's helper that ended before the test began is none either", func(t *testing.T) {
		require.Equal(t, v1alpha1.Pass, of("/run.sh: line 3:    77 Killed                  sleep 600\n"+good).Verdict)
	})
}

// TestSlurm: of what Slurm says of a step's end only the first task that ended by itself speaks against its node.
func TestSlurm(t *testing.T) {
	const (
		exited     = "srun: error: node09: task 8: Exited with exit code 1\n"
		fault      = "srun: error: node09: task 8: Segmentation fault (core dumped)\n"
		cancelled  = "slurmstepd: error: *** STEP 1.0 ON node01 CANCELLED AT 2026-11-30T07:00:00 ***\n"
		limit      = "slurmstepd: error: *** JOB 77 ON node01 CANCELLED AT 2026-11-30T07:00:00 DUE TO TIME LIMIT ***\n"
		terminated = "srun: error: node01: tasks 0-7: Terminated\n"
		killed     = "srun: error: node02: tasks 8-15: Killed\n"
		follows    = "srun: error: node03: tasks 16-23: Exited with exit code 15\n"
	)
	for name, c := range map[string]struct {
		text  string
		nodes []string
	}{
		"an exit, and the rest is terminated":  {exited + "srun: Terminating StepId=1.0\n" + cancelled + terminated, []string{"node09"}},
		"an exit, and the rest exits, too":     {exited + follows + killed, []string{"node09"}},
		"a signal of its own":                  {fault + cancelled + killed + follows, []string{"node09"}},
		"killed before Slurm ended the step":   {killed + cancelled + terminated, []string{"node02"}},
		"terminated from outside":              {terminated, nil},
		"terminated first, then an exit":       {terminated + exited, []string{"node09"}},
		"the time limit":                       {limit + "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n" + killed + terminated + follows, nil},
		"scancel":                              {cancelled + terminated, nil},
		"memory is taken whatever came before": {cancelled + "srun: error: node07: task 3: Out Of Memory\n", []string{"node07"}},
		"a node that fails":                    {strings.Replace(cancelled, "***\n", "DUE TO NODE FAILURE ***\n", 1) + "srun: error: Node failure on node12\n", []string{"node12"}},
		"a later step has evidence of its own": {exited + killed + good + "srun: error: node04: task 3: Exited with exit code 1\n", []string{"node04", "node09"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := of(begin + devices + header + c.text)
			require.Equal(t, v1alpha1.Fail, got.Verdict)
			require.ElementsMatch(t, c.nodes, got.Nodes, got.Reasons)
		})
	}
}

// TestLostPeer: whoever noticed that a peer is gone is not to blame for it.
func TestLostPeer(t *testing.T) {
	const (
		noticed = "node01:101:201 [3] socket.cc:540 NCCL WARN socketProgress: Connection closed by remote peer 10-0-0-2.node02.svc<41234>\n"
		remote  = "node01: Test NCCL failure common.cu:1057 'remote process exited or there was a network error / '\n .. node01 pid 1: Test failure common.cu:893\n"
	)
	for name, c := range map[string]struct {
		text  string
		nodes []string
	}{
		"a connection closed":     {noticed, nil},
		"a remote process exited": {remote, nil},
		"beside a fault":          {noticed + crash + remote, []string{"node-b"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := of(c.text)
			require.Equal(t, v1alpha1.Fail, got.Verdict)
			require.ElementsMatch(t, c.nodes, got.Nodes, got.Reasons)
		})
	}
}

// TestLastError: nccl-tests prints behind its footer what NCCL warned of last, however long ago.
func TestLastError(t *testing.T) {
	old := begin[strings.Index(begin, "\n")+1:] + devices + header + rows + footer
	for _, text := range []string{"Cuda failure 801 'operation not supported'\n", "Cuda failure 'peer access is already enabled'\n", "# error: Cuda failure 801 'operation not supported'\n"} {
		require.Equal(t, v1alpha1.Pass, of(old+"#\n"+text).Verdict, text)
		require.Equal(t, v1alpha1.Pass, of(strings.Replace(good, end, text+end, 1)).Verdict, text)
		require.Equal(t, v1alpha1.Pass, of(good+text).Verdict, text)
		require.Equal(t, v1alpha1.CauseCUDAError, of(strings.Replace(old, footer, text, 1)).Cause, "before the footer it ended the run")
		require.Equal(t, v1alpha1.CauseCUDAError, of(old+text+crash).Cause)
	}
	require.Equal(t, v1alpha1.CauseCUDAError, of(good+"node02: Test CUDA failure common.cu:1200 'an illegal memory access was encountered'\n").Cause)
	require.Equal(t, v1alpha1.CauseCUDAError, of(good+"[rank0]: RuntimeError: CUDA error: unspecified launch failure\n").Cause)
}
