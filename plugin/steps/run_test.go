package steps

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

func TestRunPasses(t *testing.T) {
	simulate(t, 3, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", nil)
		got := a.run()
		for step, reply := range got {
			require.Equal(t, server.Succeeded, reply.Phase, "%s: %s", step, reply.Message)
			require.NotEmpty(t, reply.Message, "Argo would keep the last message of the running step")
		}
		require.Equal(t, `["group-0","group-1"]`, got["partition"].Outputs["batches"])
		require.Equal(t, "TrainJob nccl-group-1 on gpu-node-[02-03]", got["launch group-1"].Message)
		require.Equal(t, "2 of 2 workers answer (at most 0 ms)", got["probe group-0"].Message)
		require.Equal(t, "pass: busbw 37.77 GB/s", got["score group-1"].Message)
		require.Equal(t, "pass", got["report"].Outputs["verdict"])
		require.Equal(t, `["gpu-node-01","gpu-node-02","gpu-node-03"]`, got["report"].Outputs["passedNodes"])
		require.Equal(t, `[]`, got["report"].Outputs["failedNodes"])
		require.Equal(t, []string{"nccl-group-0", "nccl-group-1"}, s.seen())
		require.Empty(t, s.leftovers())
		for _, g := range a.report().Groups {
			require.Empty(t, g.Warnings)
			require.Equal(t, 2, *g.Bandwidth.Ranks)
			require.Len(t, g.Bandwidth.Results, 2)
			for _, size := range g.Bandwidth.Results {
				require.Equal(t, 1, size.Samples, "a log that is read again counts once")
			}
		}
		a.steps.Close(context.Background())
	})
}

func TestRunFails(t *testing.T) {
	for name, c := range map[string]struct {
		play       play
		parameters map[string]string
		cause      v1alpha1.Cause
		message    string
		verdict    v1alpha1.Verdict
		tail       string
	}{
		"wrong values":           {play{log: wrongTable}, nil, v1alpha1.CauseWrongResults, "56 wrong values at 1048576 B", v1alpha1.Fail, "busbw"},
		"the launcher exits":     {play{log: "mpirun: no such file\n", exit: 1}, nil, v1alpha1.CauseJobFailed, "the launcher exited with 1", v1alpha1.Fail, "mpirun: no such file"},
		"no table":               {play{log: "hello\n"}, nil, v1alpha1.CauseIncomplete, "the threshold busBandwidthGBps needs a value that the log does not hold", v1alpha1.Unknown, "hello"},
		"a missed threshold":     {play{}, map[string]string{"thresholds": "busBandwidthGBps: value >= 400"}, v1alpha1.CauseThreshold, "busBandwidthGBps is 37.77, which does not satisfy value >= 400", v1alpha1.Fail, "busbw"},
		"a job that never ends":  {play{lasts: -1}, nil, v1alpha1.CauseTimeout, "no end within 10m0s (timeoutPerJob): the job was still running", v1alpha1.Fail, ""},
		"an image with two GPUs": {play{}, map[string]string{"gpusPerNode": "1", "nodeNames": "[gpu-node-01, gpu-node-02]", "numNodes": "1"}, v1alpha1.CauseIncomplete, "2 ranks took part, 1 were asked for", v1alpha1.Unknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, 4, 2, func(t *testing.T, s *sim) {
				if c.parameters["numNodes"] == "1" {
					s.size = 1
				}
				s.plays["nccl-group-0"] = c.play
				a := s.workflow("nccl", c.parameters)
				got := a.run()
				require.Equal(t, server.Failed, got["score group-0"].Phase)
				require.Contains(t, got["score group-0"].Message, c.message)
				require.Equal(t, server.Failed, got["report"].Phase, "the gate is on")
				r := a.report()
				require.Equal(t, c.verdict, r.Verdict)
				require.Equal(t, c.verdict, r.Groups[0].Verdict)
				require.Equal(t, c.cause, r.Groups[0].Cause)
				if c.parameters == nil {
					require.Equal(t, v1alpha1.Pass, r.Groups[1].Verdict, "the other group passes")
					require.Equal(t, server.Succeeded, got["score group-1"].Phase)
					require.Equal(t, `["gpu-node-03","gpu-node-04"]`, got["report"].Outputs["passedNodes"])
				}
				if c.tail != "" {
					require.Contains(t, r.Groups[0].FailureLog.Tail, c.tail)
				}
				require.Empty(t, s.leftovers())
				a.steps.Close(context.Background())
			})
		})
	}
}

func TestRunWithoutGateSucceedsWithItsVerdict(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{log: wrongTable}
		a := s.workflow("nccl", nil)
		a.gate = "false"
		got := a.run()
		require.Equal(t, server.Failed, got["score group-0"].Phase)
		require.Equal(t, server.Succeeded, got["report"].Phase, "a larger workflow needs the verdict as data")
		require.Equal(t, "fail", got["report"].Outputs["verdict"])
		require.Equal(t, `["gpu-node-01","gpu-node-02"]`, got["report"].Outputs["failedNodes"])
	})
}

func TestADeafWorkerIsBlamed(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.deaf["gpu-node-02"] = true
		s.plays["nccl-group-0"] = play{deaf: true}
		a := s.workflow("nccl", nil)
		got := a.run()
		require.Contains(t, got["score group-0"].Message, "fail (worker-not-started): no end within 10m0s (timeoutPerJob): gpu-node-02: its sshd did not answer: no-banner, connected, then no SSH banner in time")
		require.Equal(t, server.Failed, got["probe group-0"].Phase)
		require.Contains(t, got["probe group-0"].Message, "1 of 2 workers answered; gpu-node-02: no-banner")
		r := a.report()
		require.Equal(t, v1alpha1.Suspect, r.Nodes[0].Verdict)
		require.Equal(t, v1alpha1.Failed, r.Nodes[1].Verdict)
		require.Len(t, r.Groups[0].Probe, 2)
	})
}

// TestBatch: above 128 groups an id stands for several, which run side by side and quietly.
func TestBatch(t *testing.T) {
	simulate(t, 130, 1, func(t *testing.T, s *sim) {
		one := "# nothing was asked for\n"
		for i := range 130 {
			s.plays[fmt.Sprintf("nccl-group-%d", i)] = play{log: one}
		}
		s.plays["nccl-group-63"] = play{log: one, exit: 2}
		a := s.workflow("nccl", map[string]string{"thresholds": ""})
		require.Equal(t, server.Succeeded, a.step(stepDiscover, "").Phase)
		p := a.step(stepPartition, "")
		require.Contains(t, p.Outputs["batches"], `"groups 63-64"`)
		first := a.steps.Execute(context.Background(), a.call(stepLaunch, "groups 63-64"))
		require.Equal(t, server.Poll, first.Phase)
		require.Empty(t, first.Message, "each message rewrites the whole Workflow")
		launched := a.step(stepLaunch, "groups 63-64")
		require.Equal(t, server.Succeeded, launched.Phase, launched.Message)
		require.Equal(t, "2 of 2 groups", launched.Message)
		scored := a.step(stepScore, "groups 63-64")
		require.Equal(t, server.Failed, scored.Phase)
		require.Equal(t, "1 of 2 groups; group-63: fail (job-failed): the launcher exited with 2", scored.Message)
		require.Equal(t, []string{"nccl-group-63", "nccl-group-64"}, s.seen())
		require.Contains(t, a.step(stepScore, "groups 63-65").Message, `batch "groups 63-65" is not one of a run with 130 groups`)
		require.Empty(t, s.leftovers())
	})
}

func TestTurns(t *testing.T) {
	t.Run("maxConcurrent", func(t *testing.T) {
		simulate(t, 6, 1, func(t *testing.T, s *sim) {
			s.quietTables()
			a := s.workflow("nccl", map[string]string{"thresholds": "", "maxConcurrent": "2"})
			got := a.run()
			require.Equal(t, "pass", got["report"].Outputs["verdict"], got["report"].Message)
			s.mu.Lock()
			defer s.mu.Unlock()
			require.Equal(t, 2, s.most)
			require.Len(t, s.history, 6)
		})
	})
	t.Run("without it all groups run at the same time: nine of two on eighteen nodes", func(t *testing.T) {
		simulate(t, 18, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			got := a.run()
			require.Equal(t, "pass", got["report"].Outputs["verdict"], got["report"].Message)
			s.mu.Lock()
			defer s.mu.Unlock()
			require.Equal(t, 9, s.most)
			require.Len(t, s.history, 9)
		})
	})
	t.Run("a dead node's pods do not hold up the other groups", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			s.plays["nccl-group-0"] = play{stays: true, exit: 1}
			began := time.Now()
			a := s.workflow("nccl", map[string]string{"maxConcurrent": "1"})
			got := a.run()
			require.Contains(t, got["score group-0"].Message, "3 pods are not gone after 5m0s, such as nccl-group-0-launcher-0-0 on cpu")
			require.Equal(t, server.Succeeded, got["score group-1"].Phase, got["score group-1"].Message)
			require.Less(t, time.Since(began), 10*time.Minute)
			r := a.report()
			require.Equal(t, v1alpha1.Fail, r.Groups[0].Verdict, "its result stands")
			require.Contains(t, r.Groups[0].Warnings[0], "3 pods are not gone")
		})
	})
}

// quietTables: every job prints nothing that is judged.
func (s *sim) quietTables() {
	for i := range 200 {
		s.plays[fmt.Sprintf("nccl-group-%d", i)] = play{log: "# nothing was asked for\n"}
	}
}

func TestDiscover(t *testing.T) {
	for name, c := range map[string]struct {
		parameters map[string]string
		message    string
		verdict    v1alpha1.Verdict
	}{
		"no image":                     {map[string]string{"image": ""}, "BuildFailed: image: ", v1alpha1.Unknown},
		"two mistakes in one message":  {map[string]string{"image": "", "numNodes": "none"}, "; ", v1alpha1.Unknown},
		"a bad threshold":              {map[string]string{"thresholds": "busBandwidthGBps: value >"}, "BuildFailed: ", v1alpha1.Unknown},
		"more nodes than there are":    {map[string]string{"numNodes": "5"}, "PartitionError: need 5, found 3", v1alpha1.Unknown},
		"nobody matches":               {map[string]string{"nodeSelector": "{rack: x}"}, "no eligible node: none of the 3 nodes with GPUs matches the target", v1alpha1.Unknown},
		"an empty list of nodes":       {map[string]string{"nodeNames": "[]"}, "no eligible node: ", v1alpha1.Unknown},
		"names of nodes there are not": {map[string]string{"nodeNames": "[gpu-node-77]"}, "no eligible node: nodeNames names nodes that are not in the target: gpu-node-77", v1alpha1.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, 3, 2, func(t *testing.T, s *sim) {
				a := s.workflow("nccl", c.parameters)
				got := a.run()
				require.Equal(t, server.Failed, got["discover"].Phase)
				require.Contains(t, got["discover"].Message, c.message)
				require.NotContains(t, got["discover"].Message, "\n")
				for _, output := range []string{"platform", "gpuArchitecture", "nodes", "plan"} {
					require.Contains(t, got["discover"].Outputs, output)
				}
				require.Equal(t, server.Failed, got["report"].Phase)
				require.Contains(t, got["report"].Message, c.message)
				require.Equal(t, c.verdict.String(), got["report"].Outputs["verdict"])
				require.Equal(t, `[]`, got["report"].Outputs["passedNodes"])
				require.Equal(t, `[]`, got["report"].Outputs["failedNodes"], "a mistake blames nobody")
				require.Empty(t, s.leftovers())
			})
		})
	}
}

// holds makes a pod of somebody else's that holds the GPU of a node.
func (s *sim) holds(node string) {
	p := pod("", "theirs-on-"+node, node)
	p.Namespace, p.Labels = "team", nil
	p.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{resolve.ResourceGPU: resource.MustParse("1")}}}}
	_, err := s.Kube.CoreV1().Pods("team").Create(context.Background(), &p, metav1.CreateOptions{})
	require.NoError(s.t, err)
}

func TestGPUsInUseByOthers(t *testing.T) {
	t.Run("are in the report's warnings", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			s.holds("gpu-node-02")
			a := s.workflow("nccl", nil)
			require.Equal(t, server.Succeeded, a.step(stepDiscover, "").Phase)
			r := a.report()
			require.Len(t, r.Warnings, 1)
			require.Contains(t, r.Warnings[0], "GPUs are in use by pods that are not ours: 1 of gpu-node-02;")
			require.Equal(t, 3, r.Counts.Target)
		})
	})
	t.Run("or exclude their node", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			s.holds("gpu-node-02")
			a := s.workflow("nccl", map[string]string{"busyNodes": "exclude"})
			require.Equal(t, "2", a.step(stepDiscover, "").Outputs["nodes"])
			require.Equal(t, []v1alpha1.NodeReason{{Name: "gpu-node-02", Reason: "busy: 1 of its GPUs are in use by pods that are not ours"}}, a.report().Excluded)
		})
	})
	t.Run("are not asked for where that is forbidden", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			s.holds("gpu-node-02")
			s.Refuse(func(verb, what, _ string) error {
				if verb == "list" && what == "pods" {
					return apierrors.NewForbidden(schema.GroupResource{Resource: what}, "", errors.New("no ClusterRole allows it"))
				}
				return nil
			})
			a := s.workflow("nccl", nil)
			require.Equal(t, server.Succeeded, a.step(stepDiscover, "").Phase)
			require.Equal(t, []string{"whether other pods use the nodes' GPUs was not checked: the pods of all namespaces may not be listed (ClusterRole seatrial-nodes, pods)"}, a.report().Warnings)
		})
	})
}

func TestStepsOutOfOrderSaySo(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", nil)
		for _, step := range []string{stepPartition, stepLaunch, stepProbe, stepScore} {
			got := a.step(step, "group-0")
			require.Equal(t, server.Failed, got.Phase)
			require.Equal(t, "the run has no plan: its record was deleted, or discover did not run", got.Message)
		}
		require.Equal(t, server.Succeeded, a.step(stepDiscover, "").Phase)
		require.Equal(t, "the run has no groups: partition did not run", a.step(stepLaunch, "group-0").Message)
		require.Equal(t, `step "jump" is not one of this plugin's`, a.step("jump", "").Message)
		got := a.step(stepReport, "")
		require.Equal(t, server.Failed, got.Phase)
		require.Equal(t, "unknown", got.Outputs["verdict"])
	})
	t.Run("report alone", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			got := a.step(stepReport, "")
			require.Contains(t, got.Message, "the run has no plan: its record was deleted, or discover did not run")
			require.Equal(t, "unknown", got.Outputs["verdict"])
		})
	})
}

func TestForeignTrainJob(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.foreign("nccl-group-0")
		a := s.workflow("nccl", nil)
		got := a.run()
		const message = "creating TrainJob nccl-group-0: one of that name exists that is not this run's; delete it or give the run another name"
		require.Equal(t, message, got["launch group-0"].Message)
		require.Equal(t, "unknown (infrastructure): "+message, got["score group-0"].Message)
		require.Equal(t, "unknown", got["report"].Outputs["verdict"])
		require.Contains(t, s.leftovers(), "trainjobs/nccl-group-0", "it is not ours to delete")
		require.NotContains(t, s.leftovers(), "trainingruntimes/nccl-group-0-runtime", "what we made before it is gone")
	})
}

// TestCalledTwiceAtOnce: five retries of one call and a second one find the same task, and nothing is made twice.
func TestCalledTwiceAtOnce(t *testing.T) {
	simulate(t, 3, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", nil)
		for _, step := range []string{stepDiscover, stepPartition, stepLaunch, stepScore} {
			group := ""
			if step == stepLaunch || step == stepScore {
				group = "group-0"
			}
			answers := make([]server.Reply, 5)
			var wait sync.WaitGroup
			for i := range answers {
				wait.Go(func() { answers[i] = a.step(step, group) })
			}
			wait.Wait()
			for _, reply := range answers {
				require.Equal(t, server.Succeeded, reply.Phase, reply.Message)
				require.Equal(t, answers[0].Outputs, reply.Outputs)
			}
		}
		require.Equal(t, []string{"nccl-group-0"}, s.seen())
	})
}

func TestTwoWorkflowsAndTwoScopes(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", map[string]string{"name": "first"})
		other := a.call(stepDiscover, "")
		other.Node = "nccl.second.discover"
		require.Equal(t, server.Succeeded, a.step(stepDiscover, "").Phase)
		for {
			if reply := a.steps.Execute(context.Background(), other); final(reply) {
				require.Equal(t, server.Succeeded, reply.Phase, reply.Message)
				break
			}
			time.Sleep(time.Second)
		}
		synctest.Wait()
		plan, _ := a.record()
		require.Nil(t, plan.Groups)
		require.Equal(t, server.Succeeded, a.step(stepPartition, "").Phase)
		other = a.call(stepPartition, "")
		other.Node = "nccl.third.partition"
		for {
			if reply := a.steps.Execute(context.Background(), other); final(reply) {
				require.Contains(t, reply.Message, "the run has no plan", "another scope has a record of its own")
				break
			}
			time.Sleep(time.Second)
		}
	})
}
