package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Target selects nodes; its parts are ANDed. Only nodes with the label nvidia.com/gpu.present=true are ever selected.
type Target struct {
	NodeSelector     map[string]string                `json:"nodeSelector,omitempty"`
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
	// NodeNames is nil for any name. An empty list selects no node: it never widens to all of them.
	NodeNames *[]string `json:"nodeNames,omitempty"`
	// TaintSelectors are taints of which a node must carry every one. The pods tolerate exactly these.
	TaintSelectors []TaintSelector `json:"taintSelectors,omitempty"`
}

// TaintSelector matches a taint of a node.
type TaintSelector struct {
	Key string `json:"key"`
	// Value is "" for any value, Effect for any effect.
	Value  string             `json:"value,omitempty"`
	Effect corev1.TaintEffect `json:"effect,omitempty"`
}
