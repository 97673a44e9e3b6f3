package v1alpha1

import (
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// plainName is a key that a path shows as it is; any other is quoted.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Field returns the path of a mapping's key: spec.image, or spec.target.nodeSelector["a.b/c"].
func Field(path, key string) string {
	switch {
	case len(key) > 80 || !plainName.MatchString(key):
		return path + "[" + strconv.Quote(shorten(key)) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

// lineOf returns the line of the field at path (spec.overrides[0].when) in a YAML tree, or of the deepest parent that exists.
// The line is that of the key, where a reader looks.
func lineOf(root *yaml.Node, path string) int {
	node, line := root, root.Line
	for _, step := range PathSteps(path) {
		value, at := child(written(node), step)
		if value == nil {
			break
		}
		node, line = value, at
	}
	return line
}

// PathSteps cuts spec.args[2].labels["a.b"] into spec, args, 2, labels, a.b.
func PathSteps(path string) []string {
	var steps []string
	for path != "" {
		if path[0] == '.' {
			path = path[1:]
			continue
		}
		step := path
		if path[0] != '[' {
			if end := strings.IndexAny(path, ".["); end >= 0 {
				step = path[:end]
			}
			steps, path = append(steps, step), path[len(step):]
			continue
		}
		path = path[1:]
		if quoted, err := strconv.QuotedPrefix(path); err == nil {
			step, _ = strconv.Unquote(quoted) // QuotedPrefix returns what Unquote reads
			path = path[len(quoted):]
		} else {
			step, _, _ = strings.Cut(path, "]")
			path = path[len(step):]
		}
		steps, path = append(steps, step), strings.TrimPrefix(path, "]")
	}
	return steps
}

// child finds a key of a mapping, merged ones too, or an index of a sequence. It returns nil when there is none.
func child(node *yaml.Node, step string) (value *yaml.Node, line int) {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i+1], node.Content[i].Line
			}
		}
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].ShortTag() != mergeTag {
				continue
			}
			for _, m := range merged(node.Content[i+1]) {
				if value, line = child(m, step); value != nil {
					return value, line
				}
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(node.Content) {
			return node.Content[i], node.Content[i].Line
		}
	}
	return nil, 0
}

// Lines returns what finds the line of a field (spec.overrides[0].when) in a YAML or JSON text, or of the deepest parent that
// exists. It answers 0 where the text cannot be read.
func Lines(text []byte) func(path string) int {
	root, problems := parse("", text)
	if root == nil || len(problems) > 0 {
		return func(string) int { return 0 }
	}
	return func(path string) int { return lineOf(root, path) }
}
