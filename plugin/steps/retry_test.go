package steps

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// foreign makes a TrainJob that is of no workflow.
func (s *sim) foreign(name string) {
	_, err := s.Dynamic.Resource(gvrTrainJob).Namespace(namespace).Create(context.Background(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": map[string]any{"name": name, "namespace": namespace},
	}}, metav1.CreateOptions{})
	require.NoError(s.t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs[name] = &simJob{ended: true}
}

func TestRestartFindsItsWay(t *testing.T) {
	simulate(t, 3, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{lasts: 5 * time.Minute}
		a := s.workflow("nccl", nil)
		first := a.step(stepDiscover, "")
		a.restart()
		require.Equal(t, first.Outputs, a.step(stepDiscover, "").Outputs)
		cut := a.step(stepPartition, "")
		a.restart()
		require.Equal(t, cut, a.step(stepPartition, ""))
		launched := a.step(stepLaunch, "group-0")
		a.restart()
		require.Equal(t, launched, a.step(stepLaunch, "group-0"), "a lost answer is given again")
		for range 3 { // killed three times in the middle of a group
			require.False(t, final(a.steps.Execute(context.Background(), a.call(stepScore, "group-0"))))
			time.Sleep(20 * time.Second)
			a.restart()
		}
		scored := a.step(stepScore, "group-0")
		require.Equal(t, "pass: busbw 37.77 GB/s", scored.Message)
		a.restart()
		require.Equal(t, scored, a.step(stepScore, "group-0"))
		got := a.run()
		require.Equal(t, "pass", got["report"].Outputs["verdict"])
		report := got["report"]
		a.restart()
		require.Equal(t, report, a.step(stepReport, ""))
		require.Equal(t, []string{"nccl-group-0", "nccl-group-1"}, s.seen(), "nothing was made twice")
		require.Empty(t, s.leftovers())
	})
}

func TestArgoRetryRunsOnlyTheFailedGroupAgain(t *testing.T) {
	simulate(t, 4, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{log: wrongTable}
		a := s.workflow("nccl", nil)
		require.Equal(t, "fail", a.run()["report"].Outputs["verdict"])
		a.over()
		a.retry()
		// Argo calls only what failed: score and report.
		scored := a.step(stepScore, "group-0")
		require.Equal(t, server.Succeeded, scored.Phase, scored.Message)
		got := a.step(stepReport, "")
		require.Equal(t, server.Succeeded, got.Phase, got.Message)
		require.Equal(t, "pass", got.Outputs["verdict"])
		require.Equal(t, []string{"nccl-group-0", "nccl-group-0-a2", "nccl-group-1"}, s.seen())
		r := a.report()
		require.Equal(t, 2, r.Groups[0].Attempts)
		require.Contains(t, r.Groups[0].Warnings[0], "attempt 1: fail: line")
		require.Equal(t, 1, r.Groups[1].Attempts)
		require.Empty(t, s.leftovers())
	})
}

func TestArgoRetryAfterAFailedDiscover(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", map[string]string{"numNodes": "3"})
		s.size = 3
		require.Contains(t, a.run()["discover"].Message, "PartitionError: need 3, found 2")
		a.over()
		a.retry()
		require.Contains(t, a.step(stepDiscover, "").Message, "PartitionError", "nothing has changed")
		a.over()
		a.retry()
		a.parameters["numNodes"] = "2"
		s.size = 2
		require.Equal(t, "pass", a.run()["report"].Outputs["verdict"], "a plan that failed is made anew")
	})
}

func TestRetryFailedGroups(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{log: wrongTable}
		s.plays["nccl-group-0-a2"] = play{exit: 1}
		a := s.workflow("nccl", map[string]string{"retryFailedGroups": "2"})
		got := a.run()
		require.Equal(t, "pass: busbw 37.77 GB/s", got["score group-0"].Message)
		require.Equal(t, []string{"nccl-group-0", "nccl-group-0-a2", "nccl-group-0-a3"}, s.seen())
		require.Len(t, a.report().Groups[0].Warnings, 2)
		require.Empty(t, s.leftovers())
	})
	t.Run("no more than allowed", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			for _, name := range []string{"nccl-group-0", "nccl-group-0-a2"} {
				s.plays[name] = play{log: wrongTable}
			}
			a := s.workflow("nccl", map[string]string{"retryFailedGroups": "1"})
			require.Equal(t, server.Failed, a.run()["score group-0"].Phase)
			require.Len(t, s.seen(), 2)
		})
	})
}

var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: &os.SyscallError{Syscall: "connect", Err: syscall.ECONNREFUSED}}

// TestOutage: an API server that is away for minutes, in any phase of a run, costs time and no verdict.
func TestOutage(t *testing.T) {
	for _, at := range []time.Duration{0, time.Second, 3 * time.Second, 10 * time.Second, 25 * time.Second, 40 * time.Second} {
		t.Run(at.String(), func(t *testing.T) {
			simulate(t, 3, 2, func(t *testing.T, s *sim) {
				a := s.workflow("nccl", nil)
				began := time.Now()
				s.Refuse(func(string, string, string) error {
					if since := time.Since(began); since >= at && since < at+5*time.Minute {
						return errRefused
					}
					return nil
				})
				for step, reply := range a.run() {
					require.Equal(t, server.Succeeded, reply.Phase, "%s: %s", step, reply.Message)
				}
				require.Equal(t, []string{"nccl-group-0", "nccl-group-1"}, s.seen())
				require.Empty(t, s.leftovers())
			})
		})
	}
	t.Run("one that never comes back ends every step", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			require.Equal(t, server.Succeeded, a.step(stepDiscover, "").Phase)
			require.Equal(t, server.Succeeded, a.step(stepPartition, "").Phase)
			require.Equal(t, server.Succeeded, a.step(stepLaunch, "group-0").Phase)
			s.Refuse(func(string, string, string) error { return errRefused })
			var wait sync.WaitGroup
			for _, step := range []string{stepDiscover, stepPartition, stepLaunch, stepProbe, stepScore, stepReport} {
				wait.Go(func() {
					got := a.step(step, "group-0")
					require.Equal(t, server.Failed, got.Phase)
					require.Contains(t, got.Message, "the cluster gave no answer for 10m0s: ")
				})
			}
			wait.Wait()
		})
	})
	t.Run("a refusal is no outage", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			s.Refuse(func(verb, resource, _ string) error {
				if resource == "trainjobs" && verb == "create" {
					return apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "x", errors.New("no Role allows it"))
				}
				return nil
			})
			got := a.run()
			require.Contains(t, got["score group-1"].Message, "unknown (infrastructure): creating TrainJob nccl-group-1: trainjobs \"x\" is forbidden: no Role allows it")
			require.Equal(t, "unknown", got["report"].Outputs["verdict"])
			require.Empty(t, s.leftovers(), "the runtimes are deleted")
		})
	})
}

// TestWebhookCache: Trainer refuses a TrainJob for a moment after its runtime was made.
func TestWebhookCache(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", nil)
		var refusals atomic.Int32
		s.Refuse(func(verb, resource, _ string) error {
			if resource == "trainjobs" && verb == "create" && refusals.Add(1) <= 3 {
				return apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "x", errors.New("TrainingRuntime must be created before the TrainJob"))
			}
			return nil
		})
		require.Equal(t, "pass", a.run()["report"].Outputs["verdict"])
	})
	t.Run("but not for ever", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			s.Refuse(func(verb, resource, _ string) error {
				if resource == "trainjobs" && verb == "create" {
					return apierrors.NewInternalError(errors.New("failed calling webhook: no endpoints available"))
				}
				return nil
			})
			got := a.run()
			require.Contains(t, got["score group-0"].Message, "no endpoints available")
			require.Equal(t, v1alpha1.Unknown, a.report().Groups[0].Verdict)
		})
	})
}

// TestAnOutageDeletesNoRunningJob: launch and score verify objects that exist; when the run cannot be asked whether it goes
// on, they must stay.
func TestAnOutageDeletesNoRunningJob(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{lasts: 8 * time.Minute}
		a := s.workflow("nccl", nil)
		a.step(stepDiscover, "")
		a.step(stepPartition, "")
		a.step(stepLaunch, "group-0")
		time.Sleep(time.Minute)
		a.restart()
		var out atomic.Bool
		s.Refuse(func(verb, resource, name string) error {
			switch {
			case verb == "create" && resource == "trainjobs":
				out.Store(true) // from the next request on, until somebody waits
			case out.Load() && (resource == "configmaps" || resource == "workflows"):
				return errRefused
			}
			return nil
		})
		require.False(t, final(a.steps.Execute(context.Background(), a.call(stepScore, "group-0"))))
		time.Sleep(time.Minute)
		require.Contains(t, s.leftovers(), "trainjobs/nccl-group-0")
		a.kill()
	})
}
