package steps

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// TestAStreamThatEndsEarlyIsReadAgain: a kubelet ends a stream when it rotates the log. No row is lost, and none counts twice.
func TestAStreamThatEndsEarlyIsReadAgain(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{early: goodTable[:len(goodTable)/2], lasts: time.Minute}
		a := s.workflow("nccl", nil)
		require.Equal(t, "pass: busbw 37.77 GB/s", a.run()["score group-0"].Message)
		for _, size := range a.report().Groups[0].Bandwidth.Results {
			require.Equal(t, 1, size.Samples)
		}
	})
}

// TestTheFirstRunOfARestartedLauncherIsScored: its exit decides, so its log explains.
func TestTheFirstRunOfARestartedLauncherIsScored(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{log: wrongTable, exit: 1, again: true}
		a := s.workflow("nccl", nil)
		require.Contains(t, a.run()["score group-0"].Message, "fail (wrong-results): the launcher exited with 1: line 7: 56 wrong values")
	})
}

// TestALogThatCannotBeReadIsNotAPass: the job ended well, and nobody can say what it printed.
func TestALogThatCannotBeReadIsNotAPass(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", map[string]string{"thresholds": ""})
		logs := newFollowers(a.steps.run(a.call(stepScore, "group-0")), t.Context())
		defer logs.close()
		ended := []corev1.Pod{pod(launcher, "l", "cpu", exited(0, ""))}
		scores, problem := logs.finish(t.Context(), ended, false)
		require.Equal(t, "l: opening the log of l/node: not found", problem)
		require.Len(t, scores, 1)
		require.Equal(t, v1alpha1.Unknown, scores[0].Verdict)
		s.SetLog("l", containerNode, false, goodTable)
		scores, problem = logs.finish(t.Context(), ended, false)
		require.Empty(t, problem, "a stream that broke is opened again")
		require.Equal(t, v1alpha1.Pass, scores[0].Verdict)
		_, problem = logs.finish(t.Context(), nil, false)
		require.Equal(t, "no container ran", problem)
		_, problem = logs.finish(t.Context(), nil, true)
		require.Empty(t, problem, "a job whose time is over need not have begun")
	})
}

// TestTheTailIsOfTheContainerThatFailed: of a command on many nodes, the one that failed says why.
func TestTheTailIsOfTheContainerThatFailed(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.SetLog("w-0", containerNode, false, "all is well\n")
		s.SetLog("w-1", containerNode, false, "disk full\n")
		a := s.workflow("script", nil)
		logs := newFollowers(a.steps.run(a.call(stepScore, "group-0")), t.Context())
		defer logs.close()
		pods := []corev1.Pod{worker0, worker1}
		logs.follow(pods)
		time.Sleep(time.Second)
		require.Equal(t, &v1alpha1.FailureLog{Pod: "w-0", Container: containerNode, Tail: "all is well"}, logs.tail(pods))
		pods[1] = pod(workers, "w-1", "gpu-node-02", exited(7, "Error"))
		require.Equal(t, "disk full", logs.tail(pods).Tail)
	})
}

// TestAFaultOfOursEndsOneGroupAndNotTheProcess: a panic is a message.
func TestAFaultOfOursEndsOneGroupAndNotTheProcess(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", nil)
		l := newFollower("l", nil)
		l.done = make(chan struct{})
		l.text.parser = nil // a Write into it panics
		s.SetLog("l", containerNode, false, "text\n")
		l.read(t.Context(), a.steps.run(a.call(stepScore, "group-0")), cluster.LogOptions{Container: containerNode})
		require.ErrorContains(t, l.err, "the log of l: a fault of Seatrial, see the plugin's log: ")
		require.True(t, l.broke(time.Time{}))
	})
}

// TestARotatedLogIsScoredWhole: the kubelet rotated the launcher's log, the plugin was started anew, and every row counts once.
func TestARotatedLogIsScoredWhole(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", nil)
		r := a.steps.run(a.call(stepScore, "group-0"))
		running := []corev1.Pod{pod(launcher, "l", "cpu")}
		half := strings.Count(goodTable, "\n") / 2
		s.SetLog("l", containerNode, false, strings.Join(strings.SplitAfter(goodTable, "\n")[:half], ""))
		first := newFollowers(r, t.Context())
		first.follow(running)
		time.Sleep(time.Second)
		noted := first.progress()
		require.Len(t, noted, 1)
		first.close()

		s.SetLog("l", containerNode, false, goodTable)
		s.RotateLog("l", containerNode, half-1)
		second := newFollowers(r, t.Context())
		defer second.close()
		second.noted = noted
		scores, problem := second.finish(t.Context(), []corev1.Pod{pod(launcher, "l", "cpu", exited(0, ""))}, false)
		require.Empty(t, problem)
		require.Equal(t, score.Log("l", parse.Text([]byte(goodTable))), scores[0])
	})
}

// TestStreamsThatAllEndEarlyLoseNothing: a kubelet without watches ends each stream where the log ends for the moment, and the log
// is rotated more often than its pod is looked at.
func TestStreamsThatAllEndEarlyLoseNothing(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", nil)
		lines := strings.SplitAfter(goodTable, "\n")
		s.SetLog("l", containerNode, false, lines[0])
		logs := newFollowers(a.steps.run(a.call(stepScore, "group-0")), t.Context())
		defer logs.close()
		logs.follow([]corev1.Pod{pod(launcher, "l", "cpu")})
		for written := range lines {
			s.SetLog("l", containerNode, false, strings.Join(lines[:written+1], ""))
			time.Sleep(againAfter / 2)
			s.RotateLog("l", containerNode, max(0, written-4)) // within a second, and a look comes every two
		}
		scores, problem := logs.finish(t.Context(), []corev1.Pod{pod(launcher, "l", "cpu", exited(0, ""))}, false)
		require.Empty(t, problem)
		require.Equal(t, score.Log("l", parse.Text([]byte(goodTable))), scores[0])
	})
}

// TestALastLineWithoutAnEndOutlivesItsLog: the log is gone when it is opened once more.
func TestALastLineWithoutAnEndOutlivesItsLog(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", nil)
		s.SetLog("l", containerNode, false, "first\nlast")
		logs := newFollowers(a.steps.run(a.call(stepScore, "group-0")), t.Context())
		defer logs.close()
		ended := []corev1.Pod{pod(launcher, "l", "cpu", exited(0, ""))}
		logs.follow(ended)
		time.Sleep(againAfter / 2)
		s.DeleteLog("l", containerNode)
		_, problem := logs.finish(t.Context(), ended, false)
		require.Empty(t, problem)
		require.Equal(t, "first\nlast", logs.tail(ended).Tail)
	})
}
