package steps

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

func TestUnpinned(t *testing.T) {
	unpinned := map[string]string{"placement": "Unpinned"}
	t.Run("one_job_runs_and_its_nodes_are_those_that_the_scheduler_chose", func(t *testing.T) {
		simulate(t, 6, 2, func(t *testing.T, s *sim) {
			s.choose = func() []string { return []string{"gpu-node-05", "gpu-node-02"} }
			a := s.workflow("nccl", unpinned)
			got := a.run()
			require.Contains(t, got["discover"].Message, "running 1 unpinned job of 2 nodes (4 target nodes not exercised)")
			require.Equal(t, `["group-0"]`, got["partition"].Outputs["batches"])
			require.Equal(t, "1 unpinned job of 2 nodes", got["partition"].Message)
			require.Equal(t, "TrainJob nccl-group-0 on nodes of the scheduler's choice", got["launch group-0"].Message)
			require.Equal(t, "2 of 2 workers answer (at most 0 ms)", got["probe group-0"].Message)
			require.Equal(t, "pass", got["report"].Outputs["verdict"])
			require.Equal(t, `["gpu-node-02","gpu-node-05"]`, got["report"].Outputs["passedNodes"])
			r := a.report()
			require.Equal(t, []string{"gpu-node-02", "gpu-node-05"}, r.Groups[0].Nodes)
			require.Equal(t, v1alpha1.Counts{Target: 6, Passed: 2, Untested: 4}, r.Counts)
			require.Equal(t, "1 group passed, 4 nodes not tested", r.Message)
			require.Equal(t, "the scheduler did not choose it (placement Unpinned)", r.Nodes[0].Reason)
			require.Empty(t, s.leftovers())
		})
	})
	t.Run("a_half_placed_job_is_never_a_complete_one", func(t *testing.T) {
		simulate(t, 6, 2, func(t *testing.T, s *sim) {
			s.choose = func() []string { return []string{"gpu-node-05", ""} }
			s.plays["nccl-group-0"] = play{deaf: true}
			a := s.workflow("nccl", unpinned)
			got := a.run()
			require.Equal(t, server.Failed, got["score group-0"].Phase)
			r := a.report()
			require.Equal(t, v1alpha1.Fail, r.Verdict)
			require.Equal(t, v1alpha1.CauseUnschedulable, r.Groups[0].Cause, r.Groups[0].Message)
			require.Equal(t, []string{}, r.Groups[0].Nodes, "nobody is said to have taken part")
			require.Equal(t, v1alpha1.Counts{Target: 6, Untested: 6}, r.Counts)
		})
	})
	t.Run("a_job_of_which_a_worker_was_never_seen_placed_is_not_a_pass", func(t *testing.T) {
		simulate(t, 6, 2, func(t *testing.T, s *sim) {
			s.choose = func() []string { return []string{"gpu-node-05"} } // where the other one is nobody saw
			a := s.workflow("nccl", unpinned)
			a.run()
			r := a.report()
			require.Equal(t, v1alpha1.Unknown, r.Verdict)
			require.Equal(t, "1 of 2 workers were seen on a node of their own", r.Groups[0].Message)
		})
	})
	t.Run("more_nodes_than_there_are_is_an_error_and_never_clamped", func(t *testing.T) {
		simulate(t, 2, 3, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", map[string]string{"placement": "Unpinned", "numNodes": "3"})
			require.Contains(t, a.run()["discover"].Message, "PartitionError: need 3, found 2")
			require.Empty(t, s.seen())
		})
	})
	t.Run("it_repeats_one_job_after_the_other", func(t *testing.T) {
		simulate(t, 6, 2, func(t *testing.T, s *sim) {
			turns := [][]string{{"gpu-node-01", "gpu-node-02"}, {"gpu-node-03", "gpu-node-04"}}
			s.choose = func() []string { turn := turns[0]; turns = turns[1:]; return turn }
			a := s.workflow("nccl", map[string]string{"placement": "Unpinned", "repeatCount": "2"})
			require.Equal(t, "pass", a.run()["report"].Outputs["verdict"])
			require.Equal(t, []string{"nccl-group-0", "nccl-group-0-i2"}, s.seen())
			require.Equal(t, 1, s.most)
			require.Equal(t, 4, a.report().Counts.Passed)
		})
	})
}

func TestRepeatCount(t *testing.T) {
	simulate(t, 3, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0-i2"] = play{log: wrongTable}
		a := s.workflow("nccl", map[string]string{"repeatCount": "2"})
		got := a.run()
		require.Equal(t, "2 groups of 2 nodes, 2 times each; group-1 borrows 1 node", got["partition"].Message)
		require.Equal(t, []string{"nccl-group-0", "nccl-group-0-i2", "nccl-group-1", "nccl-group-1-i2"}, s.seen())
		r := a.report()
		require.Equal(t, v1alpha1.Fail, r.Verdict, "one time that failed is a fail")
		require.Len(t, r.Groups, 4)
	})
}

func TestTopology(t *testing.T) {
	racked := func(t *testing.T, s *sim, racks ...string) {
		t.Helper()
		for i, name := range s.fleet {
			n, err := s.Kube.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			n.Labels["rack"] = racks[i]
			_, err = s.Kube.CoreV1().Nodes().Update(t.Context(), n, metav1.UpdateOptions{})
			require.NoError(t, err)
		}
	}
	t.Run("groups_stay_within_their_domains", func(t *testing.T) {
		simulate(t, 4, 2, func(t *testing.T, s *sim) {
			racked(t, s, "a", "b", "a", "b")
			a := s.workflow("nccl", map[string]string{"topologyKey": "rack"})
			a.step(stepDiscover, "")
			require.Equal(t, "2 groups of 2 nodes", a.step(stepPartition, "").Message)
			r := a.report()
			require.Equal(t, []string{"gpu-node-01", "gpu-node-03"}, r.Groups[0].Nodes)
			require.Equal(t, "a", r.Groups[0].Domain)
		})
	})
	t.Run("intra_rack_makes_one_group_of_each_domain_whatever_numNodes_says", func(t *testing.T) {
		simulate(t, 4, 2, func(t *testing.T, s *sim) {
			racked(t, s, "a", "b", "b", "b")
			a := s.workflow("nccl", map[string]string{"topologyKey": "rack", "testScale": "intra-rack"})
			require.Contains(t, a.step(stepDiscover, "").Message, "one group for each domain")
			require.Equal(t, "2 groups, one for each domain of rack", a.step(stepPartition, "").Message)
			r := a.report()
			require.Equal(t, []string{"gpu-node-01"}, r.Groups[0].Nodes)
			require.Len(t, r.Groups[1].Nodes, 3)
		})
	})
	t.Run("what_cannot_be_cut_is_in_the_report_and_on_each_node", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			racked(t, s, "a", "", "")
			a := s.workflow("nccl", map[string]string{"topologyKey": "rack"})
			got := a.run()
			require.Equal(t, server.Succeeded, got[stepDiscover].Phase, got[stepDiscover].Message)
			require.Equal(t, server.Failed, got[stepPartition].Phase)
			message := got[stepPartition].Message
			require.Contains(t, message, "PartitionError: need 2, found 1")
			require.Equal(t, server.Reply{Phase: server.Failed, Message: message}, a.step(stepPartition, ""), "another call says the same")
			r := a.report()
			require.Equal(t, []any{v1alpha1.Unknown, report.CausePartitionError, message}, []any{r.Verdict, r.Cause, r.Message})
			require.Equal(t, v1alpha1.Counts{Target: 3, Untested: 3}, r.Counts)
			for _, n := range r.Nodes {
				require.Equal(t, message, n.Reason)
			}
		})
	})
	t.Run("intra_rack_without_a_key_is_an_error", func(t *testing.T) {
		simulate(t, 4, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", map[string]string{"testScale": "intra-rack"})
			require.Contains(t, a.step(stepDiscover, "").Message, "PartitionError: one group for each topology domain was asked for")
		})
	})
	t.Run("intra_node_makes_groups_of_one", func(t *testing.T) {
		simulate(t, 2, 1, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", map[string]string{"testScale": "intra-node", "numNodes": "8"})
			a.step(stepDiscover, "")
			require.Equal(t, "2 groups of 1 node", a.step(stepPartition, "").Message)
		})
	})
}

func TestDiscoverWarnsOfAClaim(t *testing.T) {
	simulate(t, 4, 2, func(t *testing.T, s *sim) {
		_, err := s.Kube.CoreV1().PersistentVolumeClaims(namespace).Create(t.Context(), &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		a := s.workflow("nccl", map[string]string{"spec": "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"})
		a.step(stepDiscover, "")
		require.Equal(t, []string{"spec.volumes[0].persistentVolumeClaim.claimName: data is [ReadWriteOnce], and 4 workers mount it at the same time; a ReadWriteMany claim would do, or a ReadOnlyMany one that is mounted read-only"}, a.report().Warnings)
	})
}
