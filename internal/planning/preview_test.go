package planning

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

func TestAPreviewLeavesOutWhatARunWould(t *testing.T) {
	nodes := fleet(7, func(i int, n *corev1.Node) {
		switch i {
		case 1:
			n.Spec.Taints = []corev1.Taint{{Key: "maintenance", Effect: corev1.TaintEffectNoSchedule}}
		case 2:
			n.Labels[resolve.LabelGPUProduct] = "NVIDIA-A100-SXM4-80GB"
		case 3:
			n.Status.Allocatable[resolve.ResourceGPU] = resource.MustParse("4")
		case 4:
			n.Spec.Unschedulable = true
		case 6:
			n.Status.Conditions[0].Status = corev1.ConditionFalse
		}
	})
	layout := Layout{Options: partition.Options{Size: 2}, GPUs: 8}
	p := Preview(layout, seenOf(nodes))
	require.Empty(t, p.Message)
	require.Equal(t, "n1+n6", groupsOf(p))
	why := map[string]string{}
	for _, e := range p.Excluded {
		why[e.Name] = e.Reason
	}
	require.Equal(t, map[string]string{
		"n2": "tainted maintenance:NoSchedule, which the pods do not tolerate",
		"n3": "of architecture a100, and the run is for h100",
		"n4": "has 4 of the 8 GPUs that the job takes",
		"n5": "cordoned",
		"n7": "not ready",
	}, why)
	t.Run("as the plan of a run does", func(t *testing.T) {
		run := planned(t, with(commands, "gpusPerNode", "8"), seenOf(nodes))
		require.Equal(t, run.Groups, p.Groups)
		require.Equal(t, run.Excluded, p.Excluded)
	})
	t.Run("and too few of what is left is no preview", func(t *testing.T) {
		layout.Size = 3
		p := Preview(layout, seenOf(nodes))
		require.Contains(t, p.Message, "PartitionError: need 3, found 2 nodes for one group (n2: tainted")
	})
}
