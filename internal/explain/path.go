package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Place is where a path leads. It stays the same place when objects are made anew with other names.
type Place struct {
	// Path is the path with the object's full kind and name.
	Path string
	// Value is what is there.
	Value any

	kind string
	// nth counts the objects of the kind.
	nth   int
	steps []string
	// siblings are the innermost list without names on the way, listAt the step that takes its element item; nil when there is none.
	siblings []any
	listAt   int
	item     any
}

// filter is how kubectl's JSONPath picks an element by its name: [?(@.name=="node")].
var filter = regexp.MustCompile(`\[\?\(@\.name\s*==\s*(?:"([^"\]]*)"|'([^'\]]*)')\)\]`)

// Find finds a path such as TrainJob.spec.trainer.args[4], TrainingRuntime.spec.template.spec.replicatedJobs[node] or
// ConfigMap/NAME.data["run.sh"]. The case of the kind does not matter; an element of a list is an index, or the name of one.
// The error says what is wrong with the path and what is near it.
func Find(objects []*unstructured.Unstructured, path string) (Place, error) {
	object, rest, err := objectOf(objects, path)
	if err != nil {
		return Place{}, err
	}
	p := Place{kind: object.GetKind()}
	for _, o := range objects {
		if o == object {
			break
		}
		if o.GetKind() == p.kind {
			p.nth++
		}
	}
	head := p.kind + "/" + object.GetName()
	p.Path = head
	var value any = object.Object
	for _, step := range v1alpha1.PathSteps(filter.ReplaceAllString(rest, `["$1$2"]`)) {
		child, key, has := childOf(value, step)
		if !has {
			return Place{}, missing(objects, p.Path, value, step)
		}
		if list, is := value.([]any); is && key == step {
			if name := nameOf(child); name != "" {
				key = name // a place among named elements does not move with its neighbours
			} else {
				p.item, p.siblings, p.listAt = child, list, len(p.steps)
			}
		}
		p.Path, value = joined(p.Path, value, step), child
		p.steps = append(p.steps, key)
	}
	p.Value = value
	return p, nil
}

// joined adds a step to a path.
func joined(path string, parent any, step string) string {
	if _, is := parent.([]any); !is {
		return v1alpha1.Field(path, step)
	}
	if quoted := v1alpha1.Field("", step); strings.HasPrefix(quoted, "[") {
		return path + quoted
	}
	return path + "[" + step + "]"
}

// in returns the same place among other objects; ok is false when it is not there.
func (p Place) in(objects []*unstructured.Unstructured) (there Place, ok bool) {
	there = Place{kind: p.kind}
	nth := 0
	for _, o := range objects {
		if o.GetKind() != p.kind {
			continue
		}
		if nth++; nth <= p.nth {
			continue
		}
		var value any = o.Object
		for i, step := range p.steps {
			if list, is := value.([]any); is && p.siblings != nil && i == p.listAt {
				there.siblings = list
			}
			child, _, has := childOf(value, step)
			if !has {
				return there, false
			}
			value = child
		}
		there.Value = value
		return there, true
	}
	return there, false
}

// childOf returns the value of a key, of an index, or of an element's name. key is what was taken for the step.
func childOf(value any, step string) (child any, key string, has bool) {
	switch v := value.(type) {
	case map[string]any:
		child, has = v[step]
		return child, step, has
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
			return v[i], step, true
		}
		if i := slices.IndexFunc(v, func(e any) bool { return step != "" && nameOf(e) == step }); i >= 0 {
			return v[i], step, true
		}
	}
	return nil, "", false
}

func nameOf(element any) string {
	fields, _ := element.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

// objectOf takes the object off the beginning of a path, and returns the rest.
func objectOf(objects []*unstructured.Unstructured, path string) (*unstructured.Unstructured, string, error) {
	end := strings.IndexAny(path, "./[")
	if end < 0 {
		end = len(path)
	}
	kind, rest := path[:end], path[end:]
	var ofKind []*unstructured.Unstructured
	for _, o := range objects {
		if strings.EqualFold(o.GetKind(), kind) {
			ofKind = append(ofKind, o)
		}
	}
	switch {
	case len(ofKind) == 0:
		return nil, "", noKind(objects, kind)
	case !strings.HasPrefix(rest, "/") && len(ofKind) == 1:
		return ofKind[0], rest, nil
	case !strings.HasPrefix(rest, "/"):
		return nil, "", fmt.Errorf("%s: there are %d of them; %s would do", kind, len(ofKind), names(ofKind))
	}
	var best *unstructured.Unstructured // names may hold dots: the longest that fits is meant
	for _, o := range ofKind {
		after, fits := strings.CutPrefix(rest[1:], o.GetName())
		if fits && (after == "" || after[0] == '.' || after[0] == '[') && (best == nil || len(o.GetName()) > len(best.GetName())) {
			best = o
		}
	}
	if best == nil {
		return nil, "", fmt.Errorf("%q: there is no %s of that name; %s would do", shorten(path), ofKind[0].GetKind(), names(ofKind))
	}
	return best, rest[1+len(best.GetName()):], nil
}
