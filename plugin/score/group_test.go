package score_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

func atLeast(t testing.TB, key, expression string) []v1alpha1.Threshold {
	t.Helper()
	threshold, err := v1alpha1.ParseThreshold(key, expression)
	require.NoError(t, err)
	return []v1alpha1.Threshold{threshold}
}

// healthy is the evidence of a group that passes; each case of a test takes something from it or adds to it.
func healthy(t testing.TB) score.Evidence {
	t.Helper()
	return score.Evidence{
		Ending: score.Complete, Logs: []v1alpha1.LogScore{of(good)}, Asked: true, Ranks: 2, Timeout: time.Hour,
		Thresholds: atLeast(t, v1alpha1.KeyBusBandwidth, "value >= 30"),
		Hosts:      map[string]string{"run-group-0-node-0-0": "gpu-node-01", "10.0.0.2": "gpu-node-02"},
	}
}

func logs(texts ...string) []v1alpha1.LogScore {
	var all []v1alpha1.LogScore
	for _, text := range texts {
		all = append(all, of(text))
	}
	return all
}

func TestGroup(t *testing.T) {
	wrong := strings.Replace(good, "37.77       0", "37.77      56", 1)
	unchecked := begin + devices + header + strings.NewReplacer("37.77       0", "37.77     N/A", "38.14       0", "38.14     N/A", "13.65       0", "13.65     N/A").Replace(rows) + footer + end
	for name, c := range map[string]struct {
		change  func(t *testing.T, e *score.Evidence)
		verdict v1alpha1.Verdict
		cause   v1alpha1.Cause
		message string
	}{
		"everything asked for was measured and is good": {func(*testing.T, *score.Evidence) {}, v1alpha1.Pass, "", ""},
		"a table of another collective is not what was asked for, whatever it shows": {func(t *testing.T, e *score.Evidence) {
			e.TestType, e.Thresholds = "all_gather", atLeast(t, v1alpha1.KeyBusBandwidth, "value >= 3000")
		}, v1alpha1.Unknown, v1alpha1.CauseIncomplete, "the run asks for all_gather (testType), and the log holds a table of all_reduce"},
		"a collective may be written in many ways":       {func(_ *testing.T, e *score.Evidence) { e.TestType = "loopback-AllReduce" }, v1alpha1.Pass, "", ""},
		"a testType that is no collective asks for none": {func(_ *testing.T, e *score.Evidence) { e.TestType = "before the holidays" }, v1alpha1.Pass, "", ""},
		"a log that names no collective cannot contradict": {func(_ *testing.T, e *score.Evidence) {
			e.TestType, e.Logs = "all_gather", logs(strings.NewReplacer(begin, "", end, "").Replace(good))
		}, v1alpha1.Pass, "", ""},
		"an exit other than 0 fails": {func(_ *testing.T, e *score.Evidence) {
			e.Ending, e.Message = score.Exited, "the launcher exited with 1"
		}, v1alpha1.Fail, v1alpha1.CauseJobFailed, "the launcher exited with 1"},
		"a log names the cause of an exit": {func(_ *testing.T, e *score.Evidence) {
			e.Ending, e.Message, e.Logs = score.Exited, "the launcher exited with 3", logs(begin+devices+header+crash)
		}, v1alpha1.Fail, v1alpha1.CauseCUDAError, "the launcher exited with 3: line 6: cuda-error on node-b"},
		"a table cut short by an exit is no cause of it": {func(_ *testing.T, e *score.Evidence) {
			e.Ending, e.Message, e.Logs = score.Exited, "the launcher exited with 1", logs(begin+devices+header)
		}, v1alpha1.Fail, v1alpha1.CauseJobFailed, "the launcher exited with 1"},
		"the cluster names the cause of an exit that the log does not explain": {func(_ *testing.T, e *score.Evidence) {
			e.Ending, e.Message, e.Cause, e.Logs = score.Exited, "the launcher was killed", v1alpha1.CauseOutOfMemory, logs(begin+devices+header)
		}, v1alpha1.Fail, v1alpha1.CauseOutOfMemory, "the launcher was killed"},
		"an exit without any log fails": {func(_ *testing.T, e *score.Evidence) {
			e.Ending, e.Message, e.Logs, e.LogProblem = score.Exited, "the launcher exited with 1", nil, "gone"
		}, v1alpha1.Fail, v1alpha1.CauseJobFailed, "the launcher exited with 1"},
		"a failed TrainJob fails": {func(_ *testing.T, e *score.Evidence) {
			e.Ending, e.Message, e.Logs = score.JobFailed, "the TrainJob failed: deadline", nil
		}, v1alpha1.Fail, v1alpha1.CauseJobFailed, "the TrainJob failed: deadline"},
		"wrong values fail though the job exits with 0": {func(_ *testing.T, e *score.Evidence) { e.Logs = logs(wrong) },
			v1alpha1.Fail, v1alpha1.CauseWrongResults, "56 wrong values at 1048576 B"},
		"wrong values fail though nobody asked for a measurement": {func(_ *testing.T, e *score.Evidence) {
			e.Logs, e.Asked, e.Thresholds = logs(wrong), false, nil
		}, v1alpha1.Fail, v1alpha1.CauseWrongResults, "56 wrong values"},
		"wrong values fail though nobody saw the end": {func(_ *testing.T, e *score.Evidence) {
			e.Ending, e.Message, e.Logs = score.Lost, "nobody saw its containers end", logs(wrong)
		}, v1alpha1.Fail, v1alpha1.CauseWrongResults, "nobody saw its containers end: "},
		"a missed threshold fails": {func(t *testing.T, e *score.Evidence) {
			e.Thresholds = atLeast(t, v1alpha1.KeyBusBandwidth, "value >= 400")
		}, v1alpha1.Fail, v1alpha1.CauseThreshold, "busBandwidthGBps is 37.77, which does not satisfy value >= 400"},
		"one log of several that misses the threshold fails": {func(_ *testing.T, e *score.Evidence) {
			e.Logs = logs(good, strings.NewReplacer("37.77", "7.77", "25.71", "5.71", "25.39", "5.39", "38.14", "8.14").Replace(good))
		}, v1alpha1.Fail, v1alpha1.CauseThreshold, "does not satisfy value >= 30"},
		"a threshold without a value is unknown": {func(t *testing.T, e *score.Evidence) {
			e.Thresholds = atLeast(t, v1alpha1.KeyGoodput, "value >= 0")
		}, v1alpha1.Unknown, v1alpha1.CauseIncomplete, "the threshold goodputRatio needs a value that the log does not hold"},
		"a missed threshold outweighs one without a value": {func(t *testing.T, e *score.Evidence) {
			e.Thresholds = append(atLeast(t, v1alpha1.KeyGoodput, "value >= 0"), atLeast(t, v1alpha1.KeyBusBandwidth, "value >= 400")...)
		}, v1alpha1.Fail, v1alpha1.CauseThreshold, "busBandwidthGBps is 37.77"},
		"asked for and not measured is unknown": {func(_ *testing.T, e *score.Evidence) {
			e.Logs, e.Thresholds = logs("hello\n"), nil
		}, v1alpha1.Unknown, v1alpha1.CauseIncomplete, "asked for, and the log holds no table"},
		"asked for and an empty log is unknown": {func(_ *testing.T, e *score.Evidence) { e.Logs, e.Thresholds = nil, nil },
			v1alpha1.Unknown, v1alpha1.CauseIncomplete, "asked for, and the log holds no table"},
		"not asked for and not measured passes on the exit": {func(_ *testing.T, e *score.Evidence) {
			e.Logs, e.Thresholds, e.Asked, e.Ranks = logs("hello\n"), nil, false, 0
		}, v1alpha1.Pass, "", ""},
		"a table that is not whole is unknown": {func(_ *testing.T, e *score.Evidence) { e.Logs = logs(begin + devices + header + rows) },
			v1alpha1.Unknown, v1alpha1.CauseIncomplete, "the bandwidth table is not whole"},
		"a table that is not whole is unknown though nobody asked": {func(_ *testing.T, e *score.Evidence) {
			e.Logs, e.Asked, e.Thresholds = logs(begin+devices+header+rows), false, nil
		}, v1alpha1.Unknown, v1alpha1.CauseIncomplete, "the bandwidth table is not whole"},
		"asked for and unchecked is unknown": {func(_ *testing.T, e *score.Evidence) { e.Logs = logs(unchecked) },
			v1alpha1.Unknown, v1alpha1.CauseUnchecked, "the results were not checked"},
		"unchecked passes when nobody asked": {func(_ *testing.T, e *score.Evidence) {
			e.Logs, e.Asked, e.Thresholds = logs(unchecked), false, nil
		}, v1alpha1.Pass, "", ""},
		"fewer ranks than asked for is unknown": {func(_ *testing.T, e *score.Evidence) { e.Ranks = 16 },
			v1alpha1.Unknown, v1alpha1.CauseIncomplete, "2 ranks took part, 16 were asked for"},
		"a framework without ranks counts none": {func(_ *testing.T, e *score.Evidence) { e.Ranks = 0 }, v1alpha1.Pass, "", ""},
		"a log that cannot be read is unknown": {func(_ *testing.T, e *score.Evidence) { e.LogProblem = "launcher: no such container" },
			v1alpha1.Unknown, v1alpha1.CauseIncomplete, "the log could not be read to its end: launcher: no such container"},
		"a log that cannot be read is unknown though nobody asked": {func(_ *testing.T, e *score.Evidence) {
			e.LogProblem, e.Logs, e.Asked, e.Thresholds = "launcher: no such container", nil, false, nil
		}, v1alpha1.Unknown, v1alpha1.CauseIncomplete, "the log could not be read to its end"},
		"timeoutPerJob fails": {func(_ *testing.T, e *score.Evidence) {
			e.Ending, e.Message = score.TimedOut, "the job was still running"
		},
			v1alpha1.Fail, v1alpha1.CauseTimeout, "no end within 1h0m0s (timeoutPerJob): the job was still running"},
		"timeoutPerJob with what it waited for": {func(_ *testing.T, e *score.Evidence) {
			e.Ending, e.Message, e.Cause = score.TimedOut, "node-0 (gpu-node-01): ErrImagePull", v1alpha1.CauseImagePull
		}, v1alpha1.Fail, v1alpha1.CauseImagePull, "ErrImagePull"},
		"what could not be made is unknown": {func(_ *testing.T, e *score.Evidence) {
			*e = score.Evidence{Ending: score.NotStarted, Message: "creating TrainJob x: forbidden"}
		}, v1alpha1.Unknown, v1alpha1.CauseInfrastructure, "creating TrainJob x: forbidden"},
		"stopped is unknown": {func(_ *testing.T, e *score.Evidence) { e.Ending, e.Message = score.Stopped, "Stop was asked for" },
			v1alpha1.Unknown, v1alpha1.CauseInfrastructure, "Stop was asked for"},
		"lost is unknown whatever was measured": {func(_ *testing.T, e *score.Evidence) { e.Ending, e.Message = score.Lost, "the TrainJob was deleted" },
			v1alpha1.Unknown, v1alpha1.CauseInfrastructure, "the TrainJob was deleted"},
		"no evidence is not a pass":                     {func(_ *testing.T, e *score.Evidence) { *e = score.Evidence{} }, v1alpha1.Unknown, v1alpha1.CauseInfrastructure, ""},
		"an ending that there is none of is not a pass": {func(_ *testing.T, e *score.Evidence) { e.Ending = 200 }, v1alpha1.Unknown, "", ""},
		"a training that meets its threshold passes": {func(t *testing.T, e *score.Evidence) {
			step := 5.5
			e.Logs = []v1alpha1.LogScore{{Kind: v1alpha1.KindTraining, Training: &v1alpha1.Training{AvgStepTimeSec: &step}}}
			e.Asked, e.Thresholds = false, atLeast(t, v1alpha1.KeyStepTime, "value < 6.0")
		}, v1alpha1.Pass, "", ""},
		"a training that leaves the answer open is unknown": {func(t *testing.T, e *score.Evidence) {
			step := 5.5
			e.Logs = []v1alpha1.LogScore{{Cause: v1alpha1.CauseSlowDrift, Reasons: []string{"steps grew slower"}, Training: &v1alpha1.Training{AvgStepTimeSec: &step}}}
			e.Asked, e.Thresholds = false, atLeast(t, v1alpha1.KeyStepTime, "value < 6.0")
		}, v1alpha1.Unknown, v1alpha1.CauseSlowDrift, "steps grew slower"},
	} {
		t.Run(name, func(t *testing.T) {
			e := healthy(t)
			c.change(t, &e)
			got := score.Group(e)
			require.Equal(t, c.verdict, got.Verdict, got.Message)
			require.Equal(t, c.cause, got.Cause, got.Message)
			if c.message == "" {
				require.Empty(t, got.Message)
			}
			require.Contains(t, got.Message, c.message)
			require.Len(t, got.Thresholds, len(e.Thresholds), "every threshold is accounted for")
			if got.Verdict != v1alpha1.Fail {
				require.Empty(t, got.Blamed, "only a failure blames")
			}
		})
	}
}

func TestGroupWarnings(t *testing.T) {
	e := healthy(t)
	require.Empty(t, score.Group(e).Warnings)
	e.Logs, e.Asked, e.Thresholds = nil, false, nil
	require.Equal(t, []string{"nothing was measured: the verdict rests on the exit status"}, score.Group(e).Warnings)
}

func TestGroupBlame(t *testing.T) {
	exit := v1alpha1.NodeReason{Name: "gpu-node-03", Reason: "its worker exited with 1 (Error)"}
	blame := func(hosts ...string) []string {
		e := healthy(t)
		e.Ending, e.Message, e.Blamed = score.Exited, "the launcher exited with 1", []v1alpha1.NodeReason{exit, exit, {Reason: "a pod without a node"}}
		e.Logs = []v1alpha1.LogScore{{Verdict: v1alpha1.Fail, Cause: v1alpha1.CauseCUDAError, Reasons: []string{"line 1: cuda-error"}, Nodes: hosts}}
		names := []string{}
		for _, b := range score.Group(e).Blamed {
			require.NotEmpty(t, b.Reason)
			names = append(names, b.Name)
		}
		return names
	}
	require.Equal(t, []string{"gpu-node-03"}, blame(), "what the cluster names, once, and never a node without a name")
	require.Equal(t, []string{"gpu-node-03", "gpu-node-01"}, blame("run-group-0-node-0-0"), "a pod's name becomes its node's")
	require.Equal(t, []string{"gpu-node-03", "gpu-node-01"}, blame("run-group-0-node-0-0", "run-group-0-node-0-0.run-group-0"), "a node is blamed once")
	require.Equal(t, []string{"gpu-node-03", "gpu-node-02"}, blame("10.0.0.2"), "an address is a host too")
	for _, hostile := range []string{"elsewhere", "", ".", "\x1b[31mgpu-node-01", "gpu-node-01\n", "../../etc", strings.Repeat("x", 1<<16), "10.0.0.22"} {
		require.Equal(t, []string{"gpu-node-03"}, blame(hostile), "%.20q is no host of the group", hostile)
	}
}

func TestGroupTakesTheLogThatSpeaksMostAgainstIt(t *testing.T) {
	e := healthy(t)
	e.Logs = logs("hello\n", good, begin+devices+header+crash)
	got := score.Group(e)
	require.Equal(t, v1alpha1.Fail, got.Verdict)
	require.Equal(t, v1alpha1.CauseCUDAError, got.Cause)
	e.Logs = logs("hello\n", good)
	require.Equal(t, v1alpha1.Pass, score.Group(e).Verdict, "one rank prints the table, the others print nothing")
	e.Logs = logs(good, begin+devices+header+rows)
	require.Equal(t, v1alpha1.Unknown, score.Group(e).Verdict)
}

func TestGroupGoodput(t *testing.T) {
	t.Run("goodput_that_was_asked_for_and_not_measured_is_not_a_pass", func(t *testing.T) {
		got := score.Group(score.Evidence{Ending: score.Complete, AskedGoodput: true, Logs: []v1alpha1.LogScore{{Verdict: v1alpha1.Unknown}}})
		require.Equal(t, v1alpha1.Unknown, got.Verdict)
		require.Equal(t, v1alpha1.CauseIncomplete, got.Cause)
		require.Contains(t, got.Message, "the log holds no training steps")
	})
	t.Run("workers_that_nobody_saw_placed_are_not_a_pass", func(t *testing.T) {
		got := score.Group(score.Evidence{Ending: score.Complete, Chosen: []string{"a"}, Unplaced: 1})
		require.Equal(t, v1alpha1.Unknown, got.Verdict)
	})
}
