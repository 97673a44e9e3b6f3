package resolve

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestResources(t *testing.T) {
	one := resource.MustParse("1")
	for name, c := range map[string]struct {
		user *corev1.ResourceRequirements
		want corev1.ResourceRequirements
	}{
		"none_are_the_GPUs_alone": {nil, corev1.ResourceRequirements{
			Limits: corev1.ResourceList{ResourceGPU: resource.MustParse("8")}, Requests: corev1.ResourceList{ResourceGPU: resource.MustParse("8")},
		}},
		"the_GPUs_are_added": {&corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": one}}, corev1.ResourceRequirements{
			Limits: corev1.ResourceList{ResourceGPU: resource.MustParse("8")}, Requests: corev1.ResourceList{ResourceGPU: resource.MustParse("8"), "cpu": one},
		}},
		"GPUs_that_are_limited_stay": {
			&corev1.ResourceRequirements{Limits: corev1.ResourceList{ResourceGPU: one}}, corev1.ResourceRequirements{Limits: corev1.ResourceList{ResourceGPU: one}},
		},
		"no_GPUs_stay_none": {
			&corev1.ResourceRequirements{Requests: corev1.ResourceList{ResourceGPU: {}}}, corev1.ResourceRequirements{Requests: corev1.ResourceList{ResourceGPU: {}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := resources(c.user, 8)
			require.True(t, equalResources(c.want, got), "%v", got)
		})
	}
	t.Run("the_users_are_not_changed", func(t *testing.T) {
		user := &corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": one}}
		resources(user, 8)
		require.Len(t, user.Limits, 1)
	})
}

func equalResources(a, b corev1.ResourceRequirements) bool {
	same := func(a, b corev1.ResourceList) bool {
		for name, q := range a {
			if other, has := b[name]; !has || q.Cmp(other) != 0 {
				return false
			}
		}
		return len(a) == len(b)
	}
	return same(a.Limits, b.Limits) && same(a.Requests, b.Requests)
}

func TestClaimWarnings(t *testing.T) {
	run := load(t, filepath.Join(examples, "06-volumes-config-init.yaml"))
	const name = "nccl-datasets"
	modes := func(m ...corev1.PersistentVolumeAccessMode) map[string][]corev1.PersistentVolumeAccessMode {
		return map[string][]corev1.PersistentVolumeAccessMode{name: m}
	}
	warn := func(spec *v1alpha1.WorkloadRunSpec, m map[string][]corev1.PersistentVolumeAccessMode, workers int) []string {
		return ClaimWarnings(spec, run.Metadata.Name, m, workers)
	}
	t.Run("a_ReadWriteOnce_claim_of_more_than_one_worker_is_a_warning_that_says_so", func(t *testing.T) {
		require.Equal(t, []string{"spec.volumes[0].persistentVolumeClaim.claimName: nccl-datasets is [ReadWriteOnce], and 4 workers mount it at the same time; a ReadWriteMany claim would do, or a ReadOnlyMany one that is mounted read-only"},
			warn(&run.Spec, modes(corev1.ReadWriteOnce), 4))
		require.Empty(t, warn(&run.Spec, modes(corev1.ReadWriteOnce), 1))
	})
	t.Run("ReadWriteMany_is_fine", func(t *testing.T) {
		require.Empty(t, warn(&run.Spec, modes(corev1.ReadWriteOnce, corev1.ReadWriteMany), 4))
	})
	t.Run("ReadOnlyMany_is_fine_when_every_mount_is_read_only", func(t *testing.T) {
		require.ElementsMatch(t, []string{"spec.volumes[0].persistentVolumeClaim.readOnly: is false, and nccl-datasets is [ReadOnlyMany]; 4 workers mount it at the same time, which takes readOnly: true"},
			warn(&run.Spec, modes(corev1.ReadOnlyMany), 4))
		spec := load(t, filepath.Join(examples, "06-volumes-config-init.yaml")).Spec
		spec.VolumeMounts[0].ReadOnly, spec.InitContainers[0].VolumeMounts[0].ReadOnly = true, true
		require.Empty(t, warn(&spec, modes(corev1.ReadOnlyMany), 4))
	})
	t.Run("a_claim_that_is_not_there_is_a_warning", func(t *testing.T) {
		require.Equal(t, []string{"spec.volumes[0].persistentVolumeClaim.claimName: nccl-datasets does not exist; its pods wait for it"}, warn(&run.Spec, nil, 1))
	})
	t.Run("the_runs_own_checkpoint_claim_is_not_looked_for", func(t *testing.T) {
		run := load(t, "testdata/everything.run.yaml")
		require.Empty(t, Claims(&run.Spec, run.Metadata.Name))
		require.Empty(t, ClaimWarnings(&run.Spec, run.Metadata.Name, nil, 4))
	})
}

func TestWorkersAtOnce(t *testing.T) {
	two := int32(2)
	for name, c := range map[string]struct {
		spec v1alpha1.WorkloadRunSpec
		want int
	}{
		"every_node":                 {v1alpha1.WorkloadRunSpec{NumNodes: 4}, 16},
		"as_many_as_groups_may_run":  {v1alpha1.WorkloadRunSpec{NumNodes: 4, Orchestration: &v1alpha1.Orchestration{MaxConcurrent: &two}}, 8},
		"those_of_the_unpinned_job":  {v1alpha1.WorkloadRunSpec{NumNodes: 4, Orchestration: &v1alpha1.Orchestration{Placement: v1alpha1.Unpinned}}, 4},
		"one_a_group_on_single_ones": {v1alpha1.WorkloadRunSpec{NumNodes: 4, Orchestration: &v1alpha1.Orchestration{TestScale: v1alpha1.IntraNode, MaxConcurrent: &two}}, 2},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, WorkersAtOnce(&c.spec, 16)) })
	}
}
