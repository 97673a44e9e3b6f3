package resolve

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Labels and resources of nodes with GPUs.
const (
	LabelGPUPresent = "nvidia.com/gpu.present"
	LabelGPUProduct = "nvidia.com/gpu.product"
	ResourceGPU     = corev1.ResourceName("nvidia.com/gpu")
)

// Node is what a run needs to know of a node.
type Node struct {
	Name string `json:"name"`
	// Hostname is the label kubernetes.io/hostname, by which pods are pinned; it need not be the name.
	Hostname string `json:"hostname"`
	// Product is the label nvidia.com/gpu.product; empty when the node does not carry it.
	Product string `json:"product,omitempty"`
	// Architecture is read from the product, or from the node's ResourceSlices where it does not carry the label; "" when neither says.
	Architecture string `json:"architecture,omitempty"`
	// Place holds the values of the run's topology keys, outermost first; nil where there are none.
	Place []string `json:"place,omitempty"`
	// Fabric is the node's place for isolation, which looks at the fabric also where groups do not follow it; nil where nobody knows.
	Fabric []string `json:"fabric,omitempty"`
	// GPUs is what the node advertises in allocatable; 0 also stands for a device plugin that is restarting.
	GPUs int64 `json:"gpus"`
}

// Selection is the outcome of applying a target to a cluster's nodes.
type Selection struct {
	// Eligible nodes can be tested, sorted by name.
	Eligible []Node
	// Excluded nodes match the target and cannot be tested now.
	Excluded []v1alpha1.NodeReason
	// Missing are nodes that the target names and that are not in the cluster or do not match the rest of it.
	Missing []string
}

// Select applies the target to nodes, in any order. A nil target selects every node with GPUs.
func Select(nodes []corev1.Node, target *v1alpha1.Target) Selection {
	var s Selection
	seen := map[string]bool{}
	for i := range nodes {
		n := &nodes[i]
		if n.Labels[LabelGPUPresent] != "true" || !matches(n, target) {
			continue
		}
		seen[n.Name] = true
		if reason := unusable(n, target); reason != "" {
			s.Excluded = append(s.Excluded, v1alpha1.NodeReason{Name: n.Name, Reason: reason})
			continue
		}
		s.Eligible = append(s.Eligible, facts(n))
	}
	if target != nil && target.NodeNames != nil {
		for _, name := range *target.NodeNames {
			if !seen[name] {
				s.Missing = append(s.Missing, name)
			}
		}
	}
	sort.Slice(s.Eligible, func(i, j int) bool { return s.Eligible[i].Name < s.Eligible[j].Name })
	sort.Slice(s.Excluded, func(i, j int) bool { return s.Excluded[i].Name < s.Excluded[j].Name })
	s.Missing = sortedSet(s.Missing)
	return s
}

func facts(n *corev1.Node) Node {
	hostname := n.Labels[corev1.LabelHostname]
	if hostname == "" {
		hostname = n.Name
	}
	gpus := n.Status.Allocatable[ResourceGPU]
	product := n.Labels[LabelGPUProduct]
	return Node{Name: n.Name, Hostname: hostname, Product: product, Architecture: architectureOf(product), GPUs: gpus.Value()}
}

func matches(n *corev1.Node, t *v1alpha1.Target) bool {
	if t == nil {
		return true
	}
	if t.NodeNames != nil && !slices.Contains(*t.NodeNames, n.Name) {
		return false
	}
	for key, want := range t.NodeSelector {
		if got, has := n.Labels[key]; !has || got != want {
			return false
		}
	}
	for _, e := range t.MatchExpressions {
		if !matchesExpression(n, e) {
			return false
		}
	}
	for _, s := range t.TaintSelectors {
		if !slices.ContainsFunc(n.Spec.Taints, func(taint corev1.Taint) bool { return selects(s, taint) }) {
			return false
		}
	}
	return true
}

func selects(s v1alpha1.TaintSelector, t corev1.Taint) bool {
	return s.Key == t.Key && (s.Value == "" || s.Value == t.Value) && (s.Effect == "" || s.Effect == t.Effect)
}

// wantsCordoned says whether the target asks for nodes that are cordoned.
func wantsCordoned(t *v1alpha1.Target) bool {
	return t != nil && slices.ContainsFunc(t.TaintSelectors, func(s v1alpha1.TaintSelector) bool { return s.Key == corev1.TaintNodeUnschedulable })
}

// matchesExpression follows the scheduler: NotIn and DoesNotExist hold for a node without the label.
func matchesExpression(n *corev1.Node, e corev1.NodeSelectorRequirement) bool {
	got, has := n.Labels[e.Key]
	switch e.Operator {
	case corev1.NodeSelectorOpIn:
		return has && slices.Contains(e.Values, got)
	case corev1.NodeSelectorOpNotIn:
		return !has || !slices.Contains(e.Values, got)
	case corev1.NodeSelectorOpExists:
		return has
	case corev1.NodeSelectorOpDoesNotExist:
		return !has
	default: // which Validate refuses
		return false
	}
}

// unusable says why a node of the target cannot be tested; "" when it can.
func unusable(n *corev1.Node, t *v1alpha1.Target) string {
	if n.Spec.Unschedulable && !wantsCordoned(t) {
		return "cordoned"
	}
	if c := NotReady(n); c != nil {
		return strings.TrimSuffix("not ready: "+strings.TrimSpace(c.Reason+" "+c.Message), ": ")
	}
	return ""
}

// NotReady is the condition by which a node is not ready; nil when it is, or says nothing of it.
func NotReady(n *corev1.Node) *corev1.NodeCondition {
	for i := range n.Status.Conditions {
		if c := &n.Status.Conditions[i]; c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			return c
		}
	}
	return nil
}

// WithoutSmall moves the nodes that advertise fewer GPUs than the job takes from Eligible to Excluded.
// A node that advertises none is kept: that is what a device plugin looks like while it restarts.
func (s Selection) WithoutSmall(gpus int32) Selection {
	return s.without(func(n Node) string {
		if n.GPUs > 0 && n.GPUs < int64(gpus) {
			return fmt.Sprintf("has %d of the %d GPUs that the job takes", n.GPUs, gpus)
		}
		return ""
	})
}
