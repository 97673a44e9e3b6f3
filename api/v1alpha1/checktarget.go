package v1alpha1

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// targetAt checks the target at path.
func (v *validator) targetAt(path string, t *Target) {
	if t == nil {
		return
	}
	for _, key := range sortedKeys(t.NodeSelector) {
		v.label(path+".nodeSelector", key, t.NodeSelector[key])
	}
	for i, e := range t.MatchExpressions {
		v.expression(element(path+".matchExpressions", i), e)
	}
	if t.NodeNames != nil {
		for i, name := range *t.NodeNames {
			v.objectName(element(path+".nodeNames", i), name, "the name of a node")
		}
	}
	for i, s := range t.TaintSelectors {
		v.taint(element(path+".taintSelectors", i), s)
	}
}

// objectName checks what must be the name of an object that exists, as Kubernetes names nodes, ConfigMaps and schedulers.
func (v *validator) objectName(path, name, would string) {
	v.required(path, name, would)
	if strings.TrimSpace(name) != "" && len(validation.IsDNS1123Subdomain(name)) > 0 {
		v.add(path, "is %q; %s would do: lower-case letters, digits, - and .", shorten(name), would)
	}
}

func (v *validator) label(path, key, value string) {
	if errs := validation.IsQualifiedName(key); len(errs) > 0 {
		v.add(Field(path, key), "is not a label key; one such as topology.kubernetes.io/zone would do")
	}
	if errs := validation.IsValidLabelValue(value); len(errs) > 0 {
		v.add(Field(path, key), "%q is not a label value; at most 63 letters, digits and -_. would do, a letter or digit at both ends", value)
	}
}

func (v *validator) expression(path string, e corev1.NodeSelectorRequirement) {
	if errs := validation.IsQualifiedName(e.Key); len(errs) > 0 {
		v.add(path+".key", "%q is not a label key; one such as topology.kubernetes.io/zone would do", e.Key)
	}
	switch e.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(e.Values) == 0 {
			v.add(path+".values", "is empty; %s needs at least one value", e.Operator)
		}
		for i, value := range e.Values { // the scheduler takes the whole term for one that no node matches
			if errs := validation.IsValidLabelValue(value); len(errs) > 0 {
				v.add(fmt.Sprintf("%s.values[%d]", path, i), "%q is not a label value; at most 63 letters, digits and -_. would do, a letter or digit at both ends", value)
			}
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if len(e.Values) > 0 {
			v.add(path+".values", "is set; %s takes none", e.Operator)
		}
	default:
		v.add(path+".operator", "is %q; In, NotIn, Exists or DoesNotExist would do", e.Operator)
	}
}

func (v *validator) taint(path string, t TaintSelector) {
	if errs := validation.IsQualifiedName(t.Key); len(errs) > 0 {
		v.add(path+".key", "%q is not the key of a taint; one such as nvidia.com/gpu would do", t.Key)
	}
	if errs := validation.IsValidLabelValue(t.Value); len(errs) > 0 {
		v.add(path+".value", "%q is not the value of a taint; at most 63 letters, digits and -_. would do, a letter or digit at both ends", t.Value)
	}
	switch t.Effect {
	case "", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
	default:
		v.add(path+".effect", "is %q; NoSchedule, PreferNoSchedule or NoExecute would do, or none for any", t.Effect)
	}
}

// gang checks the scheduler and its queue, as the published page has it.
func (v *validator) gang(g *GangScheduler) {
	if g == nil {
		return
	}
	v.objectName("spec.gangScheduler.schedulerName", g.SchedulerName, "the name of a scheduler such as kai-scheduler")
	if errs := validation.IsValidLabelValue(g.Queue); len(errs) > 0 {
		v.add("spec.gangScheduler.queue", "%q is not a label value; at most 63 letters, digits and -_. would do, a letter or digit at both ends", g.Queue)
	}
	if g.QueueLabelKey == "" {
		return
	}
	if errs := validation.IsQualifiedName(g.QueueLabelKey); len(errs) > 0 {
		v.add("spec.gangScheduler.queueLabelKey", "%q is not a label key; one such as %s would do", g.QueueLabelKey, DefaultQueueLabelKey)
	}
	if ReservedLabel(g.QueueLabelKey) {
		v.add("spec.gangScheduler.queueLabelKey", "is %q, which is reserved; one such as %s would do", g.QueueLabelKey, DefaultQueueLabelKey)
	}
}

// ReservedLabel says whether a label is not the user's to set.
func ReservedLabel(key string) bool {
	if slices.Contains(controllersLabels, key) {
		return true
	}
	domain, _, has := strings.Cut(key, "/")
	return has && slices.Contains(reservedDomains, domain)
}

// reservedDomains are those of labels by which Seatrial and the controllers below it find what is theirs: Trainer its jobs, JobSet
// the Jobs and pods of a set, and Kubernetes the pods of a Job. A queue's name there would hide them.
var reservedDomains = []string{
	"nvcre.nvidia.com", "seatrial.dev", "trainer.kubeflow.org", "jobset.sigs.k8s.io", "alpha.jobset.sigs.k8s.io", "batch.kubernetes.io",
}

// controllersLabels are those without a domain of their own: Kubernetes' older ones of a Job's pods.
var controllersLabels = []string{"app.kubernetes.io/managed-by", "controller-uid", "job-name"}

// maxWorkloadLabels bounds the labels of a workload, the queue's included (nvcre-workloadrun.md §2).
const maxWorkloadLabels = 32

func (v *validator) workloadMetadata(m *WorkloadMetadata, gang *GangScheduler) {
	if m == nil {
		return
	}
	const path = "spec.workloadMetadata.labels"
	labels := len(m.Labels)
	for _, key := range sortedKeys(m.Labels) {
		v.label(path, key, m.Labels[key])
		if ReservedLabel(key) {
			v.add(Field(path, key), "is reserved; another key would do")
		}
	}
	if gang != nil {
		key, queue := gang.QueueLabel()
		if own, has := m.Labels[key]; !has {
			labels++
		} else if own != queue {
			v.add(Field(path, key), "is %q, and the queue of spec.gangScheduler is %q; leave it out", own, queue)
		}
	}
	if labels > maxWorkloadLabels {
		v.add(path, "are %d with the queue's; at most %d would do", labels, maxWorkloadLabels)
	}
}
