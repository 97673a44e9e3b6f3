package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// The layers, from the lowest to the highest, and what is known of the nodes.
const (
	LayerFramework = "framework"
	LayerNodes     = "nodes"
	LayerFragment  = "fragment"
	LayerRun       = "run"
	LayerOverride  = "override"
)

// Run is what is explained.
type Run struct {
	// File is the run's, and Line finds a field's line in it.
	File string
	Line func(path string) int
	// Run is the WorkloadRun itself.
	Run *v1alpha1.WorkloadRun
	// Fragments are those that match it, in their order.
	Fragments []v1alpha1.NamedFragment
	// GPUs are those of a node, and GPUsFrom says who said so.
	GPUs     int32
	GPUsFrom string
	// NamespaceFrom says who chose the namespace where the file does not, such as -n.
	NamespaceFrom string
	// Build makes the objects of one group of a run, whose text it gets, with some of the fragments changed; an error says
	// that there can be none.
	Build func(run []byte, changed map[string]v1alpha1.Fragment) ([]*unstructured.Unstructured, error)
}

// Setter is a value that has a say in a field.
type Setter struct {
	Layer string `json:"layer"`
	// Name is the framework's or the fragment's; "" for the run's layers.
	Name string `json:"name,omitempty"`
	// File and Line are where the value is written; "" and 0 where it is written nowhere.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Field is the value's path, or what says it.
	Field string `json:"field,omitempty"`
}

// Answer says what is at a path and who set it, the lowest layer first.
type Answer struct {
	Path  string   `json:"path"`
	Value any      `json:"value"`
	SetBy []Setter `json:"setBy"`
}

// Explain says who set the field at path.
func Explain(r Run, path string) (Answer, error) {
	text, err := json.Marshal(r.Run)
	if err != nil {
		return Answer{}, fmt.Errorf("writing the run: %w", err)
	}
	objects, err := r.Build(text, nil)
	if err != nil {
		return Answer{}, err
	}
	place, err := Find(objects, path)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Path: place.Path, Value: place.Value}
	// 1. The fragments, each by itself.
	for i := range r.Fragments {
		found, err := r.inFragment(place, &r.Fragments[i], text)
		if err != nil {
			return Answer{}, err
		}
		answer.SetBy = append(answer.SetBy, found...)
	}
	// 2. The run and its overrides.
	found, err := r.inRun(place, text)
	if err != nil {
		return Answer{}, err
	}
	answer.SetBy = append(answer.SetBy, found...)
	if len(answer.SetBy) == 0 && slices.Equal(place.steps, []string{"metadata", "namespace"}) {
		answer.SetBy = []Setter{{Layer: LayerRun, Field: r.NamespaceFrom}}
	}
	if len(answer.SetBy) == 0 { // 3. Nobody: the framework.
		answer.SetBy = []Setter{{Layer: LayerFramework, Name: r.Run.Spec.Framework.Name()}}
	}
	return answer, nil
}

// aside are the fields of a fragment that say what it is and when it applies, and set nothing.
var aside = []string{"description", "source", "when", "order", "replaces", "defaults", "topologyKeys"}

func (r Run) inFragment(place Place, f *v1alpha1.NamedFragment, text []byte) ([]Setter, error) {
	tree, err := treeOf(f.Fragment)
	if err != nil {
		return nil, err
	}
	s := search{place: place, tree: tree, skip: func(path string) bool { return slices.Contains(aside, path) }}
	s.build = func(tree map[string]any) ([]*unstructured.Unstructured, error) {
		raw, err := json.Marshal(tree)
		if err != nil {
			return nil, err
		}
		var changed v1alpha1.Fragment
		if err := json.Unmarshal(raw, &changed); err != nil {
			return nil, err
		}
		return r.Build(text, map[string]v1alpha1.Fragment{f.Name: changed})
	}
	var found []Setter
	for _, path := range s.below(nil, "", tree) {
		file, line := f.At(path)
		found = append(found, Setter{Layer: LayerFragment, Name: f.Name, File: file, Line: line, Field: path})
	}
	return found, nil
}

// apart are the fields of a run that make no object: what is measured, and when an override applies.
var apart = regexp.MustCompile(`^(apiVersion|kind|metadata|spec\.(thresholds|bandwidthMeasurement|goodputMeasurement)|spec\.overrides\[\d+\](\.dependencies\[\d+\])?\.when)$`)

func (r Run) inRun(place Place, text []byte) ([]Setter, error) {
	tree, err := treeOf(json.RawMessage(text))
	if err != nil {
		return nil, err
	}
	s := search{place: place, tree: tree, skip: apart.MatchString}
	s.build = func(tree map[string]any) ([]*unstructured.Unstructured, error) {
		raw, err := json.Marshal(tree)
		if err != nil {
			return nil, err
		}
		return r.Build(raw, nil)
	}
	var found []Setter
	if r.Run.Spec.GPUsPerNode == nil && (s.reaches(with(tree, []string{"spec", "gpusPerNode"}, r.GPUs+1)) || s.reaches(with(tree, []string{"spec", "gpusPerNode"}, r.GPUs-1))) {
		found = append(found, Setter{Layer: LayerNodes, Field: fmt.Sprintf("%d GPUs a node (%s)", r.GPUs, r.GPUsFrom)})
	}
	paths := append(s.ofMetadata(r.Run, place, len(found) > 0), s.below(nil, "", tree)...)
	if len(paths) > 1 && paths[0] == "metadata.name" && !isWhole(place.Value) {
		paths = paths[1:] // the value is another's, in an object that goes by the run's name
	}
	for _, path := range paths {
		layer := LayerRun
		if strings.HasPrefix(path, "spec.overrides[") {
			layer = LayerOverride
		}
		found = append(found, Setter{Layer: layer, File: r.File, Line: r.Line(path), Field: path})
	}
	return found, nil
}

func isWhole(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// ofMetadata returns the run's name and namespace where they have a say. Overrides name objects by the run's name, so that it would
// have one in all they do: it is tried without them, and not where the nodes decide a single value.
func (s search) ofMetadata(run *v1alpha1.WorkloadRun, place Place, byNodes bool) (paths []string) {
	s.tree = without(s.tree, []string{"spec", "overrides"})
	if (!byNodes || isWhole(place.Value)) && s.leaf([]string{"metadata", "name"}, run.Metadata.Name) {
		paths = append(paths, "metadata.name")
	}
	if run.Metadata.Namespace != "" && s.leaf([]string{"metadata", "namespace"}, run.Metadata.Namespace) {
		paths = append(paths, "metadata.namespace")
	}
	return paths
}

// treeOf turns a value into what JSON is made of, with whole numbers left whole.
func treeOf(value any) (map[string]any, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("writing a layer: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	tree := map[string]any{}
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("reading a layer: %w", err)
	}
	return tree, nil
}

// search looks in one layer for the values that have a say in a place.
type search struct {
	place Place
	tree  map[string]any
	skip  func(path string) bool
	build func(tree map[string]any) ([]*unstructured.Unstructured, error)
}

// whole are parts that say one thing together.
var whole = regexp.MustCompile(`\.jobTemplatePatch\[\d+\]$`)

// below returns the paths of all values at or below a path that have a say. The name of an element, and the kind and name of
// a manifest, say what is meant; they count only where nothing else of it does.
func (s search) below(steps []string, path string, value any) []string {
	if s.skip(path) {
		return nil
	}
	var found, selecting []string
	flat := true
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			inner := s.below(append(slices.Clip(steps), key), v1alpha1.Field(path, key), v[key])
			switch v[key].(type) {
			case map[string]any, []any:
				flat = false
			}
			if slices.Contains(selects, key) {
				selecting = append(selecting, inner...)
			} else {
				found = append(found, inner...)
			}
		}
		if len(v) > 0 {
			return s.gathered(path, v, found, selecting, flat)
		}
	case []any:
		for i, e := range v {
			found = append(found, s.below(append(slices.Clip(steps), strconv.Itoa(i)), fmt.Sprintf("%s[%d]", path, i), e)...)
		}
		if len(v) > 0 {
			return found
		}
	}
	if len(steps) > 0 && s.leaf(steps, value) {
		return []string{path}
	}
	return nil
}

// gathered is what the fields of a mapping that have a say come to.
func (s search) gathered(path string, fields map[string]any, found, selecting []string, flat bool) []string {
	switch _, named := fields["name"]; {
	case len(found)+len(selecting) == 0:
		return nil
	case whole.MatchString(path), named && flat && path != "", named && len(found) == 0 && path != "":
		return []string{path}
	case len(found) == 0:
		return selecting
	}
	return found
}

// selects are keys whose values say which element or object is meant.
var selects = []string{"name", "kind", "apiVersion"}

// leaf says whether a value has a say: another one in its place reaches the place; where there can be no other, none does. An
// element without its name would make another list of the one that it is in.
func (s search) leaf(steps []string, value any) bool {
	for _, o := range other(value) {
		objects, err := s.build(with(s.tree, steps, o))
		if err == nil {
			return s.differs(objects)
		}
	}
	return !slices.Contains(selects, steps[len(steps)-1]) && s.reaches(without(s.tree, steps))
}

// reaches says whether the objects of a changed layer can be made and differ at the place.
func (s search) reaches(tree map[string]any) bool {
	objects, err := s.build(tree)
	return err == nil && s.differs(objects)
}

// differs says whether the value of the place is another one. One that only moved, since something was put before it or taken
// away, is the same.
func (s search) differs(objects []*unstructured.Unstructured) bool {
	there, ok := s.place.in(objects)
	switch {
	case ok && reflect.DeepEqual(there.Value, s.place.Value):
		return false
	case s.place.siblings == nil:
		return true
	}
	return count(there.siblings, s.place.item) < count(s.place.siblings, s.place.item)
}

func count(list []any, item any) int {
	n := 0
	for _, e := range list {
		if reflect.DeepEqual(e, item) {
			n++
		}
	}
	return n
}
