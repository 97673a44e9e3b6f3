package resolve

import (
	"fmt"
	"slices"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// lay lays the fragments' patches and objects over the generated objects, in the fragments' order.
func lay(objects []*unstructured.Unstructured, in Group) ([]*unstructured.Unstructured, error) {
	data := in.data()
	for i := range in.Fragments {
		n := &in.Fragments[i]
		if names := n.Fragment.WithoutResources; names != nil {
			var err error
			if objects, _, err = mergeDependency(objects, in.runtimePatch(without(names)), in, "spec", mergeFragment); err != nil {
				return nil, n.Wrong("withoutResources", err)
			}
		}
		if n.Fragment.RuntimePatch != nil {
			patch, _, err := expand(n.Fragment.RuntimePatch, data, "runtimePatch")
			if err != nil {
				return nil, n.Wrong("runtimePatch", err)
			}
			d, _ := asMap(patch)
			d["apiVersion"], d["kind"] = trainer.GroupVersion.String(), trainer.TrainingRuntimeKind
			if err := unstructured.SetNestedField(d, in.Names.Run+suffixRuntime, "metadata", "name"); err != nil {
				return nil, n.Wrong("runtimePatch", err)
			}
			if job := missingJob(objects, d); job != "" {
				return nil, n.Wrong("runtimePatch", fmt.Errorf("changes the replicated job %q, which framework %s has not; a condition when.framework would do", job, in.Spec.Framework.Name()))
			}
			if objects, _, err = mergeDependency(objects, d, in, "spec", mergeFragment); err != nil {
				return nil, n.Wrong("runtimePatch", err)
			}
		}
		for j, d := range n.Fragment.Dependencies {
			path := fmt.Sprintf("dependencies[%d]", j)
			object, _, err := expand(d, data, path)
			if err == nil {
				m, _ := asMap(object)
				objects, _, err = mergeDependency(objects, m, in, path, mergeFragment)
			}
			if err != nil {
				return nil, n.Wrong(path, err)
			}
		}
	}
	return objects, nil
}

// runtimePatch is a patch of the group's TrainingRuntime with this spec.
func (in Group) runtimePatch(spec map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": trainer.GroupVersion.String(), "kind": trainer.TrainingRuntimeKind,
		"metadata": map[string]any{"name": in.Names.Run + suffixRuntime}, "spec": spec,
	}
}

// without is the spec of a patch that takes resources from the workers' container.
func without(names []string) map[string]any {
	none := map[string]any{}
	for _, name := range names {
		none[name] = nil
	}
	container := map[string]any{"name": containerNode, "resources": map[string]any{"limits": none, "requests": none}}
	pod := map[string]any{"spec": map[string]any{"containers": []any{container}}}
	job := map[string]any{"name": replicatedNode, "template": map[string]any{"spec": map[string]any{"template": pod}}}
	return map[string]any{"template": map[string]any{"spec": map[string]any{"replicatedJobs": []any{job}}}}
}

// missingJob returns the name of a replicated job that patch would add to the TrainingRuntime; "" when there is none.
func missingJob(objects []*unstructured.Unstructured, patch map[string]any) string {
	path := []string{"spec", "template", "spec", "replicatedJobs"}
	wanted, _, _ := unstructured.NestedSlice(patch, path...) // what is no list is refused when it is merged
	for _, o := range objects {
		if o.GetKind() != trainer.TrainingRuntimeKind {
			continue
		}
		have, _, _ := unstructured.NestedSlice(o.Object, path...)
		for _, w := range wanted {
			if name := nameOf(w); name != "" && !slices.ContainsFunc(have, func(h any) bool { return nameOf(h) == name }) {
				return name
			}
		}
	}
	return ""
}
