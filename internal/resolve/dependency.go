package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// mergeDependency merges d into the object of its apiVersion, kind and template name, or adds it before the TrainingRuntime,
// which refers to it. It says whether that changed anything.
func mergeDependency(objects []*unstructured.Unstructured, d v1alpha1.Manifest, in Group, path string, merge func(base, over map[string]any) (map[string]any, error)) (_ []*unstructured.Unstructured, changed bool, err error) {
	over := maps.Clone(map[string]any(d))
	delete(over, "when")
	want := &unstructured.Unstructured{Object: over}
	if at := reserved(over); at != "" {
		return nil, false, fmt.Errorf("%s: sets %s, which is Seatrial's own", path, at)
	}
	if ns := want.GetNamespace(); ns != "" && ns != in.Namespace {
		return nil, false, fmt.Errorf("%s.metadata.namespace: is %q; leave it out, the run is in %s", path, ns, in.Namespace)
	}
	into := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetAPIVersion() == want.GetAPIVersion() && o.GetKind() == want.GetKind() && o.GetName() == want.GetName()
	})
	if into < 0 && want.GetKind() == trainer.TrainingRuntimeKind {
		return nil, false, fmt.Errorf("%s.metadata.name: is %q, which names no generated %s; %s%s would do", path, want.GetName(), want.GetKind(), in.Names.Run, suffixRuntime)
	}
	base := map[string]any{}
	if into >= 0 {
		base = objects[into].Object
	}
	merged, err := merge(base, over)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	if err := sound(merged, want.GetKind()); err != nil {
		return nil, false, fmt.Errorf("%s: does not make a %s: %w", path, want.GetKind(), err)
	}
	object := &unstructured.Unstructured{Object: merged}
	object.SetNamespace(in.Namespace)
	if into < 0 {
		at := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == trainer.TrainingRuntimeKind })
		return slices.Insert(slices.Clone(objects), max(at, 0), object), true, nil
	}
	changed = !equality.Semantic.DeepEqual(base, merged)
	objects = slices.Clone(objects)
	objects[into] = object
	return objects, changed, nil
}

// kinds are the types of the objects that may be merged or added; nil where the type is another project's and only the
// API server can check it.
var kinds = map[string]func() any{
	trainer.TrainingRuntimeKind: func() any { return &trainer.TrainingRuntime{} },
	"ConfigMap":                 func() any { return &corev1.ConfigMap{} },
	"PersistentVolumeClaim":     func() any { return &corev1.PersistentVolumeClaim{} },
	"Service":                   func() any { return &corev1.Service{} },
	"ResourceClaimTemplate":     func() any { return &resourcev1.ResourceClaimTemplate{} },
	"ComputeDomain":             nil,
}

// sound checks that an object is one of its kind, without fields that the kind lacks.
func sound(object map[string]any, kind string) error {
	make, known := kinds[kind]
	switch {
	case !known:
		return fmt.Errorf("it is of a kind that a run may not have")
	case make == nil:
		return nil
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object, make(), true)
}

// reserved returns the first key, in order, that is one of the run's own labels; "" when there is none.
func reserved(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key == LabelManagedBy || strings.HasPrefix(key, "seatrial.dev/") {
				return key
			}
			if at := reserved(v[key]); at != "" {
				return at
			}
		}
	case []any:
		for _, element := range v {
			if at := reserved(element); at != "" {
				return at
			}
		}
	}
	return ""
}
