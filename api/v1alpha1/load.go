package v1alpha1

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
	sigsjson "sigs.k8s.io/json"
)

// Load reads one WorkloadRun from YAML or JSON, strictly, and validates it.
// The error is Problems: everything that is wrong, each with file, line and path. file is only for those messages.
func Load(file string, text []byte) (*WorkloadRun, error) {
	root, problems := parse(file, text)
	if len(problems) > 0 {
		return nil, problems.err()
	}
	if root == nil {
		return nil, Problems{{File: file, Text: "is empty; a WorkloadRun begins with `apiVersion: " + APIVersion + "` and `kind: " + RunKind + "`"}}
	}
	run := &WorkloadRun{}
	shaped, whole := fill(file, root, run, "")
	problems = shaped
	if whole {
		for _, p := range Validate(run) {
			if !shaped.about(p.Path) { // a field of the wrong type was left empty: that it is missing is no news
				p.File, p.Line = file, lineOf(root, p.Path)
				problems = append(problems, p)
			}
		}
	}
	if err := problems.err(); err != nil {
		return nil, err
	}
	return run, nil
}

// LoadSpec reads the spec of a WorkloadRun as the parameter `spec` brings it, strictly, but does not validate it:
// other parameters may complete it. The error is Problems; name is the parameter's.
func LoadSpec(name string, text []byte) (*WorkloadRunSpec, error) {
	root, problems := parse(name, text)
	spec := &WorkloadRunSpec{}
	switch {
	case root == nil || len(problems) > 0:
	case isWhole(root):
		problems = Problems{{File: name, Line: root.Line, Text: "is a whole file; what stands under its `spec:` would do"}}
	default:
		problems, _ = fill(name, root, spec, "spec")
	}
	if err := problems.err(); err != nil {
		return nil, err
	}
	return spec, nil
}

// isWhole says whether somebody gave the whole file for its spec.
func isWhole(root *yaml.Node) bool {
	version, _ := child(written(root), "apiVersion")
	spec, _ := child(written(root), "spec")
	return version != nil && spec != nil
}

// fill decodes a tree into what into points to, and reports whatever does not belong there. path is where the tree's root
// stands in a WorkloadRun. whole is false when decoding broke off, so that fields which look empty may not be.
func fill(file string, root *yaml.Node, into any, path string) (problems Problems, whole bool) {
	s := &shape{file: file}
	s.check(root, root.Line, reflect.TypeOf(into).Elem(), path)
	err := decodeTree(root, into)
	var mistyped *json.UnmarshalTypeError
	whole = err == nil || errors.As(err, &mistyped) // the decoder goes on after a value of the wrong type
	if err != nil && len(s.problems) == 0 {
		s.add(root.Line, path, "cannot be read: "+err.Error())
	}
	if !whole { // a value that reads itself, such as a quantity, ends the decoding; without those that are named the rest can be looked at
		whole = decodeWithout(root, into, s.problems, len(PathSteps(path))) == nil
	}
	return s.problems, whole
}

// decodeWithout is decodeTree without the values that have problems. Their paths begin with so many steps that lead to the root.
func decodeWithout(node *yaml.Node, into any, problems Problems, above int) error {
	var value any
	if err := node.Decode(&value); err != nil {
		return err
	}
	for _, p := range problems {
		if steps := PathSteps(p.Path); len(steps) > above {
			without(value, steps[above:])
		}
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	reflect.ValueOf(into).Elem().SetZero()
	return sigsjson.UnmarshalCaseSensitivePreserveInts(raw, into)
}

// without takes the value at the end of steps out of a tree; an element of a list becomes null.
func without(tree any, steps []string) {
	for i, step := range steps {
		last := i == len(steps)-1
		switch node := tree.(type) {
		case map[string]any:
			if last {
				delete(node, step)
			}
			tree = node[step]
		case []any:
			at, err := strconv.Atoi(step)
			if err != nil || at < 0 || at >= len(node) {
				return
			}
			tree = node[at]
			if last {
				node[at] = nil
			}
		default:
			return
		}
	}
}

// decodeTree goes by way of JSON, since Kubernetes' types have JSON tags and decoders only.
func decodeTree(node *yaml.Node, into any) error {
	var value any
	if err := node.Decode(&value); err != nil {
		return err
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return sigsjson.UnmarshalCaseSensitivePreserveInts(raw, into)
}

// about says whether one of the problems is that path, or one of its parents, has the wrong shape.
func (p Problems) about(path string) bool {
	for _, problem := range p {
		rest, within := strings.CutPrefix(path, problem.Path)
		if within && (problem.Path == "" || rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}
