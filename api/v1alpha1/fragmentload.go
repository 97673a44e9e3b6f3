package v1alpha1

import (
	"fmt"
	"path"
	"strings"

	"gopkg.in/yaml.v3"
)

// LoadFragment reads one fragment, strictly, and validates it: from a file of its own, or out of the WorkflowTemplate that
// holds it. The error is Problems, each with file, line and path. file also gives the name where the text does not.
func LoadFragment(file string, text []byte) (*NamedFragment, error) {
	f := &NamedFragment{file: file, Name: strings.TrimSuffix(strings.TrimPrefix(path.Base(file), FragmentPrefix), path.Ext(file))}
	root, problems := parse(file, text)
	if root == nil || len(problems) > 0 {
		if len(problems) == 0 {
			problems = Problems{{File: file, Text: "is empty; a fragment begins with `description:`"}}
		}
		return nil, problems.err()
	}
	f.root = root
	body, generated := root, false
	if kind, _ := child(root, "kind"); kind != nil && kind.Value == "WorkflowTemplate" {
		generated = true
		f.prefix = fragmentInTemplate
		if body = at(root, f.prefix); body == nil {
			return nil, Problems{{File: file, Line: root.Line, Text: "is a WorkflowTemplate without a fragment: its first template has no plugin body seatrial.fragment"}}
		}
		if name := at(root, "metadata.name"); name != nil {
			f.Name = strings.TrimPrefix(name.Value, FragmentPrefix)
		}
		if version := at(root, "metadata.resourceVersion"); version != nil {
			f.ResourceVersion = version.Value
		}
	}
	problems, _ = fill(file, body, &f.Fragment, "")
	e := expressions{file: file, quoted: !generated}
	e.check(body, "")
	problems = append(problems, e.problems...)
	if len(problems) == 0 {
		v := &validator{}
		v.fragment(f.Name, &f.Fragment)
		for _, p := range v.problems {
			p.File, p.Line = f.At(p.Path)
			problems = append(problems, p)
		}
	}
	if err := problems.err(); err != nil {
		return nil, err
	}
	return f, nil
}

// fragmentInTemplate is where a WorkflowTemplate has its fragment.
const fragmentInTemplate = "spec.templates[0].plugin.seatrial.fragment"

// at returns the node of a path, nil when there is none.
func at(root *yaml.Node, path string) *yaml.Node {
	node := root
	for _, step := range PathSteps(path) {
		if node, _ = child(written(node), step); node == nil {
			return nil
		}
	}
	return written(node)
}

// DistinctFragments says which fragments have the name of an earlier one, as Problems; nil when none has. On a cluster they would be
// one WorkflowTemplate.
func DistinctFragments(all []NamedFragment) error {
	var problems Problems
	first := map[string]string{}
	for i := range all {
		file, line := all[i].At("metadata.name")
		if earlier, is := first[all[i].Name]; is {
			problems = append(problems, Problem{File: file, Line: line, Text: fmt.Sprintf("is named %q, as %s is; another name would do", shorten(all[i].Name), earlier)})
			continue
		}
		first[all[i].Name] = file
	}
	return problems.err()
}
