package score_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// Lines of a worker's log.
const (
	ecc     = "[rank1]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
	dog     = "[rank0]:[E] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)\n"
	lost    = "[rank0]: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n"
	gloo    = "[rank0]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:35210\n"
	store   = "[rank2]: torch.distributed.DistStoreError: wait timeout after 300000ms, keys: /default_pg/0//cuda//1\n"
	reset   = "w-0:15:20 [0] socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer w-1<4711>: connection reset by peer\n"
	noModul = "ModuleNotFoundError: No module named 'nemo'\n"
	raised  = "[rank1]: Traceback (most recent call last):\n[rank1]: ValueError: Dataset index out of range\n"
	killed  = "E1130 10:00:20.2 1 torch/distributed/elastic/agent/server/api.py:900] Received 15 death signal, shutting down workers\n"
)

// worker is how one worker of a group ended.
type worker struct {
	code int32
	// at and ran are seconds: when it ended, and how long after its start.
	at, ran int
	log     string
}

// groupOf is the evidence of a group of commands of which those with a code other than 0 exited, and the others run on.
func groupOf(all ...worker) score.Evidence {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	e := score.Evidence{Ending: score.Exited, Workers: len(all), Began: len(all), Hosts: map[string]string{}}
	for i, w := range all {
		node, pod := fmt.Sprintf("n%d", i), fmt.Sprintf("w-%d", i)
		e.Nodes = append(e.Nodes, node)
		e.Hosts[pod] = node
		l := of(w.log)
		l.File = pod
		e.Logs = append(e.Logs, l)
		if w.code != 0 {
			end := noon.Add(time.Duration(w.at) * time.Second)
			e.Exits = append(e.Exits, score.Exit{Pod: pod, Node: node, Code: w.code, Ended: end, Started: end.Add(-time.Duration(w.ran) * time.Second),
				Reason: fmt.Sprintf("the command on %s exited with %d", node, w.code)})
		}
	}
	e.Message = e.Exits[0].Reason
	return e
}

func TestGroupBlamesByExits(t *testing.T) {
	for name, c := range map[string]struct {
		group  score.Evidence
		blamed []string
		cause  v1alpha1.Cause
	}{
		"the same mistake on every node blames none": {groupOf(worker{1, 3, 3, noModul}, worker{1, 3, 3, noModul}, worker{1, 5, 4, noModul}),
			nil, v1alpha1.CauseWorkload},
		"though one node pulled the image for longer": {groupOf(worker{2, 3, 3, ""}, worker{2, 90, 4, ""}), nil, v1alpha1.CauseWorkload},
		"the same error in every log blames none":     {groupOf(worker{1, 9, 9, ecc}, worker{1, 10, 10, ecc}), nil, v1alpha1.CauseWorkload},
		"too little memory on every node is named": {groupOf(worker{1, 9, 9, "torch.OutOfMemoryError: CUDA out of memory\n"}, worker{1, 9, 9, "torch.OutOfMemoryError: CUDA out of memory\n"}),
			nil, v1alpha1.CauseOutOfMemory},
		"a hang of all is one of none": {groupOf(worker{134, 9, 9, dog}, worker{134, 9, 9, dog}), nil, v1alpha1.CauseHang},

		"one that crashed is blamed, though the others' watchdog ended them with the same code": {groupOf(worker{1, 31, 31, dog}, worker{1, 30, 30, ecc}, worker{1, 31, 31, dog}),
			[]string{"n1"}, v1alpha1.CauseCUDAError},
		"one that crashed is blamed, though the others lost their connection in the same second": {groupOf(worker{1, 30, 30, reset}, worker{1, 30, 30, ecc}, worker{1, 30, 30, lost}),
			[]string{"n1"}, v1alpha1.CauseCUDAError},
		"one whose log says nothing is blamed, when every other one tells of a lost peer": {groupOf(worker{1, 30, 30, lost}, worker{1, 30, 30, noModul}, worker{1, 31, 31, lost}),
			[]string{"n1"}, v1alpha1.CauseSystemError},
		"one whose log says nothing is blamed, when gloo and the store of the others miss it": {groupOf(worker{1, 30, 30, gloo}, worker{1, 30, 30, noModul}, worker{1, 31, 31, store}),
			[]string{"n1"}, v1alpha1.CauseBootstrap},
		"one whose log says nothing is not blamed, when it was the last to end": {groupOf(worker{1, 30, 30, lost}, worker{1, 33, 33, noModul}, worker{1, 30, 30, lost}),
			nil, v1alpha1.CauseWorkload},
		"one that ended long before the others is blamed": {groupOf(worker{1, 330, 330, ""}, worker{1, 30, 30, ""}, worker{1, 330, 330, ""}), []string{"n1"}, v1alpha1.CauseJobFailed},
		"one with a code of its own is blamed":            {groupOf(worker{1, 31, 31, ""}, worker{139, 30, 30, ""}, worker{1, 31, 31, ""}), []string{"n1"}, v1alpha1.CauseJobFailed},
		"one that failed alone is blamed":                 {groupOf(worker{}, worker{7, 30, 30, ""}, worker{}), []string{"n1"}, v1alpha1.CauseJobFailed},
		"one that lost a peer which runs on is still the one that failed": {groupOf(worker{}, worker{7, 30, 30, lost}, worker{}),
			[]string{"n1"}, v1alpha1.CauseSystemError},
		"two of three that failed alone are blamed": {groupOf(worker{7, 30, 30, ""}, worker{}, worker{7, 30, 30, ""}), []string{"n0", "n2"}, v1alpha1.CauseJobFailed},
		"two of three with one that only lost a peer": {groupOf(worker{7, 30, 30, lost}, worker{}, worker{7, 30, 30, ecc}),
			[]string{"n2"}, v1alpha1.CauseCUDAError},
		"a job of one node is that node": {groupOf(worker{1, 3, 3, noModul}), []string{"n0"}, v1alpha1.CauseJobFailed},
		"two that failed each in its own way are both blamed": {groupOf(worker{3, 30, 30, ""}, worker{4, 31, 31, ""}),
			[]string{"n0", "n1"}, v1alpha1.CauseJobFailed},
	} {
		t.Run(name, func(t *testing.T) {
			got := score.Group(c.group)
			require.Equal(t, v1alpha1.Fail, got.Verdict)
			var names []string
			for _, b := range got.Blamed {
				names = append(names, b.Name)
			}
			require.Equal(t, c.blamed, names, got.Message)
			require.Equal(t, c.cause, got.Cause, got.Message)
			if len(names) > 0 {
				require.Contains(t, got.Message, "the command on "+names[0]+" exited", "the message speaks of a node that is to blame")
			} else {
				require.Contains(t, got.Message, "nodes failed in the same way: the command on n0 exited with")
			}
		})
	}
	for name, group := range map[string]score.Evidence{
		"an exception of its own":              groupOf(worker{1, 31, 31, lost}, worker{1, 30, 30, raised}, worker{1, 31, 31, lost}),
		"an exception, by another code":        groupOf(worker{134, 34, 34, dog}, worker{1, 30, 30, raised}, worker{134, 34, 34, dog}),
		"a signal from outside":                groupOf(worker{1, 31, 31, lost}, worker{143, 30, 30, killed}),
		"an exception that a pull has delayed": groupOf(worker{1, 31, 31, lost}, worker{134, 90, 30, raised}),
	} {
		t.Run(name+" that took the others with it blames none", func(t *testing.T) {
			got := score.Group(group)
			require.Equal(t, v1alpha1.Fail, got.Verdict)
			require.Empty(t, got.Blamed)
			require.NotContains(t, got.Message, "in the same way")
		})
	}
	t.Run("an exception long before the others end is blamed", func(t *testing.T) {
		got := score.Group(groupOf(worker{1, 330, 330, dog}, worker{1, 30, 30, raised}, worker{1, 330, 330, dog}))
		require.Len(t, got.Blamed, 1)
		require.Equal(t, "n1", got.Blamed[0].Name)
	})
	t.Run("an exception after which the training went on explains no end", func(t *testing.T) {
		step := " [2026-01-02 03:00:11] iteration 43/ 100 | consumed samples: 11008 | elapsed time per iteration (ms): 5444.9 | lm loss: 1.8E+00 |\n"
		got := score.Group(groupOf(worker{1, 31, 31, lost}, worker{1, 30, 30, raised + step}, worker{1, 31, 31, lost}))
		require.Len(t, got.Blamed, 1)
	})
	t.Run("what never began cannot be compared", func(t *testing.T) {
		e := groupOf(worker{}, worker{1, 3, 3, noModul})
		e.Began = 1
		got := score.Group(e)
		require.Empty(t, got.Blamed)
		require.Equal(t, v1alpha1.CauseJobFailed, got.Cause)
	})
	t.Run("exits without times are compared by code and log", func(t *testing.T) {
		e := groupOf(worker{1, 3, 3, ""}, worker{1, 3, 3, ""})
		for i := range e.Exits {
			e.Exits[i].Started, e.Exits[i].Ended = time.Time{}, time.Time{}
		}
		require.Len(t, score.Group(e).Blamed, 2, "nothing shows that they were one")
	})
}

func TestGroupBlamesByTheNamesInLogs(t *testing.T) {
	mpi := func(nodes int, log string) v1alpha1.GroupResult {
		e := score.Evidence{Ending: score.Exited, Message: "the launcher exited with 1", Logs: logs(log), Hosts: map[string]string{}, Workers: nodes, Began: nodes}
		for i := range nodes {
			e.Nodes = append(e.Nodes, fmt.Sprintf("n%d", i))
			e.Hosts[fmt.Sprintf("w-%d", i)] = fmt.Sprintf("n%d", i)
		}
		return score.Group(e)
	}
	fault := func(i int) string {
		return fmt.Sprintf("w-%d:15:20 [0] init.cc:1 NCCL WARN Cuda failure 'no CUDA-capable device is detected'\n", i)
	}
	t.Run("one node's error is its own", func(t *testing.T) {
		got := mpi(3, fault(1))
		require.Len(t, got.Blamed, 1)
		require.Equal(t, "n1", got.Blamed[0].Name)
		require.Equal(t, v1alpha1.CauseCUDAError, got.Cause)
	})
	t.Run("the same error on every rank blames none", func(t *testing.T) {
		got := mpi(3, fault(0)+fault(1)+fault(2))
		require.Empty(t, got.Blamed)
		require.Equal(t, v1alpha1.CauseWorkload, got.Cause)
		require.Contains(t, got.Message, "all 3 nodes show the same error: the launcher exited with 1: line 1: cuda-error on w-0")
	})
	t.Run("the host that noticed a hang is not to blame for it", func(t *testing.T) {
		got := mpi(3, begin+devices+header+"w-0: Test timeout (60s) all_reduce.cu:12\n")
		require.Equal(t, v1alpha1.CauseHang, got.Cause)
		require.Empty(t, got.Blamed)
	})
	t.Run("logins that were turned away explain an exit and blame nobody", func(t *testing.T) {
		got := mpi(3, "kex_exchange_identification: Connection closed by remote host\nORTE was unable to reliably start one or more daemons.\n")
		require.Equal(t, v1alpha1.Fail, got.Verdict)
		require.Equal(t, v1alpha1.CauseThrottle, got.Cause)
		require.Contains(t, got.Message, "the launcher exited with 1: line 1: throttle: kex_exchange")
		require.Empty(t, got.Blamed)
	})
	t.Run("each with a worker's log of its own that names itself", func(t *testing.T) {
		e := groupOf(worker{1, 3, 3, fault(0)}, worker{1, 3, 3, fault(1)})
		require.Empty(t, score.Group(e).Blamed)
	})
	t.Run("a peer that every other one names is blamed", func(t *testing.T) {
		names := func(i, peer int) string {
			return fmt.Sprintf("w-%d:15:20 [0] socket.cc:1 NCCL WARN connect to w-%d<4711> failed : No route to host\n", i, peer)
		}
		e := groupOf(worker{1, 3, 3, names(0, 2)}, worker{1, 3, 3, names(1, 2)}, worker{1, 3, 3, names(2, 0)})
		got := score.Group(e)
		require.Len(t, got.Blamed, 1)
		require.Equal(t, "n2", got.Blamed[0].Name)
		require.Equal(t, v1alpha1.CauseNetUnreachable, got.Cause)
	})
}
