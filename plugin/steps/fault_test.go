package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// What test/e2e does to a real cluster (docs/faults.md), with the fakes, and what it cannot do there: a moment chosen to the second.

// forget deletes the ConfigMaps of the run record that match.
func (a *argo) forget(match func(name string) bool) {
	maps := a.Kube.CoreV1().ConfigMaps(namespace)
	list, err := maps.List(context.Background(), metav1.ListOptions{LabelSelector: "seatrial.dev/record"})
	require.NoError(a.t, err)
	for _, m := range list.Items {
		if match(m.Name) {
			require.NoError(a.t, maps.Delete(context.Background(), m.Name, metav1.DeleteOptions{}))
		}
	}
}

func (a *argo) finish() {
	a.over()
	owner := cluster.Owner{Namespace: namespace, Name: a.name, UID: "uid-of-" + a.name}
	require.NoError(a.t, a.closer().Workflow(context.Background(), owner))
}

// TestTheRunRecordIsDeleted: what was known is lost, so that nothing is a pass; nobody is blamed, and no pod is left.
func TestTheRunRecordIsDeleted(t *testing.T) {
	for _, at := range []time.Duration{12 * time.Second, 25 * time.Second, 31 * time.Second, 45 * time.Second} {
		t.Run("all of it after "+at.String(), func(t *testing.T) {
			simulate(t, 3, 2, func(t *testing.T, s *sim) {
				a := s.workflow("nccl", nil)
				go func() {
					time.Sleep(at)
					a.forget(func(string) bool { return true })
				}()
				got := a.run()
				require.Equal(t, server.Failed, got["report"].Phase)
				require.Equal(t, "unknown", got["report"].Outputs["verdict"])
				require.Contains(t, got["report"].Message, "the run has no plan: its record was deleted")
				require.Equal(t, "[]", got["report"].Outputs["failedNodes"], "nobody is blamed")
				a.finish()
				require.Empty(t, s.leftovers())
			})
		})
	}
	t.Run("the finish container cleans up though nobody wrote a record since", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{lasts: -1}
			a := s.workflow("nccl", nil)
			a.underWay(2)
			a.kill()
			a.forget(func(string) bool { return true })
			require.NotEmpty(t, s.leftovers())
			a.finish()
			require.Empty(t, s.leftovers())
		})
	})
	t.Run("the groups of a ConfigMap whose jobs still run are found again", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{lasts: 2 * time.Minute}
			a := s.workflow("nccl", nil)
			go func() {
				time.Sleep(time.Minute)
				a.forget(func(name string) bool { return strings.HasSuffix(name, "-1") })
			}()
			got := a.run()
			require.Equal(t, "pass: busbw 37.77 GB/s", got["score group-0"].Message)
			require.Equal(t, "pass", got["report"].Outputs["verdict"])
			require.Equal(t, []string{"nccl-group-0", "nccl-group-1"}, s.seen(), "nothing was made twice, and nothing beside what ran")
			require.Empty(t, s.leftovers())
		})
	})
	t.Run("the result of a group that ended before is lost, and its nodes are not passed", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-1"] = play{lasts: 2 * time.Minute}
			a := s.workflow("nccl", nil)
			go func() {
				time.Sleep(90 * time.Second)
				a.forget(func(name string) bool { return strings.HasSuffix(name, "-1") })
			}()
			got := a.run()
			require.Equal(t, server.Succeeded, got["score group-0"].Phase, "it passed before")
			require.Equal(t, "unknown", got["report"].Outputs["verdict"])
			require.Zero(t, a.report().Counts.Failed+a.report().Counts.Suspect)
			require.Empty(t, s.leftovers())
		})
	})
}

// TestFinishOutlastsAnOutage: the exit handler comes once, and the API server may be away just then.
func TestFinishOutlastsAnOutage(t *testing.T) {
	simulate(t, 3, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{lasts: -1}
		a := s.workflow("nccl", nil)
		a.underWay(2)
		a.kill()
		a.over()
		began := time.Now()
		s.Refuse(func(string, string, string) error {
			if time.Since(began) < 30*time.Second {
				return errRefused
			}
			return nil
		})
		owner := cluster.Owner{Namespace: namespace, Name: "nccl", UID: "uid-of-nccl"}
		require.NoError(t, s.closer().Insist(t.Context(), func() error { return s.closer().Workflow(t.Context(), owner) }))
		require.Empty(t, s.leftovers())
	})
}

// TestAnEvictedAgentSaysTheWayOut: Argo makes no other agent for this execution, and one command begins another.
func TestAnEvictedAgentSaysTheWayOut(t *testing.T) {
	simulate(t, 3, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{lasts: -1}
		a := s.workflow("nccl", nil)
		a.underWay(2)
		a.kill()
		a.set(func(w map[string]any) {
			part(w, "status")["nodes"] = map[string]any{"x": map[string]any{
				"type": "Plugin", "phase": "Error", "message": `agent pod failed with reason:"The node was low on resource: memory."`, "finishedAt": "2026-01-02T03:04:05Z",
			}}
		})
		a.finish()
		a.requireEnded(t, "had no result when the workflow ended: agent pod failed with reason:\"The node was low on resource: memory.\"; `argo retry nccl` runs it again")
		require.Zero(t, a.report().Counts.Failed+a.report().Counts.Suspect)
		a.retry()
		for _, group := range []string{"group-0", "group-1"} {
			require.Equal(t, server.Succeeded, a.step(stepScore, group).Phase)
		}
		require.Equal(t, "pass", a.step(stepReport, "").Outputs["verdict"])
		require.Empty(t, s.leftovers())
	})
}

// TestBearable: what is the API server's trouble, and what is an answer.
func TestBearable(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	internal := func(message string) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: message}}
	}
	for name, c := range map[string]struct {
		err  error
		want time.Duration
	}{
		"none":                               {nil, 0},
		"nobody listens":                     {errRefused, blindFor},
		"wrapped":                            {fmt.Errorf("listing pods: %w", errRefused), blindFor},
		"the database is slow":               {internal("etcdserver: request timed out"), blindFor},
		"the database changes its leader":    {internal("etcdserver: leader changed"), blindFor},
		"the database does not answer":       {internal("rpc error: code = Unavailable desc = keepalive ping failed"), blindFor},
		"the request took too long":          {internal("context deadline exceeded"), blindFor},
		"too many requests":                  {apierrors.NewTooManyRequests("slow down", 1), blindFor},
		"a webhook is slow":                  {apierrors.NewInternalError(errors.New(`failed calling webhook "x": context deadline exceeded`)), 0},
		"a fault of the API server":          {internal("runtime error: index out of range"), 0},
		"no role, or not read yet":           {apierrors.NewForbidden(pods, "", errors.New(`User "system:serviceaccount:lab:x" cannot list resource "pods"`)), unreadyFor},
		"a token that cannot be looked up":   {apierrors.NewUnauthorized("Unauthorized"), unreadyFor},
		"a webhook says no":                  {apierrors.NewForbidden(pods, "p", errors.New("admission webhook denied the request")), 0},
		"it is not there":                    {apierrors.NewNotFound(pods, "p"), 0},
		"the run was stopped":                {errEnding, 0},
		"the record was deleted by somebody": {errForgotten, 0},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, bearable(c.err)) })
	}
}

// TestAnAPIServerThatHasJustStartedRefusesForAMoment: it has not read the roles yet.
func TestAnAPIServerThatHasJustStartedRefusesForAMoment(t *testing.T) {
	refusal := func(resource string) error {
		return apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New(`User "system:serviceaccount:lab:seatrial-executor-plugin" cannot do that`))
	}
	for _, at := range []time.Duration{0, time.Second, 10 * time.Second, 25 * time.Second, 40 * time.Second} {
		t.Run(at.String(), func(t *testing.T) {
			simulate(t, 3, 2, func(t *testing.T, s *sim) {
				a := s.workflow("nccl", nil)
				began := time.Now()
				s.Refuse(func(_, resource, _ string) error {
					if since := time.Since(began); since >= at && since < at+20*time.Second {
						return refusal(resource)
					}
					return nil
				})
				for step, reply := range a.run() {
					require.Equal(t, server.Succeeded, reply.Phase, "%s: %s", step, reply.Message)
				}
				require.Empty(t, s.leftovers())
			})
		})
	}
	t.Run("a role that is really missing is said within minutes", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			began := time.Now()
			s.Refuse(func(_, resource, _ string) error {
				if resource == "nodes" {
					return refusal(resource)
				}
				return nil
			})
			require.Contains(t, a.step(stepDiscover, "").Message, "cannot do that")
			require.Less(t, time.Since(began), 2*time.Minute)
		})
	})
}

// TestTheLogEndpointFails: a kubelet that starts anew refuses for a while, and the container may end meanwhile.
func TestTheLogEndpointFails(t *testing.T) {
	ended := []corev1.Pod{pod(launcher, "l", "cpu", exited(0, ""))}
	t.Run("when the log is read for the last time", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			logs := newFollowers(a.steps.run(a.call(stepScore, "group-0")), t.Context())
			defer logs.close()
			go func() {
				time.Sleep(30 * time.Second)
				s.SetLog("l", containerNode, false, goodTable)
			}()
			scores, problem := logs.finish(t.Context(), ended, false)
			require.Empty(t, problem)
			require.Equal(t, v1alpha1.Pass, scores[0].Verdict)
		})
	})
	t.Run("but not for ever", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			logs := newFollowers(a.steps.run(a.call(stepScore, "group-0")), t.Context())
			defer logs.close()
			began := time.Now()
			_, problem := logs.finish(t.Context(), ended, false)
			require.Equal(t, "l: opening the log of l/node: not found", problem)
			require.InDelta(t, readWithin.Seconds(), time.Since(began).Seconds(), 2*poll.Seconds())
		})
	})
}

// TestPodsAreTakenAway: an exit that follows somebody's deletion of a pod is no evidence against a node.
func TestPodsAreTakenAway(t *testing.T) {
	at := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: noon.Add(d)} }
	died := func(p *corev1.Pod) { exited(1, "Error")(p) } // at 12:01:00
	takenAt := func(d time.Duration) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = at(d+30*time.Second), new(int64(30))
		}
	}
	gone := func(ended, d time.Duration) func(*corev1.Pod) { // with the kubelet's last word
		return func(p *corev1.Pod) {
			exited(255, "Error")(p)
			p.Status.ContainerStatuses[0].State.Terminated.FinishedAt = *at(ended)
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = at(d), new(int64(0))
		}
	}
	failedAt := func(d time.Duration, o observation) observation {
		o.job = trainJob(is(trainer.TrainJobFailed, "why"))
		o.job.Status.Conditions[0].LastTransitionTime = *at(d)
		return o
	}
	again := func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount = 1 }
	made := func(d time.Duration) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.CreationTimestamp = *at(d) }
	}
	known := func(o observation) observation { o.workersAt = &noon; return o }
	torch := func(o observation) observation { o.framework = v1alpha1.FrameworkTorch; return o }
	late := func(d time.Duration, o observation) observation { o.now = noon.Add(d); return o }
	for name, c := range map[string]struct {
		seen    observation
		ending  score.Ending
		message string
	}{
		"a worker a moment before the launcher exits": {mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", takenAt(59*time.Second)), pod(launcher, "l", "cpu", died)),
			score.Lost, "the launcher exited with 1 after the pod w-1 (gpu-node-02) was deleted, and not by Seatrial"},
		"in the same second": {mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", takenAt(time.Minute)), pod(launcher, "l", "cpu", died)),
			score.Lost, "was deleted, and not by Seatrial"},
		"told to go before, and gone after": {mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", gone(time.Minute, 64*time.Second)), pod(launcher, "l", "cpu", died)),
			score.Lost, "after the pod w-1 (gpu-node-02) was deleted, and not by Seatrial"},
		"it ended by itself long before it was told to go": {mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", gone(time.Minute, 95*time.Second)), pod(launcher, "l", "cpu", died)),
			score.Exited, "the launcher exited with 1"},
		"before the job failed": {failedAt(70*time.Second, mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", takenAt(59*time.Second)), pod(launcher, "l", "cpu", died))),
			score.Lost, "after the pod w-1 (gpu-node-02) was deleted, and not by Seatrial"},
		"once the job had failed": {failedAt(70*time.Second, mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", takenAt(70*time.Second)), pod(launcher, "l", "cpu", died))),
			score.Exited, "the launcher exited with 1"},
		"it was seen before the job failed, and all pods are gone": {func() observation {
			o := failedAt(70*time.Second, mpiJob(worker0, pod(launcher, "l", "cpu", died)))
			o.takenAway = "the pod w-1 (gpu-node-02) was deleted"
			return o
		}(), score.Lost, "the launcher exited with 1 after the pod w-1 (gpu-node-02) was deleted, and not by Seatrial"},
		"nobody took anything, and the kubelet has forgotten the exit": {mpiJob(worker0, worker1, pod(launcher, "l", "cpu", exited(0, "Completed"), again)),
			score.Exited, "the launcher failed and was started again"},
		"after the exit, which is what the failed job is deleted for": {mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", takenAt(62*time.Second)), pod(launcher, "l", "cpu", died)),
			score.Exited, "the launcher exited with 1"},
		"and its place is taken": {known(mpiJob(worker0, pod(workers, "w-2", "gpu-node-02", made(30*time.Second)), pod(launcher, "l", "cpu", died))),
			score.Lost, "after a worker was deleted and replaced by the pod w-2 (gpu-node-02)"},
		"and its place is empty":                 {known(mpiJob(worker0, pod(launcher, "l", "cpu", died))), score.Lost, "after 1 of 2 workers were deleted"},
		"it is not known that there were all":    {mpiJob(worker0, pod(launcher, "l", "cpu", died)), score.Exited, "the launcher exited with 1"},
		"the launcher may be on its way out too": {late(90*time.Second, mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", takenAt(59*time.Second)), pod(launcher, "l", "cpu", died))), score.Lost, ""},
		"a rank of torch loses its peer":         {torch(execJob(pod(workers, "w-0", "gpu-node-01", died), pod(workers, "w-1", "gpu-node-02", takenAt(59*time.Second)))), score.Lost, "the command on gpu-node-01 exited with 1 after the pod w-1"},
		"a command does not need its neighbour":  {execJob(pod(workers, "w-0", "gpu-node-01", died), pod(workers, "w-1", "gpu-node-02", takenAt(59*time.Second))), score.Exited, "the command on gpu-node-01 exited with 1"},
		"the TrainJob is deleted, and the pods go": {func() observation {
			o := mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", takenAt(59*time.Second)), pod(launcher, "l", "cpu", died))
			o.job = nil
			return o
		}(), score.Lost, "was deleted, and not by Seatrial"},
		"nobody took anything, and the exit counts": {known(mpiJob(worker0, worker1, pod(launcher, "l", "cpu", died))), score.Exited, "the launcher exited with 1"},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.seen.ended()
			require.Equal(t, c.ending, got.Ending, got.Message)
			require.Contains(t, got.Message, c.message)
			if c.message == "" {
				require.Zero(t, got, "it is too early to tell")
			}
			if got.Ending == score.Lost {
				require.Empty(t, got.Blamed)
			}
		})
	}
}

// TestTheJobSetIsDeleted: Trainer makes it anew, and the launcher that came second passes, with a warning.
func TestTheJobSetIsDeleted(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{lasts: 2 * time.Minute, early: goodTable[:len(goodTable)/2]}
		a := s.workflow("nccl", nil)
		go func() {
			time.Sleep(time.Minute)
			pods := s.Kube.CoreV1().Pods(namespace)
			p, err := pods.Get(context.Background(), "nccl-group-0-launcher-0-0", metav1.GetOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := pods.Delete(context.Background(), p.Name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
			p.ResourceVersion, p.UID = "", types.UID("another")
			if _, err := pods.Create(context.Background(), p, metav1.CreateOptions{}); err != nil {
				t.Error(err)
			}
		}()
		require.Equal(t, "pass: busbw 37.77 GB/s", a.run()["score group-0"].Message)
		g := a.report().Groups[0]
		require.Contains(t, g.Warnings, "pods of the job were deleted while it ran, and not by Seatrial: this is the result of those that replaced them")
		for _, size := range g.Bandwidth.Results {
			require.Equal(t, 1, size.Samples, "the rows of two launchers are not added up")
		}
		require.Empty(t, s.leftovers())
	})
}

// lose makes a node unready.
func (s *sim) lose(node string) {
	nodes := s.Kube.CoreV1().Nodes()
	n, err := nodes.Get(context.Background(), node, metav1.GetOptions{})
	if err != nil {
		s.t.Error(err)
		return
	}
	n.Status.Conditions[0] = corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status."}
	if _, err := nodes.UpdateStatus(context.Background(), n, metav1.UpdateOptions{}); err != nil {
		s.t.Error(err)
	}
}

// TestANodeIsLost: its condition names it, and nobody else.
func TestANodeIsLost(t *testing.T) {
	const condition = "Kubelet stopped posting node status."
	t.Run("while the job hangs on it", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{lasts: -1}
			a := s.workflow("nccl", nil)
			go func() {
				time.Sleep(time.Minute)
				s.lose("gpu-node-02")
			}()
			got := a.run()
			require.Equal(t, "fail", got["report"].Outputs["verdict"])
			r := a.report()
			require.Equal(t, v1alpha1.Counts{Target: 2, Failed: 1, Suspect: 1}, r.Counts)
			require.Equal(t, v1alpha1.Failed, r.Nodes[1].Verdict)
			require.Contains(t, r.Nodes[1].Reason, condition)
			require.Empty(t, s.leftovers())
		})
	})
	t.Run("the launcher exits long before anybody misses it", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{log: "mpirun: lost a daemon\n", exit: 1, stays: true}
			a := s.workflow("nccl", nil)
			go func() {
				time.Sleep(80 * time.Second)
				s.lose("gpu-node-02")
			}()
			a.run()
			r := a.report()
			require.Equal(t, v1alpha1.Fail, r.Verdict)
			require.Equal(t, v1alpha1.Failed, r.Nodes[1].Verdict)
			require.Contains(t, r.Nodes[1].Reason, condition)
			require.Equal(t, v1alpha1.Suspect, r.Nodes[0].Verdict)
		})
	})
	t.Run("one that only ran the launcher is none of the group's", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", map[string]string{"nodeNames": "[gpu-node-01, gpu-node-02]"})
			r := a.steps.run(a.call(stepScore, "group-0"))
			require.Equal(t, server.Succeeded, a.step(stepDiscover, "").Phase)
			require.Equal(t, server.Succeeded, a.step(stepPartition, "").Phase)
			plan, _ := a.record()
			s.lose("gpu-node-03")
			end := r.withNodes(t.Context(), plan.Groups[0], mpiJob(worker0, worker1, pod(launcher, "l", "gpu-node-03")), score.Evidence{Ending: score.TimedOut, Message: "the job was still running"})
			require.Equal(t, score.Lost, end.Ending)
			require.Contains(t, end.Message, "the launcher ran on gpu-node-03, which is none of the group's nodes: the node is not ready since")
			require.Empty(t, end.Blamed)
		})
	})
	t.Run("a pass is a pass", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			go func() {
				time.Sleep(15 * time.Second)
				s.lose("gpu-node-02")
			}()
			require.Equal(t, "pass", a.run()["report"].Outputs["verdict"])
		})
	})
}

// jumpy is a machine whose clock is set: Now follows, and what passes between two moments does not, as Go's monotonic clock has it.
type jumpy struct {
	clock.RealClock
	by atomic.Int64
}

func (c *jumpy) Now() time.Time { return time.Now().Add(time.Duration(c.by.Load())) }

func (c *jumpy) Since(t time.Time) time.Duration { return time.Since(t) }

// TestTheClockIsSet: an hour forth or back in the middle of a job ends nothing, and stretches nothing.
func TestTheClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{-24 * time.Hour, -time.Hour, time.Hour, 24 * time.Hour} {
		for _, c := range []struct {
			name    string
			play    play
			verdict string
		}{
			{"a job that ends well passes", play{lasts: 5 * time.Minute}, "pass"},
			{"a job that never ends is over time", play{lasts: -1}, "fail"},
		} {
			t.Run(fmt.Sprintf("by %s, %s", by, c.name), func(t *testing.T) {
				simulate(t, 2, 2, func(t *testing.T, s *sim) {
					s.plays["nccl-group-0"] = c.play
					a := s.workflow("nccl", nil)
					set := &jumpy{}
					a.steps.clock = steady(set)
					began := time.Now()
					go func() {
						time.Sleep(time.Minute)
						set.by.Store(int64(by))
					}()
					got := a.run()
					require.Equal(t, c.verdict, got["report"].Outputs["verdict"], got["score group-0"].Message)
					require.Less(t, time.Since(began), 15*time.Minute)
					require.Equal(t, []string{"nccl-group-0"}, s.seen())
					require.Empty(t, s.leftovers())
				})
			})
		}
	}
}
