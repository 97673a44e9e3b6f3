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
	"unicode/utf8"

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
		return nil, yamlProblems(file, text, err)
	}
	root := document.Content[0]
	for { // what follows a last --- is a document too, an empty one
		next := &yaml.Node{}
		if err := decoder.Decode(next); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, yamlProblems(file, text, err)
		}
		if another := next.Content[0]; another.ShortTag() != "!!null" {
			return nil, Problems{{File: file, Line: another.Line, Text: "holds more than one document; give one file to each WorkloadRun"}}
		}
	}
	if expanded(root, map[*yaml.Node]int{}) > maxExpanded {
		return nil, Problems{tooLong(file, root, len(text))}
	}
	t := &tidier{file: file}
	t.tidy(root)
	if len(t.problems) > 0 {
		return nil, t.problems
	}
	var value any // finds the keys that are there twice
	if err := root.Decode(&value); err != nil {
		return nil, yamlProblems(file, text, err)
	}
	if value == nil {
		return nil, nil
	}
	return root, nil
}

// tooLong says where the text is that is too long, or the first alias in one that is short as it is written.
func tooLong(file string, root *yaml.Node, length int) Problem {
	line := longest(root)
	if length > maxExpanded {
		return Problem{File: file, Line: line, Text: fmt.Sprintf("has more than %d MiB; a shorter text would do, with large files on a volume or in the image", maxExpanded>>20)}
	}
	return Problem{File: file, Line: line, Text: fmt.Sprintf("stands for more than %d MiB of text with its aliases written out; fewer of them would do", maxExpanded>>20)}
}

// longest returns the line of the value that the most text stands for, along the way from the root down.
func longest(node *yaml.Node) int {
	sizes := map[*yaml.Node]int{}
	expanded(node, sizes)
	line := node.Line
	for range maxDepth {
		var next *yaml.Node
		for i, child := range node.Content {
			if node.Kind == yaml.MappingNode && i%2 == 0 {
				continue
			}
			if next == nil || expanded(child, sizes) > expanded(next, sizes) {
				next = child
			}
		}
		if next == nil || next.Kind == yaml.AliasNode {
			break
		}
		node, line = next, next.Line
	}
	return line
}

// unprintable finds the first byte that no text may hold, of which the YAML library gives no line; 0 when there is none.
func unprintable(text []byte) (line int, what string) {
	line = 1
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			return line, fmt.Sprintf("the byte 0x%02x is no UTF-8; the file saved as UTF-8 would do", text[0])
		case r < ' ' && r != '\n' && r != '\r' && r != '\t', r == 0x7f:
			return line, fmt.Sprintf("the control character 0x%02x; the line without it would do, or it in quotes as \\x%02x", r, r)
		case r == '\n':
			line++
		}
		text = text[size:]
	}
	return 0, ""
}

// maxDepth bounds the way down: an anchor may hold itself.
const maxDepth = 100

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

// maxKeys bounds the fields of one mapping: the YAML library compares each with each. The largest mapping that makes sense is a
// ConfigMap's files.
const maxKeys = 4096

func (t *tidier) tidy(node *yaml.Node) {
	if count := len(node.Content) / 2; node.Kind == yaml.MappingNode && count > maxKeys {
		t.add(node, fmt.Sprintf("has a mapping of %d fields; at most %d would do", count, maxKeys))
		return
	}
	if tag := node.ShortTag(); strings.HasPrefix(tag, "!") && !strings.HasPrefix(tag, "!!") && tag != "!" {
		t.add(node, fmt.Sprintf("has the tag %s, which a WorkloadRun cannot hold; the value without it would do", strconv.QuoteToASCII(shorten(tag))))
		return
	}
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
func yamlProblems(file string, text []byte, err error) Problems {
	texts := []string{err.Error()}
	var many *yaml.TypeError
	if errors.As(err, &many) {
		texts = many.Errors
	}
	var problems Problems
	for _, said := range texts {
		p := Problem{File: file, Text: strings.TrimPrefix(said, "yaml: ")}
		if m := yamlLine.FindStringSubmatch(said); m != nil {
			p.Line, _ = strconv.Atoi(m[1])
			p.Text = m[2]
		}
		p.Text = "is not valid YAML: " + p.Text
		if strings.HasSuffix(p.Text, "cannot start any token") {
			p.Text += "; where that is a tab, spaces would do"
		}
		if p.Line == 0 {
			if line, what := unprintable(text); line > 0 {
				p.Line, p.Text = line, "is not valid YAML: "+what
			}
		}
		problems = append(problems, p)
	}
	return problems
}
