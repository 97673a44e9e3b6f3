package resolve

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// affinity pins the group's pods to its nodes, and repeats the target, in one term: all of it must hold.
func affinity(in Group) *corev1.Affinity {
	var hostnames, products []string
	labelled := true
	for _, n := range in.Nodes {
		hostnames, products = append(hostnames, n.Hostname), append(products, n.Product)
		labelled = labelled && n.Product != ""
	}
	terms := []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: sortedSet(hostnames)}}
	add := func(r corev1.NodeSelectorRequirement) {
		for _, t := range terms {
			if t.Key == r.Key && t.Operator == r.Operator && fmt.Sprint(t.Values) == fmt.Sprint(r.Values) {
				return
			}
		}
		terms = append(terms, r)
	}
	if t := in.Spec.Target; t != nil {
		for _, key := range slices.Sorted(maps.Keys(t.NodeSelector)) {
			add(corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{t.NodeSelector[key]}})
		}
		for _, e := range t.MatchExpressions {
			add(e)
		}
	}
	if labelled { // a node without the label would match no value of it
		add(corev1.NodeSelectorRequirement{Key: LabelGPUProduct, Operator: corev1.NodeSelectorOpIn, Values: sortedSet(products)})
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: terms}},
	}}}
}

// apart keeps the group's workers on different nodes: where a job takes fewer GPUs than a node has, two of them would fit on
// one, and the other node would count as tested.
func apart(in Group) *corev1.PodAntiAffinity {
	return &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		TopologyKey: corev1.LabelHostname,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{
			LabelWorkflow: in.Names.Workflow, LabelScope: in.Names.Scope, LabelGroup: in.Names.Group,
			jobset.ReplicatedJobNameKey: replicatedNode,
		}},
	}}}
}

// tolerations lets MPI pods onto tainted GPU nodes, since the group names its nodes; other frameworks get none. Both as the
// Cluster Readiness Engine has it.
func tolerations(in Group) []corev1.Toleration {
	if in.Spec.Framework.MPI == nil {
		return nil
	}
	return []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
}

func sortedSet(values []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
