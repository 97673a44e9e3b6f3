package resolve

import (
	"fmt"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Tolerations returns those of the workers of a group's objects, with all that fragments and overrides made of them.
func Tolerations(objects []*unstructured.Unstructured) []corev1.Toleration {
	var all []corev1.Toleration
	for _, o := range objects {
		jobs, _, err := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "replicatedJobs")
		if err != nil {
			continue
		}
		for _, j := range jobs {
			job, is := j.(map[string]any)
			if !is || job["name"] != replicatedNode {
				continue
			}
			list, _, err := unstructured.NestedSlice(job, "template", "spec", "template", "spec", "tolerations")
			if err != nil {
				continue
			}
			for _, t := range list {
				var toleration corev1.Toleration
				if fields, is := t.(map[string]any); is && runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &toleration) == nil {
					all = append(all, toleration)
				}
			}
		}
	}
	return all
}

// Tainted returns the nodes, by name, that a pod with these tolerations cannot be scheduled to, each with the first taint that
// keeps it out. PreferNoSchedule keeps nobody out.
func Tainted(nodes []corev1.Node, tolerations []corev1.Toleration) []v1alpha1.NodeReason {
	var all []v1alpha1.NodeReason
	for i := range nodes {
		for _, taint := range nodes[i].Spec.Taints {
			if taint.Effect == corev1.TaintEffectPreferNoSchedule || tolerated(&taint, tolerations) {
				continue
			}
			text := taint.Key
			if taint.Value != "" {
				text += "=" + taint.Value
			}
			all = append(all, v1alpha1.NodeReason{Name: nodes[i].Name, Reason: fmt.Sprintf("tainted %s:%s, which the pods do not tolerate", text, taint.Effect)})
			break
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

func tolerated(taint *corev1.Taint, tolerations []corev1.Toleration) bool {
	for _, t := range tolerations {
		if t.ToleratesTaint(klog.Background(), taint, false) {
			return true
		}
	}
	return false
}
