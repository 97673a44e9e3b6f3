package steps

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

func TestMaxNodesRefusesALargerRunWithBothNumbers(t *testing.T) {
	simulate(t, 4, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", map[string]string{"maxNodes": "3"})
		got := a.run()
		require.Equal(t, server.Failed, got[stepDiscover].Phase)
		require.Equal(t, "BuildFailed: maxNodes: the run would take 4 nodes, and at most 3 are allowed; a narrower target or a larger maxNodes would do", got[stepDiscover].Message)
		require.Empty(t, s.seen(), "nothing was created")
		require.NotEqual(t, v1alpha1.Pass, a.report().Verdict)
		a.steps.Close(context.Background())
	})
	simulate(t, 4, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", map[string]string{"maxNodes": "4"})
		got := a.run()
		require.Contains(t, got[stepDiscover].Message, "(at most 4 allowed)")
		require.Equal(t, "pass", got["report"].Outputs["verdict"])
		a.steps.Close(context.Background())
	})
}

func TestMaxDuration(t *testing.T) {
	const never = -1
	t.Run("a_job_that_still_runs_ends_unknown_and_blames_nobody", func(t *testing.T) {
		simulate(t, 4, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{lasts: never}
			began := time.Now()
			a := s.workflow("nccl", map[string]string{"maxDuration": "5m"})
			got := a.run()
			require.Contains(t, got[stepDiscover].Message, "(maxDuration 5m0s)")
			require.Less(t, time.Since(began), 6*time.Minute, "timeoutPerJob is 10m")
			require.Contains(t, got["score group-0"].Message, "unknown (timeout): the run's time was over at ")
			r := a.report()
			require.Equal(t, v1alpha1.Unknown, r.Verdict)
			require.Equal(t, v1alpha1.CauseTimeout, r.Groups[0].Cause)
			require.Equal(t, v1alpha1.Unknown, r.Groups[0].Verdict)
			require.Empty(t, r.Groups[0].Blamed)
			require.Equal(t, v1alpha1.Pass, r.Groups[1].Verdict)
			_, groups := a.record()
			require.True(t, groups["group-0"].EndedEarly)
			require.False(t, groups["group-1"].EndedEarly, "it ended by itself")
			for _, n := range r.Nodes {
				require.NotContains(t, []string{"failed", "suspect"}, n.Verdict.String(), n.Name)
			}
			require.Empty(t, s.leftovers())
			a.steps.Close(context.Background())
		})
	})
	t.Run("a_group_whose_turn_comes_later_is_not_started", func(t *testing.T) {
		simulate(t, 4, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"], s.plays["nccl-group-1"] = play{lasts: never}, play{lasts: never}
			a := s.workflow("nccl", map[string]string{"maxDuration": "5m", "maxConcurrent": "1"})
			a.run()
			r := a.report()
			require.Len(t, s.seen(), 1)
			require.Equal(t, v1alpha1.Unknown, r.Verdict)
			for _, g := range r.Groups {
				require.Equal(t, v1alpha1.Unknown, g.Verdict)
				require.Equal(t, v1alpha1.CauseTimeout, g.Cause)
			}
			_, groups := a.record()
			require.True(t, groups["group-0"].EndedEarly && groups["group-1"].EndedEarly)
			require.Contains(t, r.Groups[0].Message+r.Groups[1].Message, "not started: the run's time was over at ")
			require.Empty(t, s.leftovers())
			a.steps.Close(context.Background())
		})
	})
	t.Run("no_group_is_run_again_after_it", func(t *testing.T) {
		simulate(t, 4, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", map[string]string{"maxDuration": "5m", "retryFailedGroups": "5"})
			a.run()
			plan, _ := a.record()
			r := a.steps.run(a.call(stepScore, "group-0"))
			left, err := r.retries(t.Context(), &plan)
			require.NoError(t, err)
			require.Equal(t, 5, left)
			time.Sleep(5 * time.Minute)
			left, err = r.retries(t.Context(), &plan)
			require.NoError(t, err)
			require.Zero(t, left)
			a.steps.Close(context.Background())
		})
	})
	t.Run("a_restart_of_the_plugin_does_not_begin_it_anew_and_argo_retry_does", func(t *testing.T) {
		simulate(t, 4, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{lasts: never}
			began := time.Now()
			a := s.workflow("nccl", map[string]string{"maxDuration": "5m"})
			for range 2 {
				a.step(stepDiscover, "")
			}
			a.step(stepPartition, "")
			a.step(stepLaunch, "group-0")
			require.False(t, final(a.steps.Execute(context.Background(), a.call(stepScore, "group-0"))))
			time.Sleep(4 * time.Minute)
			a.restart()
			a.step(stepScore, "group-0")
			require.Less(t, time.Since(began), 6*time.Minute)
			a.over()
			a.retry()
			require.Equal(t, server.Succeeded, a.step(stepScore, "group-0").Phase)
			a.steps.Close(context.Background())
		})
	})
}
