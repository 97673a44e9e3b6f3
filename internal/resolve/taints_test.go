package resolve

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestTainted(t *testing.T) {
	node := func(name string, taints ...corev1.Taint) corev1.Node {
		return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: taints}}
	}
	nodes := []corev1.Node{
		node("c", corev1.Taint{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule}),
		node("b", corev1.Taint{Key: "burn-in", Effect: corev1.TaintEffectNoExecute}),
		node("a"),
		node("d", corev1.Taint{Key: "soon", Effect: corev1.TaintEffectPreferNoSchedule}),
	}
	gpu := corev1.Toleration{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists}
	t.Run("without_tolerations_a_taint_keeps_pods_out", func(t *testing.T) {
		got := Tainted(nodes, nil)
		require.Len(t, got, 2)
		require.Equal(t, "tainted burn-in:NoExecute, which the pods do not tolerate", got[0].Reason)
		require.Equal(t, "tainted nvidia.com/gpu=present:NoSchedule, which the pods do not tolerate", got[1].Reason)
	})
	t.Run("one_toleration_is_for_one_taint", func(t *testing.T) {
		require.Len(t, Tainted(nodes, []corev1.Toleration{gpu}), 1)
	})
	t.Run("the_tolerations_of_MPI_are_for_any", func(t *testing.T) {
		require.Empty(t, Tainted(nodes, []corev1.Toleration{{Operator: corev1.TolerationOpExists}}))
	})
}

func TestTolerationsOfObjects(t *testing.T) {
	runtime := func(job string, tolerations any) *unstructured.Unstructured {
		pod := map[string]any{"template": map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"tolerations": tolerations}}}}, "name": job}
		return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"replicatedJobs": []any{pod}}}}}}
	}
	list := []any{map[string]any{"key": "a", "operator": "Exists"}}
	require.Equal(t, []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists}}, Tolerations([]*unstructured.Unstructured{runtime("node", list)}))
	require.Empty(t, Tolerations([]*unstructured.Unstructured{runtime("launcher", list), runtime("node", "x"), {Object: map[string]any{}}}))
}
