package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
	kubeyaml "sigs.k8s.io/yaml"
)

// hollow are the fields that Argo's and Kubernetes' types write although they are empty. An empty `supplied` means something and stays.
var hollow = map[string]bool{"arguments": true, "inputs": true, "metadata": true, "outputs": true, "resources": true}

// encode writes an object as YAML with the fields in the order of the Go type, which puts names first.
func encode(object any) ([]byte, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("marshalling: %w", err)
	}
	// JSON is YAML, and the YAML library keeps the order of its keys.
	var document yaml.Node
	if err := yaml.Unmarshal(raw, &document); err != nil {
		return nil, fmt.Errorf("reading back JSON: %w", err)
	}
	tidy(&document)
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(&document); err != nil {
		return nil, fmt.Errorf("writing YAML: %w", err)
	}
	return text.Bytes(), encoder.Close()
}

// tidy turns JSON's style into block style, drops nulls and hollow fields, and moves two fields to where people look for them:
// apiVersion to the front, where Go's TypeMeta has kind, and the long list of templates to the end.
func tidy(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && !plain(n.Value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		tidy(child)
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	var first, rest, last []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		switch {
		case v.Tag == "!!null" || hollow[key.Value] && v.Kind == yaml.MappingNode && len(v.Content) == 0:
		case key.Value == "apiVersion":
			first = append(first, key, v)
		case key.Value == "templates":
			last = append(last, key, v)
		default:
			rest = append(rest, key, v)
		}
	}
	n.Content = slices.Concat(first, rest, last)
}

// plain says whether Kubernetes' YAML library, which still knows the booleans of YAML 1.1, reads s without quotes as the same string.
// A text of several lines is written as a block, where the question does not arise.
func plain(s string) bool {
	if strings.Contains(s, "\n") {
		return true
	}
	var v any
	err := kubeyaml.Unmarshal([]byte(s), &v)
	return err == nil && v == any(s)
}
