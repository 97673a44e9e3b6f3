package resolve

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// lay lays the fragments' patches and objects over the generated objects, in the fragments' order. What the run brings under a
// name of a fragment's is refused, all of it at once.
func lay(objects []*unstructured.Unstructured, in Group) ([]*unstructured.Unstructured, error) {
	data := in.data()
	var taken v1alpha1.Problems
	whole, err := needsOf(objects)
	if err != nil {
		return nil, err
	}
	for i := range in.Fragments {
		n := &in.Fragments[i]
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
			taken = append(taken, collisions(in.Spec, d, n.Name)...)
			if objects, _, err = mergeDependency(objects, d, in, "spec", mergeFragment); err != nil {
				return nil, n.Wrong("runtimePatch", err)
			}
			if faults, err := whole.lacks(objects); err != nil {
				return nil, n.Wrong("runtimePatch", err)
			} else if len(faults) > 0 {
				return nil, n.Wrong("runtimePatch", errors.New(strings.Join(faults, "; ")))
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
	if len(taken) > 0 {
		return nil, taken
	}
	return objects, nil
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
