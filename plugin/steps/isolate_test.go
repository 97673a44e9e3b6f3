package steps

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

var isolating = map[string]string{"isolate": "true"}

// verdictOf is a node's line in a report.
func verdictOf(t *testing.T, r v1alpha1.Report, name string) v1alpha1.NodeResult {
	t.Helper()
	for _, n := range r.Nodes {
		if n.Name == name {
			return n
		}
	}
	t.Fatalf("the report does not hold %s", name)
	return v1alpha1.NodeResult{}
}

func TestIsolationNamesTheBadNode(t *testing.T) {
	simulate(t, 6, 2, func(t *testing.T, s *sim) {
		s.bad = map[string]bool{"gpu-node-04": true}
		a := s.workflow("nccl", isolating)
		got := a.run()
		require.Equal(t, server.Failed, got["score group-1"].Phase)
		require.Equal(t, "round 1: 2 groups (at most 6 rounds and 16 groups)", got["round 1"].Message, "said before it starts")
		require.Equal(t, `["isolate-1-0","isolate-1-1"]`, got["round 1"].Outputs["batches"])
		require.Contains(t, s.seen(), "nccl-isolate-1-0", "the round is in the names of the objects")

		r := a.report()
		require.Equal(t, v1alpha1.Fail, r.Verdict)
		require.Equal(t, v1alpha1.Counts{Target: 6, Passed: 5, Failed: 1}, r.Counts)
		bad := verdictOf(t, r, "gpu-node-04")
		require.Equal(t, v1alpha1.Failed, bad.Verdict)
		require.Regexp(t, `^isolation: fails with gpu-node-0\d \(isolate-1-1\) and gpu-node-0\d \(isolate-2-0\).*, which pass with others \(isolate-\d-\d failed: `, bad.Reason)
		cleared := verdictOf(t, r, "gpu-node-03")
		require.Equal(t, v1alpha1.Passed, cleared.Verdict)
		require.Contains(t, cleared.Reason, "isolation: passes in isolate-1-0")
		require.Len(t, r.Groups, 3, "rounds are not among the run's own groups")
		require.Len(t, r.Isolation.Groups, len(s.seen())-3)
		require.Equal(t, `["gpu-node-04"]`, got["report"].Outputs["failedNodes"])
		require.Equal(t, "1 of 3 groups failed", r.Message)
		require.Empty(t, s.leftovers())
	})
}

func TestThreeNodesAreEnoughWhenOneIsCleared(t *testing.T) {
	simulate(t, 3, 2, func(t *testing.T, s *sim) {
		s.bad = map[string]bool{"gpu-node-01": true}
		a := s.workflow("nccl", isolating)
		a.run()
		r := a.report()
		require.Equal(t, v1alpha1.Counts{Target: 3, Passed: 2, Failed: 1}, r.Counts)
		require.Equal(t, v1alpha1.Failed, r.Nodes[0].Verdict)
		require.Equal(t, 3, r.Isolation.Rounds)
	})
}

func TestIsolationOfARunThatPassedIsOneEmptyRound(t *testing.T) {
	simulate(t, 4, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", isolating)
		got := a.run()
		require.Equal(t, server.Reply{Phase: server.Succeeded, Message: "no group failed in a way that leaves suspects",
			Outputs: map[string]string{"batches": "[]", "more": "false", "next": "2"}}, got["round 1"])
		require.NotContains(t, got, "round 2")
		require.Equal(t, "pass", got["report"].Outputs["verdict"])
		require.Nil(t, a.report().Isolation)
	})
}

func TestIsolationWithoutGoodNodesAccusesNobody(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.bad = map[string]bool{"gpu-node-01": true}
		a := s.workflow("nccl", isolating)
		a.run()
		require.Equal(t, v1alpha1.Counts{Target: 2, Suspect: 2}, a.report().Counts)
	})
}

func TestIsolationFindsItsPlaceAfterARestart(t *testing.T) {
	simulate(t, 6, 2, func(t *testing.T, s *sim) {
		s.bad = map[string]bool{"gpu-node-04": true}
		a := s.workflow("nccl", isolating)
		for _, step := range []string{stepDiscover, stepPartition} {
			require.Equal(t, server.Succeeded, a.step(step, "").Phase)
		}
		for _, g := range []string{"group-0", "group-1", "group-2"} {
			a.step(stepLaunch, g)
			a.step(stepScore, g)
		}
		first := a.step(stepRound, "1")
		a.restart()
		require.Equal(t, first, a.step(stepRound, "1"), "the round stands")
		require.Equal(t, server.Failed, a.step(stepRound, "3").Phase, "rounds come in order")
		require.Equal(t, server.Succeeded, a.step(stepLaunch, "isolate-1-1").Phase)
		a.restart()
		require.Equal(t, server.Failed, a.step(stepScore, "isolate-1-1").Phase)
		require.Equal(t, server.Failed, a.step(stepLaunch, "isolate-2-0").Phase, "a round that was not made has no groups")
	})
}

func TestAStoppedIsolationAccusesNobodyAndLeavesNothing(t *testing.T) {
	simulate(t, 4, 2, func(t *testing.T, s *sim) {
		s.bad = map[string]bool{"gpu-node-01": true}
		s.plays["nccl-isolate-1-0"], s.plays["nccl-isolate-1-1"] = play{lasts: -1}, play{lasts: -1}
		a := s.workflow("nccl", isolating)
		go func() {
			time.Sleep(3 * time.Minute)
			a.stop()
		}()
		a.run()
		time.Sleep(time.Minute)
		r := a.report()
		require.Equal(t, 2, r.Counts.Suspect)
		require.Zero(t, r.Counts.Failed)
		require.Empty(t, s.leftovers())
		for _, g := range r.Isolation.Groups {
			require.Equal(t, v1alpha1.Unknown, g.Verdict)
		}
	})
}

func TestIsolationLooksAtTheFabricWhereItIsKnown(t *testing.T) {
	simulate(t, 4, 2, func(t *testing.T, s *sim) {
		for i, name := range s.fleet {
			n, err := s.Kube.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			n.Labels["nvidia.com/gpu.clique"] = []string{"a", "a", "b", "b"}[i]
			_, err = s.Kube.CoreV1().Nodes().Update(t.Context(), n, metav1.UpdateOptions{})
			require.NoError(t, err)
		}
		a := s.workflow("nccl", isolating)
		require.Equal(t, server.Succeeded, a.step(stepDiscover, "").Phase)
		plan, _ := a.record()
		require.Nil(t, plan.TopologyKeys, "groups do not follow it unasked")
		require.Equal(t, []string{"a"}, plan.Nodes[0].Fabric)

		a = s.workflow("auto", map[string]string{"topologyKey": "auto"})
		got := a.run()
		require.Equal(t, server.Succeeded, got["report"].Phase)
		plan, _ = a.record()
		require.Equal(t, []string{"nvidia.com/gpu.clique"}, plan.TopologyKeys)
		require.Equal(t, []string{"b"}, plan.Groups[1].Domains)
		require.True(t, strings.HasPrefix(got["partition"].Message, "2 groups of 2 nodes"))
	})
}
