package explain

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// other returns values that differ from a leaf and are of its kind, the best one first; none where there is no such value.
func other(leaf any) []any {
	switch v := leaf.(type) {
	case string:
		return []any{v + "x"}
	case bool:
		return []any{!v}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return []any{n + 1, n - 1}
		}
		if f, err := v.Float64(); err == nil {
			return []any{f + 1, f - 1}
		}
	}
	return nil
}

// with returns a copy of tree in which a value stands at steps.
func with(tree map[string]any, steps []string, value any) map[string]any {
	return edited(tree, steps, func(parent any, last string) any {
		switch p := parent.(type) {
		case map[string]any:
			p[last] = value
		case []any:
			if i, err := strconv.Atoi(last); err == nil && i >= 0 && i < len(p) {
				p[i] = value
			}
		}
		return parent
	})
}

// without returns a copy of tree that lacks what stands at steps.
func without(tree map[string]any, steps []string) map[string]any {
	return edited(tree, steps, func(parent any, last string) any {
		switch p := parent.(type) {
		case map[string]any:
			delete(p, last)
		case []any:
			if i, err := strconv.Atoi(last); err == nil && i >= 0 && i < len(p) {
				return slices.Delete(slices.Clone(p), i, i+1)
			}
		}
		return parent
	})
}

// edited copies tree and lets change do what it wants with the parent of what stands at steps.
func edited(tree map[string]any, steps []string, change func(parent any, last string) any) map[string]any {
	var walk func(value any, steps []string) any
	walk = func(value any, steps []string) any {
		switch v := value.(type) {
		case map[string]any:
			value = maps.Clone(v)
		case []any:
			value = slices.Clone(v)
		}
		if len(steps) == 1 {
			return change(value, steps[0])
		}
		switch v := value.(type) {
		case map[string]any:
			v[steps[0]] = walk(v[steps[0]], steps[1:])
		case []any:
			if i, err := strconv.Atoi(steps[0]); err == nil && i >= 0 && i < len(v) {
				v[i] = walk(v[i], steps[1:])
			}
		}
		return value
	}
	copied, _ := walk(tree, steps).(map[string]any) // a map remains one
	return copied
}
