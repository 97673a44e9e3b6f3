package resolve

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func node(name string, labels map[string]string, change ...func(*corev1.Node)) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		LabelGPUPresent: "true", corev1.LabelHostname: name, LabelGPUProduct: "NVIDIA-H100-80GB-HBM3",
	}}}
	for k, v := range labels {
		n.Labels[k] = v
	}
	n.Status.Allocatable = corev1.ResourceList{ResourceGPU: resource.MustParse("8")}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	for _, c := range change {
		c(&n)
	}
	return n
}

func eligible(s Selection) []string {
	names := []string{}
	for _, n := range s.Eligible {
		names = append(names, n.Name)
	}
	return names
}

func TestSelect_by_expression(t *testing.T) {
	nodes := []corev1.Node{node("c", nil), node("b", map[string]string{"rack": "2"}), node("a", map[string]string{"rack": "1"})}
	for name, c := range map[string]struct {
		e    corev1.NodeSelectorRequirement
		want []string
	}{
		"In":                               {corev1.NodeSelectorRequirement{Key: "rack", Operator: corev1.NodeSelectorOpIn, Values: []string{"2", "3"}}, []string{"b"}},
		"NotIn_holds_without_the_label":    {corev1.NodeSelectorRequirement{Key: "rack", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"2"}}, []string{"a", "c"}},
		"Exists":                           {corev1.NodeSelectorRequirement{Key: "rack", Operator: corev1.NodeSelectorOpExists}, []string{"a", "b"}},
		"DoesNotExist":                     {corev1.NodeSelectorRequirement{Key: "rack", Operator: corev1.NodeSelectorOpDoesNotExist}, []string{"c"}},
		"an_unknown_operator_matches_none": {corev1.NodeSelectorRequirement{Key: "rack", Operator: corev1.NodeSelectorOpGt, Values: []string{"0"}}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := Select(nodes, &v1alpha1.Target{MatchExpressions: []corev1.NodeSelectorRequirement{c.e}})
			require.Equal(t, c.want, eligible(s))
		})
	}
}

func TestSelect(t *testing.T) {
	t.Run("no_target_is_every_node_with_GPUs_by_name", func(t *testing.T) {
		s := Select([]corev1.Node{node("b", nil), node("cpu", map[string]string{LabelGPUPresent: "false"}), node("a", nil)}, nil)
		require.Equal(t, []string{"a", "b"}, eligible(s))
		require.Empty(t, s.Excluded)
		require.Equal(t, Node{Name: "a", Hostname: "a", Product: "NVIDIA-H100-80GB-HBM3", Architecture: "h100", GPUs: 8}, s.Eligible[0])
	})
	t.Run("a_node_without_the_GPU_label_is_never_selected", func(t *testing.T) {
		bare := node("a", nil, func(n *corev1.Node) { delete(n.Labels, LabelGPUPresent) })
		require.Empty(t, Select([]corev1.Node{bare}, &v1alpha1.Target{NodeNames: &[]string{"a"}}).Eligible)
	})
	t.Run("an_empty_list_of_names_selects_none", func(t *testing.T) {
		s := Select([]corev1.Node{node("a", nil)}, &v1alpha1.Target{NodeNames: &[]string{}})
		require.Empty(t, s.Eligible)
		var nothing []string
		require.Empty(t, Select([]corev1.Node{node("a", nil)}, &v1alpha1.Target{NodeNames: &nothing}).Eligible)
	})
	t.Run("all_parts_must_hold", func(t *testing.T) {
		nodes := []corev1.Node{node("a", map[string]string{"zone": "1"}), node("b", map[string]string{"zone": "1"}), node("c", map[string]string{"zone": "2"})}
		s := Select(nodes, &v1alpha1.Target{NodeNames: &[]string{"c", "b", "nope", "nope"}, NodeSelector: map[string]string{"zone": "1"}})
		require.Equal(t, []string{"b"}, eligible(s))
		require.Equal(t, []string{"c", "nope"}, s.Missing, "named, but not in the target; once each")
	})
	t.Run("an_empty_label_value_is_not_a_missing_label", func(t *testing.T) {
		nodes := []corev1.Node{node("a", map[string]string{"zone": ""}), node("b", nil)}
		require.Equal(t, []string{"a"}, eligible(Select(nodes, &v1alpha1.Target{NodeSelector: map[string]string{"zone": ""}})))
	})
	t.Run("what_cannot_be_tested_is_excluded_with_the_reason", func(t *testing.T) {
		s := Select([]corev1.Node{
			node("cordoned", nil, func(n *corev1.Node) { n.Spec.Unschedulable = true }),
			node("dead", nil, func(n *corev1.Node) {
				n.Status.Conditions[0].Status, n.Status.Conditions[0].Reason = corev1.ConditionUnknown, "NodeStatusUnknown"
			}),
			node("ok", nil),
		}, nil)
		require.Equal(t, []string{"ok"}, eligible(s))
		require.Equal(t, []v1alpha1.NodeReason{{Name: "cordoned", Reason: "cordoned"}, {Name: "dead", Reason: "not ready: NodeStatusUnknown"}}, s.Excluded)
	})
	t.Run("the_hostname_label_need_not_be_the_name", func(t *testing.T) {
		s := Select([]corev1.Node{node("a.example", map[string]string{corev1.LabelHostname: "a"}), node("b", nil, func(n *corev1.Node) { delete(n.Labels, corev1.LabelHostname) })}, nil)
		require.Equal(t, "a", s.Eligible[0].Hostname)
		require.Equal(t, "b", s.Eligible[1].Hostname)
	})
	t.Run("a_node_with_too_few_GPUs_is_excluded_and_one_that_shows_none_is_kept", func(t *testing.T) {
		s := Selection{Eligible: []Node{{Name: "few", GPUs: 4}, {Name: "none"}, {Name: "ok", GPUs: 8}}, Excluded: []v1alpha1.NodeReason{{Name: "zz"}}}
		got := s.WithoutSmall(8)
		require.Equal(t, []string{"none", "ok"}, eligible(got))
		require.Equal(t, []v1alpha1.NodeReason{{Name: "few", Reason: "has 4 of the 8 GPUs that the job takes"}, {Name: "zz"}}, got.Excluded)
		require.Len(t, s.Excluded, 1, "the selection itself is not changed")
	})
}
