package resolve

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// mergeDependency merges d into the object of its apiVersion, kind and template name, or adds it before the TrainingRuntime,
// which refers to it. It says whether that changed anything. The error is Problems at path or below.
func mergeDependency(objects []*unstructured.Unstructured, d v1alpha1.Manifest, in Group, path string, merge func(base, over map[string]any) (map[string]any, error)) (_ []*unstructured.Unstructured, changed bool, err error) {
	over := maps.Clone(map[string]any(d))
	delete(over, "when")
	want := &unstructured.Unstructured{Object: over}
	if at := reserved(over); at != "" {
		return nil, false, wrong(path, "sets %s, which is Seatrial's own", at)
	}
	if ns := want.GetNamespace(); ns != "" && ns != in.Namespace {
		return nil, false, wrong(path+".metadata.namespace", "is %q; leave it out, the run is in %s", ns, in.Namespace)
	}
	into := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetAPIVersion() == want.GetAPIVersion() && o.GetKind() == want.GetKind() && o.GetName() == want.GetName()
	})
	if into < 0 && want.GetKind() == trainer.TrainingRuntimeKind {
		return nil, false, wrong(path+".metadata.name", "is %q, which names no generated %s; %s%s would do", want.GetName(), want.GetKind(), in.Names.Run, suffixRuntime)
	}
	base := map[string]any{}
	if into >= 0 {
		base = objects[into].Object
	}
	merged, err := merge(base, over)
	if err == nil {
		err = sound(merged, want.GetKind())
	}
	if err != nil {
		if misfits := v1alpha1.DependencyMisfits(path, over); len(misfits) > 0 { // which say it better
			return nil, false, misfits
		}
		return nil, false, wrong(path, "%v", err)
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

// sound checks that an object is one of its kind, without fields that the kind lacks.
func sound(object map[string]any, kind string) error {
	into, known := v1alpha1.DependencyObject(kind)
	switch {
	case !known:
		return fmt.Errorf("does not make a %s: it is of a kind that a run may not have", kind)
	case into == nil:
		return nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object, into, true); err != nil {
		return fmt.Errorf("does not make a %s: %w", kind, err)
	}
	return nil
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

// problemsOf are those that err is, which have their own paths, or else it is one at path.
func problemsOf(path string, err error) v1alpha1.Problems {
	var own v1alpha1.Problems
	if errors.As(err, &own) {
		return own
	}
	return wrong(path, "%v", err)
}

// wrong is one problem at path.
func wrong(path, format string, args ...any) v1alpha1.Problems {
	return v1alpha1.Problems{{Path: path, Text: fmt.Sprintf(format, args...)}}
}
