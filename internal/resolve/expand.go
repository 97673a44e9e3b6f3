package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// data gives the facts of a group under the names that the expressions of fragments have for them.
func (g Group) data() map[string]any {
	resources := g.Resources
	if resources == nil {
		resources = map[string]int64{}
	}
	return map[string]any{
		"run": g.Names.Run, "platform": g.Platform, "gpuArchitecture": g.Architecture, "framework": g.Spec.Framework.Name(),
		"numNodes": int(g.Workers()), "gpusPerNode": int(g.GPUs), "mlnxPerNode": int(g.NICs),
		"nicResource": g.NICResource, "mnnvl": g.Spec.MNNVL(g.Architecture), "networks": g.Networks, "resources": resources,
	}
}

// expand evaluates the expressions of a value and all below it. keep is false for a text that came out empty, which is left
// out; mappings and lists stay, however empty. An error is Problems, with the path of the text.
func expand(value any, data map[string]any, path string) (expanded any, keep bool, err error) {
	switch v := value.(type) {
	case string:
		result, err := v1alpha1.Expand(v, data)
		if err != nil {
			return nil, false, wrong(path, "%v", err)
		}
		result = plain(result)
		return result, result != "" || v == "", nil
	case map[string]any:
		return expandMap(v, data, path)
	case v1alpha1.Manifest:
		return expandMap(v, data, path)
	case []any:
		list := make([]any, 0, len(v))
		for i, child := range v {
			e, keep, err := expand(child, data, fmt.Sprintf("%s[%d]", path, i))
			if err != nil {
				return nil, false, err
			}
			if keep {
				list = append(list, e)
			}
		}
		return list, true, nil
	}
	return value, true, nil
}

func expandMap(m map[string]any, data map[string]any, path string) (any, bool, error) {
	out := make(map[string]any, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		e, keep, err := expand(m[key], data, v1alpha1.Field(path, key))
		if err != nil {
			return nil, false, err
		}
		if keep {
			out[key] = e
		}
	}
	return out, true, nil
}

// text evaluates the expressions of a text that stays one.
func text(value string, data map[string]any, path string) (string, error) {
	expanded, _, err := expand(value, data, path)
	if err != nil {
		return "", err
	}
	if expanded == nil {
		return "", nil
	}
	return fmt.Sprint(expanded), nil
}

// plain gives a value of an expression the type that JSON has for it.
func plain(value any) any {
	switch v := value.(type) {
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		return list
	case []int:
		list := make([]any, len(v))
		for i := range v {
			list[i] = int64(v[i])
		}
		return list
	case map[string]int64:
		m := make(map[string]any, len(v))
		for k, n := range v {
			m[k] = n
		}
		return m
	case nil:
		return ""
	}
	return value
}

// withoutEmpty drops texts that came out empty.
func withoutEmpty(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" })
}
