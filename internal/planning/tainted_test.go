package planning

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

func TestANodeWhoseTaintThePodsDoNotTolerateIsExcluded(t *testing.T) {
	nodes := []corev1.Node{
		{ObjectMeta: metav1.ObjectMeta{Name: "a"}},
		{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "burn-in", Effect: corev1.TaintEffectNoSchedule}}}},
		{ObjectMeta: metav1.ObjectMeta{Name: "not-in-the-target"}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "burn-in", Effect: corev1.TaintEffectNoSchedule}}}},
	}
	owner := cluster.Owner{Namespace: "runs", Name: "w", UID: "u"}
	plan := func(f v1alpha1.Framework) record.Plan {
		p := record.Plan{Run: "w", Framework: f.Name(), Spec: v1alpha1.WorkloadRunSpec{Image: "registry.example.com/i:1", NumNodes: 1, Framework: f},
			Nodes:    []resolve.Node{{Name: "a", Hostname: "a", GPUs: 1}, {Name: "b", Hostname: "b", GPUs: 1}},
			Excluded: []v1alpha1.NodeReason{{Name: "z", Reason: "cordoned"}}}
		p.Facts.GPUs = 1
		return p
	}
	command := plan(v1alpha1.Framework{Exec: &v1alpha1.Exec{Command: []string{"true"}}})
	excludeTainted(&command, nodes, owner)
	require.Len(t, command.Nodes, 1)
	require.Equal(t, []v1alpha1.NodeReason{{Name: "b", Reason: "tainted burn-in:NoSchedule, which the pods do not tolerate"}, {Name: "z", Reason: "cordoned"}}, command.Excluded)

	mpi := plan(v1alpha1.Framework{MPI: &v1alpha1.MPI{MPIRunPath: "/m", Binary: "/b"}})
	excludeTainted(&mpi, nodes, owner)
	require.Len(t, mpi.Nodes, 2, "MPI pods tolerate any taint")
}
