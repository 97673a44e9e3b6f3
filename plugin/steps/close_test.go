package steps

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

func (s *sim) closer() Closer {
	return Closer{Cluster: s.plugin, Clock: clock.RealClock{}, Log: slog.New(slog.DiscardHandler)}
}

// underWay brings a run to the point where groups run: all that may.
func (a *argo) underWay(groups int) {
	require.Equal(a.t, server.Succeeded, a.step(stepDiscover, "").Phase)
	require.Equal(a.t, server.Succeeded, a.step(stepPartition, "").Phase)
	for _, step := range []string{stepLaunch, stepProbe, stepScore} {
		for i := range groups {
			a.steps.Execute(context.Background(), a.call(step, fmt.Sprintf("group-%d", i)))
		}
		time.Sleep(5 * time.Second)
	}
}

// ended is what must hold of a run that was ended before its time.
func (a *argo) requireEnded(t *testing.T, message string) {
	t.Helper()
	require.Empty(t, a.leftovers(), "no pod of the run is left")
	_, groups := a.record()
	require.NotEmpty(t, groups)
	for name, g := range groups {
		require.NotNil(t, g.Result, "%s was begun", name)
		require.Equal(t, v1alpha1.Unknown, g.Result.Verdict)
		require.Contains(t, g.Result.Message, message)
		require.True(t, g.EndedEarly, "%s did not end by itself", name)
	}
	require.Equal(t, v1alpha1.Unknown, a.report().Verdict, "the report exists")
}

func TestStop(t *testing.T) {
	t.Run("the plugin sees it by itself", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", map[string]string{"timeoutPerJob": "1h"})
			s.plays["nccl-group-0"] = play{lasts: -1}
			a.underWay(2)
			require.NotEmpty(t, s.leftovers())
			a.stop()
			time.Sleep(20 * time.Second)
			a.requireEnded(t, "had no result when Stop was asked for")
			require.Equal(t, server.Failed, a.step(stepScore, "group-0").Phase)
			require.Equal(t, "the workflow is stopped: Stop was asked for", a.step(stepLaunch, "group-1").Message)
			require.Equal(t, []string{"nccl-group-0"}, s.seen(), "the group that waited was never made")
			time.Sleep(5 * time.Minute)
			a.requireEnded(t, "had no result when Stop was asked for")
		})
	})
	t.Run("SIGTERM comes first", func(t *testing.T) {
		simulate(t, 12, 1, func(t *testing.T, s *sim) {
			for i := range 12 {
				s.plays[fmt.Sprintf("nccl-group-%d", i)] = play{lasts: -1}
			}
			a := s.workflow("nccl", map[string]string{"thresholds": ""})
			a.underWay(12)
			require.Len(t, s.seen(), 12)
			a.stop()
			grace, cancel := context.WithTimeout(context.Background(), 25*time.Second)
			defer cancel()
			a.steps.Close(grace)
			require.NoError(t, grace.Err(), "an agent that is deleted has half a minute for all its groups")
			a.requireEnded(t, "had no result when Stop was asked for")
			require.Equal(t, server.Reply{}, a.steps.Execute(context.Background(), a.call(stepScore, "group-0")), "a plugin that ends gives no final answer")
		})
	})
	t.Run("SIGTERM of an agent whose workflow goes on leaves the jobs alone", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{lasts: time.Minute}
			a := s.workflow("nccl", nil)
			a.underWay(2)
			a.steps.Close(context.Background())
			require.Contains(t, s.leftovers(), "trainjobs/nccl-group-0")
			a.start()
			require.Equal(t, "pass", a.run()["report"].Outputs["verdict"])
			require.Equal(t, []string{"nccl-group-0", "nccl-group-1"}, s.seen())
		})
	})
	t.Run("the finish container ends what a dead agent left", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{lasts: -1}
			a := s.workflow("nccl", map[string]string{"timeoutPerJob": "1h"})
			a.underWay(2)
			a.kill()
			owner := cluster.Owner{Namespace: namespace, Name: "nccl", UID: "uid-of-nccl"}
			require.NoError(t, s.closer().Workflow(context.Background(), owner))
			a.requireEnded(t, "had no result when the workflow ended")
			require.NoError(t, s.closer().Workflow(context.Background(), owner), "it may run twice")

			a.start()
			require.Equal(t, "has a result already", a.step(stepLaunch, "group-1").Message, "a closed run takes no new work")
			require.Equal(t, server.Failed, a.step(stepScore, "group-1").Phase)
			require.Equal(t, []string{"nccl-group-0"}, s.seen())
		})
	})
	t.Run("a run that is closed between two creates takes its own back", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			a.step(stepDiscover, "")
			a.step(stepPartition, "")
			s.Refuse(func(verb, resource, _ string) error {
				if verb != "create" || resource != "trainingruntimes" {
					return nil
				}
				plan, _ := a.record()
				owner := cluster.Owner{Namespace: namespace, Name: "nccl", UID: "uid-of-nccl"}
				_, err := cluster.Update(context.Background(), s.Record(owner, "", "nccl"), record.KeyClose, func(c *record.Close) error {
					c.Epoch, c.Reason = plan.Epoch, "the workflow ended"
					return nil
				})
				return err
			})
			got := a.step(stepLaunch, "group-0")
			require.Equal(t, server.Failed, got.Phase)
			require.Equal(t, "the workflow is stopped: the workflow ended", got.Message)
			require.Empty(t, s.leftovers())
			require.Empty(t, s.seen())
		})
	})
	t.Run("what cleanup: never kept is kept", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", map[string]string{"cleanup": "never"})
			require.Equal(t, "pass", a.run()["report"].Outputs["verdict"])
			require.NoError(t, s.closer().Workflow(context.Background(), cluster.Owner{Namespace: namespace, Name: "nccl", UID: "uid-of-nccl"}))
			require.Contains(t, s.leftovers(), "trainjobs/nccl-group-0")
		})
	})
	t.Run("pods that do not go are named", func(t *testing.T) {
		simulate(t, 4, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{lasts: -1, stays: true}
			s.plays["nccl-group-1"] = play{lasts: -1}
			a := s.workflow("nccl", map[string]string{"timeoutPerJob": "1h"})
			a.underWay(2)
			a.kill()
			err := s.closer().Workflow(context.Background(), cluster.Owner{Namespace: namespace, Name: "nccl", UID: "uid-of-nccl"})
			require.ErrorContains(t, err, "3 pods are not gone after 5m0s, such as nccl-group-0-launcher-0-0 on cpu")
			_, groups := a.record()
			require.False(t, groups["group-0"].Cleaned)
			require.True(t, groups["group-1"].Cleaned)
		})
	})
	t.Run("a workflow that is deleted", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{lasts: -1}
			a := s.workflow("nccl", nil)
			a.underWay(1)
			require.NoError(t, s.DeleteWorkflow(context.Background(), namespace, "nccl"))
			time.Sleep(10 * time.Second)
			got := a.step(stepScore, "group-0")
			require.Equal(t, server.Failed, got.Phase)
			require.Equal(t, "the workflow is stopped: it was deleted", got.Message)
			require.ErrorContains(t, s.closer().Workflow(context.Background(), cluster.Owner{Namespace: namespace, Name: "nccl"}), "nccl")
		})
	})
	t.Run("another workflow of the name is left alone", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			s.workflow("nccl", nil)
			err := s.closer().Workflow(context.Background(), cluster.Owner{Namespace: namespace, Name: "nccl", UID: "older"})
			require.EqualError(t, err, "workflow nccl is another one of that name")
		})
	})
}

// TestALateCleanUpLeavesTheNextAttemptAlone: of two processes that clean up the first attempt one is late, and the second runs.
func TestALateCleanUpLeavesTheNextAttemptAlone(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{log: wrongTable}
		s.plays["nccl-group-0-a2"] = play{lasts: 5 * time.Minute}
		a := s.workflow("nccl", map[string]string{"retryFailedGroups": "1"})
		a.underWay(1)
		time.Sleep(time.Minute)
		require.Equal(t, []string{"nccl-group-0", "nccl-group-0-a2"}, s.seen())
		before := s.leftovers()
		require.Contains(t, before, "trainjobs/nccl-group-0-a2")

		owner := cluster.Owner{Namespace: namespace, Name: "nccl", UID: "uid-of-nccl"}
		late := newRun(New(s.Process(), nil, clock.RealClock{}, slog.New(slog.DiscardHandler)), owner, "")
		plan, err := late.planned(context.Background())
		require.NoError(t, err)
		require.NoError(t, late.remove(context.Background(), plan, plan.Groups[0], 1))
		state, err := late.tidy(context.Background(), plan, plan.Groups[0], 1, func(string) {})
		require.NoError(t, err)
		require.Equal(t, []any{2, false}, []any{state.Attempt, state.Cleaned})
		_, err = cluster.Update(context.Background(), late.record(), "group-0", clean(1))
		require.NoError(t, err)
		for _, selector := range selecting("nccl", "", map[string]int{"group-0": 1}) {
			require.NoError(t, s.Delete(context.Background(), owner, selector))
		}
		time.Sleep(10 * time.Second)
		require.Equal(t, before, s.leftovers(), "the second attempt runs on")
		_, groups := a.record()
		require.False(t, groups["group-0"].Cleaned)

		require.Equal(t, "pass: busbw 37.77 GB/s", a.step(stepScore, "group-0").Message)
		require.Empty(t, s.leftovers())
	})
}

func TestSelecting(t *testing.T) {
	attempts := map[string]int{"group-9": 2, "group-0": 1, "group-1": 1}
	require.Equal(t, []string{
		"seatrial.dev/workflow=w,seatrial.dev/scope=,!seatrial.dev/attempt,seatrial.dev/group in (group-0,group-1)",
		"seatrial.dev/workflow=w,seatrial.dev/scope=,seatrial.dev/attempt=2,seatrial.dev/group in (group-9)",
	}, selecting("w", "", attempts))
	many := map[string]int{}
	for i := range 2*selectAtOnce + 1 {
		many[fmt.Sprintf("group-%d", i)] = 1
	}
	require.Len(t, selecting("w", "", many), 3)
	require.Empty(t, selecting("w", "", nil), "no group is no selector, which would match all")
}

// TestSomebodyDeletesTheTrainJob: nobody knows how it would have ended.
func TestSomebodyDeletesTheTrainJob(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{lasts: -1}
		a := s.workflow("nccl", nil)
		a.underWay(1)
		require.NoError(t, s.Dynamic.Resource(gvrTrainJob).Namespace(namespace).Delete(context.Background(), "nccl-group-0", metav1.DeleteOptions{}))
		got := a.step(stepScore, "group-0")
		require.Equal(t, "unknown (infrastructure): the TrainJob was deleted before it ended, and not by Seatrial", got.Message)
		require.Empty(t, s.leftovers())
	})
}
