package resolve

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestUnpinned(t *testing.T) {
	unpinned := func(t *testing.T) Group {
		g := group(load(t, filepath.Join(examples, "04-unpinned-one-domain.yaml")))
		g.Nodes = append(g.Nodes, Node{Name: "gpu-node-99", Hostname: "host-99", Product: "NVIDIA-H200", GPUs: 8})
		return g
	}
	expressions := func(t *testing.T, g Group) []corev1.NodeSelectorRequirement {
		t.Helper()
		r, _ := runtimeOf(t, g)
		var first []corev1.NodeSelectorRequirement
		for _, job := range r.Spec.Template.Spec.ReplicatedJobs {
			terms := job.Template.Spec.Template.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
			require.Len(t, terms, 1)
			if first == nil {
				first = terms[0].MatchExpressions
			}
			require.Equal(t, first, terms[0].MatchExpressions, "every pod has the same")
		}
		return first
	}
	products := corev1.NodeSelectorRequirement{Key: LabelGPUProduct, Operator: corev1.NodeSelectorOpIn, Values: []string{"NVIDIA-H100-80GB-HBM3", "NVIDIA-H200"}}
	clique := corev1.NodeSelectorRequirement{Key: "nvidia.com/gpu.clique", Operator: corev1.NodeSelectorOpIn, Values: []string{"clique-0"}}
	t.Run("the_job_has_numNodes_nodes_however_many_the_target_has", func(t *testing.T) {
		_, j := runtimeOf(t, unpinned(t))
		require.Equal(t, int32(8), *j.Spec.Trainer.NumNodes)
	})
	t.Run("no_hostname_is_named_and_the_target_is", func(t *testing.T) {
		require.Equal(t, []corev1.NodeSelectorRequirement{clique, products}, expressions(t, unpinned(t)))
	})
	t.Run("hostnames_of_the_targets_names_are_named_with_the_labels_of_the_nodes", func(t *testing.T) {
		g := unpinned(t)
		g.Spec.Target.NodeNames = &[]string{"gpu-node-99", "gpu-node-01", "elsewhere"}
		require.Equal(t, corev1.NodeSelectorRequirement{Key: "kubernetes.io/hostname", Operator: corev1.NodeSelectorOpIn, Values: []string{"elsewhere", "gpu-node-01", "host-99"}}, expressions(t, g)[0])
	})
	t.Run("where_a_product_is_not_known_the_pods_are_kept_on_nodes_with_GPUs", func(t *testing.T) {
		g := unpinned(t)
		g.Nodes[0].Product = ""
		require.Equal(t, []corev1.NodeSelectorRequirement{clique, {Key: LabelGPUPresent, Operator: corev1.NodeSelectorOpIn, Values: []string{"true"}}}, expressions(t, g))
	})
	t.Run("workers_of_the_job_keep_apart", func(t *testing.T) {
		r, _ := runtimeOf(t, unpinned(t))
		require.NotNil(t, r.Spec.Template.Spec.ReplicatedJobs[0].Template.Spec.Template.Spec.Affinity.PodAntiAffinity)
	})
	t.Run("what_does_nothing_and_what_may_deadlock_is_a_warning", func(t *testing.T) {
		g := unpinned(t)
		g.Spec.Orchestration.Topology = &v1alpha1.Topology{TopologyKey: "rack"}
		built, err := Build(g)
		require.NoError(t, err)
		require.Equal(t, []string{
			"spec.orchestration.topology.topologyKey: rack does nothing with the placement Unpinned; name the domain in spec.target.matchExpressions to keep the job inside one",
			"spec.gangScheduler: is missing, and the placement is Unpinned: some of the 8 pods may be bound while the rest wait for room",
		}, built.Warnings)
		g.Spec.GangScheduler, g.Spec.Orchestration.Topology = &v1alpha1.GangScheduler{SchedulerName: "kai-scheduler"}, nil
		built, err = Build(g)
		require.NoError(t, err)
		require.Empty(t, built.Warnings)
	})
}

func TestTolerations(t *testing.T) {
	mpi, exec := v1alpha1.Framework{MPI: &v1alpha1.MPI{}}, v1alpha1.Framework{Exec: &v1alpha1.Exec{}}
	unpinned := &v1alpha1.Orchestration{Placement: v1alpha1.Unpinned}
	taints := &v1alpha1.Target{TaintSelectors: []v1alpha1.TaintSelector{{Key: "a", Value: "b", Effect: corev1.TaintEffectNoExecute}, {Key: "c"}}}
	asTaints := []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpEqual, Value: "b", Effect: corev1.TaintEffectNoExecute}, {Key: "c", Operator: corev1.TolerationOpExists}}
	for name, c := range map[string]struct {
		spec v1alpha1.WorkloadRunSpec
		want []corev1.Toleration
	}{
		"the_targets_taints_and_no_others":         {v1alpha1.WorkloadRunSpec{Framework: mpi, Target: taints}, asTaints},
		"the_targets_taints_on_every_framework":    {v1alpha1.WorkloadRunSpec{Framework: exec, Target: taints}, asTaints},
		"the_targets_taints_where_others_would_be": {v1alpha1.WorkloadRunSpec{Framework: mpi, Target: taints, Orchestration: unpinned}, asTaints},
		"none_for_exec":                  {v1alpha1.WorkloadRunSpec{Framework: exec}, nil},
		"none_for_unpinned_exec":         {v1alpha1.WorkloadRunSpec{Framework: exec, Orchestration: unpinned}, nil},
		"any_for_pinned_mpi":             {v1alpha1.WorkloadRunSpec{Framework: mpi}, []corev1.Toleration{{Operator: corev1.TolerationOpExists}}},
		"the_usual_two_for_unpinned_mpi": {v1alpha1.WorkloadRunSpec{Framework: mpi, Orchestration: unpinned}, gpuTaints},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, tolerations(Group{Spec: &c.spec})) })
	}
}
