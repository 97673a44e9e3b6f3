// Package fragments holds what Seatrial knows of platforms: one file each, data only. The generator makes a WorkflowTemplate of
// every file, `render` uses them where no cluster is asked, and a site that wants another value edits its WorkflowTemplate.
//
// docs/how-to/add-a-platform.md says how to write one; docs/reference/platforms.md shows what they come to.
package fragments

import (
	"embed"
	"fmt"
	"io/fs"

	"gopkg.in/yaml.v3"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

//go:embed *.yaml
var files embed.FS

// All returns the fragments, by name.
func All() ([]v1alpha1.NamedFragment, error) {
	return Read(files)
}

// Read returns the fragments of a folder, by name: each file that ends in .yaml holds one, or a WorkflowTemplate with one, and
// what else `seatrial generate` writes is passed over. The error tells everything that is wrong with any of them.
func Read(folder fs.FS) ([]v1alpha1.NamedFragment, error) {
	names, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing fragments: %w", err)
	}
	var all []v1alpha1.NamedFragment
	var problems v1alpha1.Problems
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("reading a fragment: %w", err)
		}
		if other(text) {
			continue
		}
		f, err := v1alpha1.LoadFragment(name, text)
		if wrong, is := err.(v1alpha1.Problems); is { //nolint:errorlint // LoadFragment returns nothing else
			problems = append(problems, wrong...)
			continue
		} else if err != nil {
			return nil, err
		}
		all = append(all, *f)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return all, v1alpha1.DistinctFragments(all)
}

// other says whether a file is an object that holds no fragment: a kustomization, or a WorkflowTemplate without the label.
func other(text []byte) bool {
	var object struct {
		Kind     string
		Metadata struct{ Labels map[string]string }
	}
	if err := yaml.Unmarshal(text, &object); err != nil {
		return false // LoadFragment says what is wrong
	}
	return object.Kind != "" && object.Metadata.Labels[v1alpha1.LabelFragment] != "true"
}
