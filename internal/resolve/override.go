package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// override merges the run's overrides, in their order, into the generated objects that still have their template names.
func override(objects []*unstructured.Unstructured, in Group) error {
	for i, o := range in.Spec.Overrides {
		for j, d := range o.Dependencies {
			path := fmt.Sprintf("spec.overrides[%d].dependencies[%d]", i, j)
			if err := mergeDependency(objects, d, in, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func mergeDependency(objects []*unstructured.Unstructured, d v1alpha1.Manifest, in Group, path string) error {
	want := &unstructured.Unstructured{Object: d}
	if at := reserved(map[string]any(d)); at != "" {
		return fmt.Errorf("%s: sets %s, which is Seatrial's own", path, at)
	}
	if ns := want.GetNamespace(); ns != "" && ns != in.Namespace {
		return fmt.Errorf("%s.metadata.namespace: is %q; leave it out, the run is in %s", path, ns, in.Namespace)
	}
	for _, o := range objects {
		if o.GetAPIVersion() != want.GetAPIVersion() || o.GetKind() != want.GetKind() || o.GetName() != want.GetName() {
			continue
		}
		merged, err := mergeMaps(o.Object, d)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := sound(merged, o.GetKind()); err != nil {
			return fmt.Errorf("%s: does not make a %s: %w", path, o.GetKind(), err)
		}
		o.Object = merged
		return nil
	}
	return fmt.Errorf("%s.metadata.name: is %q, which names no generated %s; %s%s would do", path, want.GetName(), want.GetKind(), in.Names.Run, suffixOf(want.GetKind()))
}

// sound checks that an object still is one of its kind, without fields that the kind lacks.
func sound(object map[string]any, kind string) error {
	var into any = &corev1.ConfigMap{}
	if kind == trainer.TrainingRuntimeKind {
		into = &trainer.TrainingRuntime{}
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object, into, true)
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

func suffixOf(kind string) string {
	if kind == "ConfigMap" {
		return suffixConfig
	}
	return suffixRuntime
}

// mergeMaps lays over onto base by the rules of the Cluster Readiness Engine: maps merge, null deletes, two lists whose every
// element is an object with a name merge by name (base order kept, new ones appended), anything else replaces.
// Neither argument is changed.
func mergeMaps(base, over map[string]any) (map[string]any, error) {
	merged := make(map[string]any, len(base)+len(over))
	for k, v := range base {
		merged[k] = v
	}
	for k, v := range over {
		if v == nil {
			delete(merged, k)
			continue
		}
		value, err := mergeValues(merged[k], v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		merged[k] = value
	}
	return merged, nil
}

func mergeValues(base, over any) (any, error) {
	overMap, overIsMap := asMap(over)
	baseMap, baseIsMap := asMap(base)
	if overIsMap {
		if !baseIsMap {
			baseMap = nil
		}
		return mergeMaps(baseMap, overMap)
	}
	if baseIsMap {
		return nil, fmt.Errorf("is not a mapping of fields, and would replace one")
	}
	overList, overIsList := over.([]any)
	baseList, baseIsList := base.([]any)
	if overIsList && baseIsList && named(overList) && named(baseList) {
		return mergeNamed(baseList, overList)
	}
	return runtime.DeepCopyJSONValue(over), nil
}

func asMap(v any) (map[string]any, bool) {
	switch m := v.(type) {
	case map[string]any:
		return m, true
	case v1alpha1.Manifest:
		return m, true
	}
	return nil, false
}

// named says whether every element is an object with a non-empty name. An empty list is not: it replaces.
func named(list []any) bool {
	for _, e := range list {
		if nameOf(e) == "" {
			return false
		}
	}
	return len(list) > 0
}

// nameOf returns the name of an object of a list; "" when it has none or is no object.
func nameOf(element any) string {
	m, _ := asMap(element)
	name, _ := m["name"].(string)
	return name
}

func mergeNamed(base, over []any) ([]any, error) {
	merged := append([]any(nil), base...)
	for _, o := range over {
		name := nameOf(o)
		at := slices.IndexFunc(merged, func(b any) bool { return nameOf(b) == name })
		if at < 0 {
			merged = append(merged, runtime.DeepCopyJSONValue(o))
			continue
		}
		value, err := mergeValues(merged[at], o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		merged[at] = value
	}
	return merged, nil
}
