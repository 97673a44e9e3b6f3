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

// lay lays the fragments' patches and objects over the generated objects, in the fragments' order. The error is Problems: all that
// is wrong with the fragments, and whatever the run brings under a name of a fragment's, since a fragment that fails is left out
// and the next is tried.
func lay(objects []*unstructured.Unstructured, in Group, whole needs) ([]*unstructured.Unstructured, error) {
	data := in.data()
	var problems v1alpha1.Problems
	for i := range in.Fragments {
		n := &in.Fragments[i]
		if names := n.Fragment.WithoutResources; names != nil {
			if laid, _, err := mergeDependency(objects, in.runtimePatch(without(names)), in, "withoutResources", mergeFragment); err != nil {
				problems = append(problems, ofFragment(n, "withoutResources", err)...)
			} else {
				objects = laid
			}
		}
		if n.Fragment.RuntimePatch != nil {
			laid, taken, err := layPatch(objects, n, in, data, whole)
			if problems = append(problems, taken...); err != nil {
				problems = append(problems, ofFragment(n, "runtimePatch", err)...)
			} else {
				objects = laid
			}
		}
		for j, d := range n.Fragment.Dependencies {
			path := fmt.Sprintf("dependencies[%d]", j)
			laid := objects
			object, _, err := expand(d, data, path)
			if err == nil {
				m, _ := asMap(object)
				laid, err = layObject(objects, m, in, path)
			}
			if err != nil {
				problems = append(problems, ofFragment(n, path, err)...)
				continue
			}
			objects = laid
		}
	}
	if len(problems) > 0 {
		return nil, problems
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

// layObject lays an object of a fragment's over those that there are. Its expressions have their values only now, so that its types
// have not been looked at yet, as those of an override were when it was read.
func layObject(objects []*unstructured.Unstructured, d map[string]any, in Group, path string) ([]*unstructured.Unstructured, error) {
	if misfits := v1alpha1.DependencyMisfits(path, d); len(misfits) > 0 {
		return nil, misfits
	}
	laid, _, err := mergeDependency(objects, d, in, path, mergeFragment)
	return laid, err
}

// layPatch lays a fragment's patch over the TrainingRuntime. taken is what the run has under the same names.
func layPatch(objects []*unstructured.Unstructured, n *v1alpha1.NamedFragment, in Group, data map[string]any, whole needs) (laid []*unstructured.Unstructured, taken v1alpha1.Problems, err error) {
	const path = "runtimePatch"
	patch, _, err := expand(n.Fragment.RuntimePatch, data, path)
	if err != nil {
		return nil, nil, err
	}
	d, _ := asMap(patch)
	d["apiVersion"], d["kind"] = trainer.GroupVersion.String(), trainer.TrainingRuntimeKind
	if err := unstructured.SetNestedField(d, in.Names.Run+suffixRuntime, "metadata", "name"); err != nil {
		return nil, nil, err
	}
	if job := missingJob(objects, d); job != "" {
		return nil, nil, fmt.Errorf("changes the replicated job %q, which framework %s has not; a condition when.framework would do", job, in.Spec.Framework.Name())
	}
	if laid, err = layObject(objects, d, in, path); err != nil {
		return nil, nil, err
	}
	taken = collisions(in.Spec, d, n.Name)
	faults, err := whole.lacks(laid)
	if err == nil && len(faults) > 0 {
		err = errors.New(strings.Join(faults, "; "))
	}
	return laid, taken, err
}

// ofFragment says where in a fragment an error is, whose problems have their own paths or else are about path.
func ofFragment(n *v1alpha1.NamedFragment, path string, err error) v1alpha1.Problems {
	var all v1alpha1.Problems
	for _, p := range problemsOf(path, err) {
		all = append(all, n.Problem(p.Path, p.Text))
	}
	return all
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
