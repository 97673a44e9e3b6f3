package v1alpha1

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxExpanded bounds, in bytes, what a text stands for once its aliases are written out. A spec has at most 1 MiB.
const maxExpanded = 2 << 20

// parse turns one YAML or JSON document (JSON is a subset of YAML) into a tree that holds nothing that JSON lacks.
// The tree is nil when there is no document, or when there are problems.
func parse(file string, text []byte) (*yaml.Node, Problems) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	document := &yaml.Node{}
	if err := decoder.Decode(document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, yamlProblems(file, err)
	}
	if err := decoder.Decode(&yaml.Node{}); err == nil {
		return nil, Problems{{File: file, Text: "holds more than one document; give one file to each WorkloadRun"}}
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlProblems(file, err)
	}
	root := document.Content[0]
	if expanded(root, map[*yaml.Node]int{}) > maxExpanded {
		return nil, Problems{{File: file, Text: fmt.Sprintf("stands for more than %d MiB of text with its aliases written out", maxExpanded>>20)}}
	}
	t := &tidier{file: file}
	t.tidy(root)
	if len(t.problems) > 0 {
		return nil, t.problems
	}
	var value any // finds the keys that are there twice
	if err := root.Decode(&value); err != nil {
		return nil, yamlProblems(file, err)
	}
	if value == nil {
		return nil, nil
	}
	return root, nil
}

// expanded counts the bytes that node stands for, up to a little more than maxExpanded. An anchor that holds itself has no end.
func expanded(node *yaml.Node, sizes map[*yaml.Node]int) int {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if size, seen := sizes[node]; seen {
		return size
	}
	sizes[node] = maxExpanded + 1
	size := len(node.Value) + 1
	for _, child := range node.Content {
		size = min(size+expanded(child, sizes), maxExpanded+1)
	}
	sizes[node] = size
	return size
}

// tidier turns what JSON lacks into what the author most likely meant, or into a problem.
type tidier struct {
	file     string
	problems Problems
}

func (t *tidier) tidy(node *yaml.Node) {
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			t.key(child)
		} else {
			t.tidy(child)
		}
	}
	if node.Kind != yaml.ScalarNode {
		return
	}
	switch node.ShortTag() {
	case "!!timestamp": // 2026-01-31 is an argument like any other
		node.Tag = "!!str"
	case "!!binary":
		t.add(node, "has the tag !!binary, which a WorkloadRun cannot hold")
	case "!!float":
		var f float64
		if err := node.Decode(&f); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			t.add(node, fmt.Sprintf("%s is no number that JSON can hold; quote it if it is a text", node.Value))
		}
	}
}

// key makes a text of a key such as 1 or true, as kubectl does.
func (t *tidier) key(key *yaml.Node) {
	if key.Kind != yaml.ScalarNode {
		t.add(key, "has a key that is no text; where a template left {{ }} in, render it first")
		return
	}
	if key.ShortTag() != mergeTag {
		key.Tag = "!!str"
	}
}

func (t *tidier) add(node *yaml.Node, text string) {
	t.problems = append(t.problems, Problem{File: t.file, Line: node.Line, Text: text})
}

// mergeTag marks the key <<, whose value is merged into the mapping around it.
const mergeTag = "!!merge"

var yamlLine = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)

// yamlProblems takes the line out of the YAML library's messages, of which one error may hold several.
func yamlProblems(file string, err error) Problems {
	texts := []string{err.Error()}
	var many *yaml.TypeError
	if errors.As(err, &many) {
		texts = many.Errors
	}
	var problems Problems
	for _, text := range texts {
		p := Problem{File: file, Text: strings.TrimPrefix(text, "yaml: ")}
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			p.Line, _ = strconv.Atoi(m[1])
			p.Text = m[2]
		}
		p.Text = "is not valid YAML: " + p.Text
		if strings.HasSuffix(p.Text, "cannot start any token") {
			p.Text += "; where that is a tab, spaces would do"
		}
		problems = append(problems, p)
	}
	return problems
}
