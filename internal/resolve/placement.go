package resolve

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// affinity repeats the target on a pod, so that the scheduler enforces it when it binds and not only Seatrial when it picks: one
// term, of which all must hold. Pinned pods are bound to the group's nodes besides. It is nil when nothing is to be said.
func affinity(in Group) *corev1.Affinity {
	var expressions []corev1.NodeSelectorRequirement
	add := func(r corev1.NodeSelectorRequirement) {
		same := func(t corev1.NodeSelectorRequirement) bool {
			return t.Key == r.Key && t.Operator == r.Operator && slices.Equal(t.Values, r.Values)
		}
		if !slices.ContainsFunc(expressions, same) {
			expressions = append(expressions, r)
		}
	}
	within := func(key string, values []string) {
		add(corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values})
	}
	if names := hostnames(in); names != nil {
		within(corev1.LabelHostname, names)
	}
	if t := in.Spec.Target; t != nil {
		for _, key := range slices.Sorted(maps.Keys(t.NodeSelector)) {
			within(key, []string{t.NodeSelector[key]})
		}
		for _, e := range t.MatchExpressions {
			add(e)
		}
	}
	if products := products(in.Nodes); products != nil {
		within(LabelGPUProduct, products)
	} else if in.Spec.Unpinned() { // without a product nothing else would keep the pods on nodes with GPUs
		within(LabelGPUPresent, []string{"true"})
	}
	if expressions == nil {
		return nil
	}
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: expressions}},
	}}}
}

// hostnames are those of the group's nodes, or, where the scheduler chooses, those of the target's names; nil for any.
func hostnames(in Group) []string {
	if !in.Spec.Unpinned() {
		var all []string
		for _, n := range in.Nodes {
			all = append(all, n.Hostname)
		}
		return sortedSet(all)
	}
	if in.Spec.Target == nil || in.Spec.Target.NodeNames == nil {
		return nil
	}
	byName := map[string]string{}
	for _, n := range in.Nodes {
		byName[n.Name] = n.Hostname
	}
	all := []string{}
	for _, name := range *in.Spec.Target.NodeNames {
		if hostname := byName[name]; hostname != "" {
			all = append(all, hostname)
		} else { // left out for now, or not there; a node's hostname is most often its name
			all = append(all, name)
		}
	}
	return sortedSet(all)
}

// products are the GPU products of the nodes; nil when one does not carry the label, since it would match no value of it.
func products(nodes []Node) []string {
	var all []string
	for _, n := range nodes {
		if n.Product == "" {
			return nil
		}
		all = append(all, n.Product)
	}
	return sortedSet(all)
}

// withApart keeps the group's workers on different nodes: where a job takes fewer GPUs than a node has, two of them would fit on
// one, and the other node would count as tested.
func withApart(a *corev1.Affinity, in Group) *corev1.Affinity {
	if a == nil {
		a = &corev1.Affinity{}
	}
	a.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		TopologyKey: corev1.LabelHostname,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{
			LabelWorkflow: in.Names.Workflow, LabelScope: in.Names.Scope, LabelGroup: in.Names.Group,
			jobset.ReplicatedJobNameKey: replicatedNode,
		}},
	}}}
	return a
}

// Taints that GPU nodes commonly have, which an MPI job without pinned nodes tolerates (nvcre-workloadrun.md §4.8).
var gpuTaints = []corev1.Toleration{
	{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpEqual, Value: "present", Effect: corev1.TaintEffectNoSchedule},
	{Key: "kubernetes.io/arch", Operator: corev1.TolerationOpEqual, Value: "arm64", Effect: corev1.TaintEffectNoSchedule},
}

// tolerations are those of the target's taints and no others. Where the target names none, an MPI job may go onto tainted
// nodes: onto any when the group names its nodes, onto the usual GPU nodes when the scheduler chooses. All as the Cluster
// Readiness Engine has it.
func tolerations(in Group) []corev1.Toleration {
	if t := in.Spec.Target; t != nil && len(t.TaintSelectors) > 0 {
		var all []corev1.Toleration
		for _, s := range t.TaintSelectors {
			toleration := corev1.Toleration{Key: s.Key, Operator: corev1.TolerationOpExists, Effect: s.Effect}
			if s.Value != "" {
				toleration.Operator, toleration.Value = corev1.TolerationOpEqual, s.Value
			}
			all = append(all, toleration)
		}
		return all
	}
	switch {
	case in.Spec.Framework.MPI == nil:
		return nil
	case in.Spec.Unpinned():
		return gpuTaints
	}
	return []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
}

func sortedSet(values []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
