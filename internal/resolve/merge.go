package resolve

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// mergeMaps lays over onto base by the rules of the Cluster Readiness Engine: maps merge, null deletes, two lists whose every
// element is an object with a name merge by name (base order kept, new ones appended), anything else replaces.
// Neither argument is changed.
func mergeMaps(base, over map[string]any) (map[string]any, error) {
	return merger{}.maps(base, over)
}

// mergeFragment is mergeMaps but for the lists that are sets: a fragment adds tolerations and capabilities to those that are
// there, since it cannot know what the run tolerates.
func mergeFragment(base, over map[string]any) (map[string]any, error) {
	return merger{sets: map[string]bool{"tolerations": true, "add": true}}.maps(base, over)
}

// merger holds the keys whose lists are added to.
type merger struct{ sets map[string]bool }

func (g merger) maps(base, over map[string]any) (map[string]any, error) {
	merged := make(map[string]any, len(base)+len(over))
	for k, v := range base {
		merged[k] = v
	}
	for k, v := range over {
		if v == nil {
			delete(merged, k)
			continue
		}
		value, err := g.values(k, merged[k], v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		merged[k] = value
	}
	return merged, nil
}

func (g merger) values(key string, base, over any) (any, error) {
	overMap, overIsMap := asMap(over)
	baseMap, baseIsMap := asMap(base)
	if overIsMap {
		if !baseIsMap {
			baseMap = nil
		}
		return g.maps(baseMap, overMap)
	}
	if baseIsMap {
		return nil, fmt.Errorf("is not a mapping of fields, and would replace one")
	}
	overList, overIsList := over.([]any)
	baseList, baseIsList := base.([]any)
	switch {
	case overIsList && baseIsList && g.sets[key]:
		return union(baseList, overList), nil
	case overIsList && baseIsList && named(overList) && named(baseList):
		return g.named(baseList, overList)
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

func (g merger) named(base, over []any) ([]any, error) {
	merged := append([]any(nil), base...)
	for _, o := range over {
		name := nameOf(o)
		at := slices.IndexFunc(merged, func(b any) bool { return nameOf(b) == name })
		if at < 0 {
			merged = append(merged, runtime.DeepCopyJSONValue(o))
			continue
		}
		value, err := g.values("", merged[at], o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		merged[at] = value
	}
	return merged, nil
}

// union is base and what over has besides.
func union(base, over []any) []any {
	merged := append([]any(nil), base...)
	for _, o := range over {
		if !slices.ContainsFunc(merged, func(b any) bool { return equality.Semantic.DeepEqual(b, o) }) {
			merged = append(merged, runtime.DeepCopyJSONValue(o))
		}
	}
	return merged
}
