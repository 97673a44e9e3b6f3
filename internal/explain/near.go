package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// most is how many near matches a message lists.
const most = 5

func noKind(objects []*unstructured.Unstructured, kind string) error {
	var kinds []string
	for _, o := range objects {
		kinds = append(kinds, o.GetKind())
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	text := "one of " + strings.Join(kinds, ", ") + " would do"
	if near := v1alpha1.Closest(kind, kinds); near != "" {
		text = "did you mean " + near + "? " + text
	}
	return fmt.Errorf("%q is no kind of object that the run creates; %s", shorten(kind), text)
}

func names(objects []*unstructured.Unstructured) string {
	var all []string
	for _, o := range objects {
		all = append(all, o.GetKind()+"/"+o.GetName())
	}
	return strings.Join(all, " or ")
}

// missing says that a value has no such field or element, what it has, and where there are fields of that name.
func missing(objects []*unstructured.Unstructured, path string, value any, step string) error {
	text := fmt.Sprintf("%s: %s", path, lacks(value, step))
	if elsewhere := others(objects, step); len(elsewhere) > 0 {
		text += "; there is " + strings.Join(elsewhere, ", ")
	}
	return fmt.Errorf("%s", text)
}

func lacks(value any, step string) string {
	step = shorten(step)
	switch v := value.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		text := fmt.Sprintf("has no field %q; ", step)
		if near := v1alpha1.Closest(step, keys); near != "" {
			text += "did you mean " + v1alpha1.Field("", near) + "? "
		}
		return text + "it has " + listed(keys)
	case []any:
		var known []string
		for _, e := range v {
			if name := nameOf(e); name != "" {
				known = append(known, name)
			}
		}
		switch {
		case len(v) == 0:
			return fmt.Sprintf("is an empty list, and has no element %q", step)
		case len(known) > 0:
			return fmt.Sprintf("has no element %q; [0] to [%d] would do, or a name: %s", step, len(v)-1, listed(known))
		}
		return fmt.Sprintf("has no element %q; [0] to [%d] would do", step, len(v)-1)
	}
	return fmt.Sprintf("is a single value, and has no field %q", step)
}

func listed(keys []string) string {
	quoted := make([]string, len(keys))
	for i, k := range keys {
		quoted[i] = v1alpha1.Field("", k)
	}
	return strings.Join(quoted, ", ")
}

// others are the shortest paths that end in a field of a name.
func others(objects []*unstructured.Unstructured, name string) []string {
	var all []string
	for _, o := range objects {
		eachPath(o.GetKind(), o.Object, func(path, key string) {
			if strings.EqualFold(key, name) {
				all = append(all, path)
			}
		})
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	all = slices.Compact(all)
	return all[:min(most, len(all))]
}

// eachPath calls visit with every field below value and its path, in a fixed order.
func eachPath(path string, value any, visit func(path, key string)) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := v1alpha1.Field(path, key)
			visit(at, key)
			eachPath(at, v[key], visit)
		}
	case []any:
		for i, e := range v {
			step := strconv.Itoa(i)
			if name := nameOf(e); name != "" {
				step = name
			}
			eachPath(joined(path, v, step), e, visit)
		}
	}
}

// shorten keeps what a user typed from filling the message.
func shorten(text string) string {
	const length = 80
	if len(text) <= length {
		return text
	}
	return strings.ToValidUTF8(text[:length], "") + "…"
}
