package v1alpha1

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
	"k8s.io/apimachinery/pkg/api/resource"
)

// shape compares a tree with the Go type that it is to fill. It reports every field that the type lacks and every value of
// another kind, at its own line; the JSON decoder would name only the first, and no line.
type shape struct {
	file     string
	problems Problems
}

func (s *shape) add(line int, path, text string) {
	s.problems = append(s.problems, Problem{File: s.file, Line: line, Path: path, Text: text})
}

// check looks at the value at path, which a reader finds at line.
func (s *shape) check(node *yaml.Node, line int, t reflect.Type, path string) {
	node = written(node)
	if node.ShortTag() == "!!null" {
		// Where an empty list and none differ, null must not be taken for either.
		if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Slice {
			s.add(line, path, "is null; leave it out for no condition, or give [] for an empty list")
		}
		return
	}
	t = indirect(t)
	s.checkOctal(node, line, t, path)
	switch {
	case t.Kind() == reflect.Map && node.Kind == yaml.MappingNode:
		s.entries(node, t.Elem(), path)
	case t.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode:
		for i, element := range node.Content {
			s.element(element, t.Elem(), fmt.Sprintf("%s[%d]", path, i))
		}
	case t.Kind() == reflect.Struct && node.Kind == yaml.MappingNode && !readsItself(t):
		s.fields(node, t, path)
	case t.Kind() == reflect.Interface:
	case t.Kind() == reflect.String && node.ShortTag() == "!!str":
	default:
		if err := decodeTree(node, reflect.New(t).Interface()); err != nil {
			would := wanted(t, node.Kind == yaml.ScalarNode)
			if form := written(node).Value; t.Kind() == reflect.String && isNumber(node) && formOf(path, form) != "" {
				would = formOf(path, form)
			}
			s.add(line, path, fmt.Sprintf("is %s; %s would do", describe(node), would))
		}
	}
}

func isNumber(node *yaml.Node) bool {
	return node.ShortTag() == "!!int" || node.ShortTag() == "!!float"
}

// formOf is what was meant by a number where a text of a certain form stands; "" where any text would do. To quote such a number
// would only bring the next complaint.
func formOf(path, number string) string {
	steps := PathSteps(path)
	switch last := steps[max(len(steps)-1, 0):]; {
	case len(steps) > 1 && steps[len(steps)-2] == "thresholds" && last[0] == KeyStepTime:
		return fmt.Sprintf("a condition such as `value <= %s`", number)
	case len(steps) > 1 && steps[len(steps)-2] == "thresholds":
		return fmt.Sprintf("a condition such as `value >= %s`", number)
	case len(steps) > 0 && (last[0] == "timeoutPerJob" || last[0] == "sampleInterval"):
		return "a duration such as " + number + "m or " + number + "s"
	}
	return ""
}

// octal is a whole number as YAML 1.1 writes it in base 8, which readers take for base 10.
var octal = regexp.MustCompile(`^[-+]?0[0-7]*[1-7][0-7]*$`)

// checkOctal refuses octal numbers but for file modes, which are written so.
func (s *shape) checkOctal(node *yaml.Node, line int, t reflect.Type, path string) {
	steps := PathSteps(path)
	if t.Kind() != reflect.Int32 && t.Kind() != reflect.Int64 && t.Kind() != reflect.Int || !octal.MatchString(node.Value) || node.ShortTag() != "!!int" {
		return
	}
	if last := strings.ToLower(steps[len(steps)-1]); !strings.HasSuffix(last, "mode") {
		s.add(line, path, fmt.Sprintf("is %s, which YAML reads in base 8; a number without the leading 0 would do", shorten(node.Value)))
	}
}

// element looks at an element of a list. A null there would become an empty text or an empty object, which nobody wrote.
func (s *shape) element(node *yaml.Node, t reflect.Type, path string) {
	kind := indirect(t).Kind()
	switch {
	case written(node).ShortTag() != "!!null" || kind == reflect.Interface:
		s.check(node, node.Line, t, path)
	case kind == reflect.String:
		s.add(node.Line, path, `is null; a text would do, such as "" or "null"`)
	default:
		s.add(node.Line, path, "is null; "+wanted(indirect(t), true)+" would do")
	}
}

func (s *shape) entries(node *yaml.Node, t reflect.Type, path string) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.ShortTag() != mergeTag {
			s.check(value, key.Line, t, Field(path, key.Value))
			continue
		}
		for _, m := range merged(value) {
			s.entries(m, t, path)
		}
	}
}

func (s *shape) fields(node *yaml.Node, t reflect.Type, path string) {
	types, names := fieldsOf(t)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.ShortTag() == mergeTag {
			for _, m := range merged(value) {
				s.fields(m, t, path)
			}
			continue
		}
		if known, has := types[key.Value]; has {
			s.check(value, key.Line, known, Field(path, key.Value))
			continue
		}
		text := "unknown field"
		if near := Closest(key.Value, names); near != "" {
			text += "; did you mean " + near + "?"
		}
		s.add(key.Line, Field(path, key.Value), text)
	}
}

// written follows an alias to what its anchor marks.
func written(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// merged returns the mappings that a key << brings in.
func merged(value *yaml.Node) []*yaml.Node {
	value = written(value)
	if value.Kind != yaml.SequenceNode {
		return []*yaml.Node{value}
	}
	var all []*yaml.Node
	for _, v := range value.Content {
		all = append(all, written(v))
	}
	return all
}

// fieldsOf returns the types of a struct's fields by their JSON names, and the names in order, those of embedded structs too.
func fieldsOf(t reflect.Type) (types map[string]reflect.Type, names []string) {
	types = map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" {
			types[name], names = f.Type, append(names, name)
			continue
		}
		inner, more := fieldsOf(indirect(f.Type))
		for _, name := range more {
			types[name], names = inner[name], append(names, name)
		}
	}
	return types, names
}

func indirect(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// readsItself says whether a type decodes itself, as a resource.Quantity does.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func describe(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode:
		return "a mapping of fields"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.ShortTag() == "!!str":
		return fmt.Sprintf("the text %q", shorten(node.Value))
	case node.ShortTag() == "!!bool":
		return node.Value
	}
	return "the number " + shorten(node.Value)
}

func wanted(t reflect.Type, scalar bool) string {
	switch t.Kind() {
	case reflect.String:
		if scalar {
			return "a text (quote it)"
		}
		return "a text"
	case reflect.Int32:
		return fmt.Sprintf("a whole number, at most %d,", math.MaxInt32)
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return listOf(t.Elem())
	case reflect.Map:
		if t.Elem().Kind() == reflect.String {
			return `a mapping such as {key: "text"}`
		}
		return "a mapping"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct:
		if !readsItself(t) {
			return "a mapping of fields"
		}
	}
	if t == reflect.TypeFor[resource.Quantity]() {
		return "a quantity such as 2, 500m or 64Gi"
	}
	return "a " + t.Name()
}

// listOf shows what a list of texts, or of mappings by their first two fields, looks like.
func listOf(t reflect.Type) string {
	switch t = indirect(t); {
	case t.Kind() == reflect.String:
		return `a list such as ["a", "b"]`
	case t.Kind() == reflect.Struct && !readsItself(t):
		_, names := fieldsOf(t)
		return "a list such as [{" + strings.Join(names[:min(len(names), 2)], ": …, ") + ": …}]"
	}
	return "a list"
}
