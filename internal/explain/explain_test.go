package explain

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// aRun is a run whose only object has a list of the run's arguments, with the fragment's between them.
func aRun(t *testing.T) Run {
	text := "metadata:\n  name: pairs\nspec:\n  image: i:1\n  numNodes: 2\n  framework:\n    exec:\n      command: [run, again]\n      args: [a, b]\n"
	run := &v1alpha1.WorkloadRun{Metadata: v1alpha1.Metadata{Name: "pairs"}, Spec: v1alpha1.WorkloadRunSpec{
		Image: "i:1", NumNodes: 2, Framework: v1alpha1.Framework{Exec: &v1alpha1.Exec{Command: []string{"run", "again"}, Args: []string{"a", "b"}}},
	}}
	fragment, err := v1alpha1.LoadFragment("site.yaml", []byte("description: d\nmpiArgs:\n  - a\n  - '7'\n"))
	require.NoError(t, err)
	return Run{
		File: "run.yaml", Line: v1alpha1.Lines([]byte(text)), Run: run, GPUs: 8, GPUsFrom: "the nodes",
		Fragments: []v1alpha1.NamedFragment{*fragment},
		Build: func(text []byte, changed map[string]v1alpha1.Fragment) ([]*unstructured.Unstructured, error) {
			r := v1alpha1.WorkloadRun{}
			if err := json.Unmarshal(text, &r); err != nil {
				return nil, err
			}
			if r.Spec.Image == "" || r.Spec.NumNodes == 3 {
				return nil, errors.New("cannot be built")
			}
			f := fragment.Fragment
			if c, is := changed["site"]; is {
				f = c
			}
			gpus := int32(8)
			if r.Spec.GPUsPerNode != nil {
				gpus = *r.Spec.GPUsPerNode
			}
			args := []any{"-x"}
			for _, a := range append(append([]string{}, r.Spec.Framework.Exec.Args...), f.MPIArgs...) {
				args = append(args, a)
			}
			return []*unstructured.Unstructured{{Object: map[string]any{
				"kind": "TrainJob", "metadata": map[string]any{"name": r.Metadata.Name + "-group-0"},
				"spec": map[string]any{
					"image": r.Spec.Image, "args": append(args, "-x"), "gpus": int64(gpus), "numNodes": int64(r.Spec.NumNodes),
					"containers": []any{map[string]any{"name": "first"}, map[string]any{"name": "node", "nodes": fmt.Sprint(r.Spec.NumNodes)}},
				},
			}}}, nil
		},
	}
}

func TestExplain(t *testing.T) {
	set := func(layer, name, file string, line int, field string) []Setter {
		return []Setter{{Layer: layer, Name: name, File: file, Line: line, Field: field}}
	}
	for path, want := range map[string][]Setter{
		"TrainJob.spec.image":            set(LayerRun, "", "run.yaml", 4, "spec.image"),
		"TrainJob.spec.gpus":             set(LayerNodes, "", "", 0, "8 GPUs a node (the nodes)"),
		"TrainJob.metadata.name":         set(LayerRun, "", "run.yaml", 2, "metadata.name"),
		"TrainJob.kind":                  set(LayerFramework, "exec", "", 0, ""),
		"TrainJob.spec.args[2]":          set(LayerRun, "", "run.yaml", 9, "spec.framework.exec.args[1]"),
		"TrainJob.spec.args[4]":          set(LayerFragment, "site", "site.yaml", 4, "mpiArgs[1]"),
		"TrainJob.spec.args[0]":          set(LayerFramework, "exec", "", 0, ""),
		"TrainJob.spec.args[5]":          set(LayerFramework, "exec", "", 0, ""),            // it only moves
		"TrainJob.spec.numNodes":         set(LayerRun, "", "run.yaml", 5, "spec.numNodes"), // with 3 nothing can be built, with 1 it can
		"TrainJob.spec.containers[node]": set(LayerRun, "", "run.yaml", 5, "spec.numNodes"),
	} {
		t.Run(path, func(t *testing.T) {
			answer, err := Explain(aRun(t), path)
			require.NoError(t, err)
			require.Equal(t, want, answer.SetBy)
		})
	}
	t.Run("a_whole_is_set_by_all_who_set_its_parts_the_lowest_layer_first", func(t *testing.T) {
		answer, err := Explain(aRun(t), "TrainJob.spec.args")
		require.NoError(t, err)
		var fields []string
		for _, s := range answer.SetBy {
			fields = append(fields, s.Field)
		}
		require.Equal(t, []string{"mpiArgs[0]", "mpiArgs[1]", "spec.framework.exec.args[0]", "spec.framework.exec.args[1]"}, fields)
	})
	t.Run("a_run_that_cannot_be_built_is_an_error", func(t *testing.T) {
		r := aRun(t)
		r.Run.Spec.NumNodes = 3
		_, err := Explain(r, "TrainJob.spec")
		require.EqualError(t, err, "cannot be built")
	})
}

func objects() []*unstructured.Unstructured {
	object := func(kind, name string, fields map[string]any) *unstructured.Unstructured {
		fields["kind"], fields["metadata"] = kind, map[string]any{"name": name}
		return &unstructured.Unstructured{Object: fields}
	}
	return []*unstructured.Unstructured{
		object("ConfigMap", "a", map[string]any{"data": map[string]any{"run.sh": "1"}}),
		object("ConfigMap", "a.b", map[string]any{"data": map[string]any{"run.sh": "2"}}),
		object("TrainJob", "j", map[string]any{"spec": map[string]any{"list": []any{map[string]any{"name": "node", "x": "3"}}, "none": []any{}}}),
	}
}

func TestFind(t *testing.T) {
	for path, want := range map[string]any{
		`ConfigMap/a.data["run.sh"]`:                   "1",
		`configmap/a.b.data["run.sh"]`:                 "2",
		"TrainJob.spec.list[0].x":                      "3",
		"TrainJob.spec.list[node].x":                   "3",
		`TrainJob/j.spec.list[?(@.name=="node")].x`:    "3",
		`TrainJob.spec.list[?(@.name == 'node')]["x"]`: "3",
	} {
		p, err := Find(objects(), path)
		require.NoError(t, err, path)
		require.Equal(t, want, p.Value, path)
	}
	for path, want := range map[string]string{
		"":                           `"" is no kind of object that the run creates; one of ConfigMap, TrainJob would do`,
		"ConfigMaps.data":            `did you mean ConfigMap?`,
		"ConfigMap.data":             `there are 2 of them; ConfigMap/a or ConfigMap/a.b would do`,
		"ConfigMap/c.data":           `there is no ConfigMap of that name; ConfigMap/a or ConfigMap/a.b would do`,
		"TrainJob.spec.lst":          `TrainJob/j.spec: has no field "lst"; did you mean list? it has list, none`,
		"TrainJob.spec.x":            `there is TrainJob.spec.list[node].x`,
		"TrainJob.spec.list[1]":      `has no element "1"; [0] to [0] would do, or a name: node`,
		"TrainJob.spec.none[0]":      `is an empty list, and has no element "0"`,
		"TrainJob.kind.x":            `is a single value, and has no field "x"`,
		"TrainJob/\x1b[2J":           `there is no TrainJob of that name`,
		`ConfigMap/a.data["\u001b"]`: `it has ["run.sh"]`,
	} {
		_, err := Find(objects(), path)
		require.ErrorContains(t, err, want, path)
		require.NotContains(t, err.Error(), "\x1b")
	}
}

// What is found is at its own path, and every path of the objects is found; no path is a panic or a page of text.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{"TrainJob.spec.list[0].x", `ConfigMap/a.data["run.sh"]`, "ConfigMap", "[", "TrainJob.spec.list[?(@.name==\"node\")]", "TrainJob/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		p, err := Find(objects(), path)
		if err != nil {
			require.Less(t, len(err.Error()), 4000)
			return
		}
		again, err := Find(objects(), p.Path)
		require.NoError(t, err, p.Path)
		require.Equal(t, p.Value, again.Value)
		there, ok := p.in(objects())
		require.True(t, ok)
		require.Equal(t, p.Value, there.Value)
	})
}

func BenchmarkFind(b *testing.B) {
	all := objects()
	for b.Loop() {
		if _, err := Find(all, "TrainJob.spec.list[node].x"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestEdits_leave_the_tree_as_it_was(t *testing.T) {
	tree := map[string]any{"a": []any{map[string]any{"b": "1"}, "2"}}
	require.Equal(t, map[string]any{"a": []any{map[string]any{"b": "x"}, "2"}}, with(tree, []string{"a", "0", "b"}, "x"))
	require.Equal(t, map[string]any{"a": []any{map[string]any{}, "2"}}, without(tree, []string{"a", "0", "b"}))
	require.Equal(t, map[string]any{"a": []any{"2"}}, without(tree, []string{"a", "0"}))
	require.Equal(t, map[string]any{"a": []any{map[string]any{"b": "1"}, "2"}}, tree)
}
