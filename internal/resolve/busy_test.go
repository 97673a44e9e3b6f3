package resolve

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func container(gpus int64) corev1.Container {
	return corev1.Container{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{ResourceGPU: *resource.NewQuantity(gpus, resource.DecimalSI)}}}
}

func TestBusy_Add(t *testing.T) {
	sidecar := container(1)
	sidecar.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
	requests := corev1.Container{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{ResourceGPU: resource.MustParse("3")}}}
	pod := func(change func(*corev1.Pod)) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p"}, Spec: corev1.PodSpec{NodeName: "n", Containers: []corev1.Container{container(4), container(2)}}}
		change(p)
		return p
	}
	for name, c := range map[string]struct {
		change func(*corev1.Pod)
		want   int64
	}{
		"its containers together":                 {func(*corev1.Pod) {}, 6},
		"as requests":                             {func(p *corev1.Pod) { p.Spec.Containers = []corev1.Container{requests} }, 3},
		"an init container that takes more":       {func(p *corev1.Pod) { p.Spec.InitContainers = []corev1.Container{container(8), container(7)} }, 8},
		"an init container that takes less":       {func(p *corev1.Pod) { p.Spec.InitContainers = []corev1.Container{container(1)} }, 6},
		"a sidecar":                               {func(p *corev1.Pod) { p.Spec.InitContainers = []corev1.Container{sidecar} }, 7},
		"an init container beside a sidecar":      {func(p *corev1.Pod) { p.Spec.InitContainers = []corev1.Container{sidecar, container(8)} }, 9},
		"one that has ended":                      {func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, 0},
		"one that has failed":                     {func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, 0},
		"one that has no node":                    {func(p *corev1.Pod) { p.Spec.NodeName = "" }, 0},
		"one without GPUs":                        {func(p *corev1.Pod) { p.Spec.Containers = []corev1.Container{{}} }, 0},
		"one of ours":                             {func(p *corev1.Pod) { p.Namespace, p.Labels = "ours", map[string]string{LabelWorkflow: "wf"} }, 0},
		"one of another run":                      {func(p *corev1.Pod) { p.Namespace, p.Labels = "ours", map[string]string{LabelWorkflow: "other"} }, 6},
		"one of a run of that name elsewhere":     {func(p *corev1.Pod) { p.Labels = map[string]string{LabelWorkflow: "wf"} }, 6},
		"one without labels in the run's own one": {func(p *corev1.Pod) { p.Namespace = "ours" }, 6},
	} {
		t.Run(name, func(t *testing.T) {
			b := Busy{}
			b.Add(pod(c.change), "ours", "wf")
			require.Equal(t, c.want, b["n"])
			require.Len(t, b, int(min(c.want, 1)), "a node without any is left out")
		})
	}
}

func TestBusy_Warning(t *testing.T) {
	var nodes []Node
	b := Busy{"elsewhere": 8}
	for i := range 12 {
		nodes = append(nodes, Node{Name: fmt.Sprintf("n%02d", 11-i)})
	}
	require.Empty(t, b.Warning(nodes), "a busy node that is not in the target is no concern")
	require.Empty(t, Busy(nil).Warning(nodes))
	b["n03"], b["n01"] = 8, 2
	require.Equal(t, "GPUs are in use by pods that are not ours: 2 of n01, 8 of n03; what shares a node with them waits for its GPUs, or measures less (busyNodes: exclude leaves such nodes out)", b.Warning(nodes))
	for i := range 12 {
		b[fmt.Sprintf("n%02d", i)] = 1
	}
	require.Contains(t, b.Warning(nodes), "1 of n07, and of 4 nodes more;")
	require.Equal(t, "busy: 1 of its GPUs are in use by pods that are not ours", b.Reason("n01"))
}
