package resolve

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func fields(t *testing.T, text string) map[string]any {
	t.Helper()
	var m v1alpha1.Manifest
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	return m
}

func TestMergeMaps(t *testing.T) {
	for name, c := range map[string]struct{ base, over, want string }{
		"maps_merge":                             {`{"a":{"x":1,"y":2}}`, `{"a":{"y":3,"z":4}}`, `{"a":{"x":1,"y":3,"z":4}}`},
		"null_deletes":                           {`{"a":1,"b":{"c":1}}`, `{"a":null,"b":{"c":null}}`, `{"b":{}}`},
		"null_of_nothing_is_nothing":             {`{}`, `{"a":null,"b":{"c":null,"d":1}}`, `{"b":{"d":1}}`},
		"scalars_replace":                        {`{"a":1}`, `{"a":"x"}`, `{"a":"x"}`},
		"named_lists_merge_in_the_order_of_base": {`{"l":[{"name":"a","v":1},{"name":"b","v":2}]}`, `{"l":[{"name":"c","v":5},{"name":"b","v":3},{"name":"a","w":4}]}`, `{"l":[{"name":"a","v":1,"w":4},{"name":"b","v":3},{"name":"c","v":5}]}`},
		"other_lists_replace":                    {`{"l":["a","b"]}`, `{"l":["c"]}`, `{"l":["c"]}`},
		"a_list_with_one_nameless_replaces":      {`{"l":[{"name":"a"}]}`, `{"l":[{"name":"b"},{}]}`, `{"l":[{"name":"b"},{}]}`},
		"an_empty_name_is_nameless":              {`{"l":[{"name":"a"}]}`, `{"l":[{"name":""}]}`, `{"l":[{"name":""}]}`},
		"an_empty_list_replaces":                 {`{"l":[{"name":"a"}]}`, `{"l":[]}`, `{"l":[]}`},
		"a_list_replaces_a_scalar":               {`{"l":1}`, `{"l":[{"name":"a"}]}`, `{"l":[{"name":"a"}]}`},
		"a_map_replaces_a_scalar":                {`{"a":1}`, `{"a":{"b":null,"c":1}}`, `{"a":{"c":1}}`},
		"an_empty_map_changes_nothing":           {`{"a":{"b":1}}`, `{"a":{}}`, `{"a":{"b":1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			base, over := fields(t, c.base), fields(t, c.over)
			merged, err := mergeMaps(base, over)
			require.NoError(t, err)
			require.Equal(t, fields(t, c.want), merged)
			require.Equal(t, fields(t, c.base), base, "base is not changed")
			require.Equal(t, fields(t, c.over), over, "over is not changed")
			// Nothing that over holds is shared with the result, which the next override merges into.
			scribble(merged)
			require.Equal(t, fields(t, c.over), over)
		})
	}
	t.Run("a_scalar_never_replaces_a_mapping", func(t *testing.T) {
		_, err := mergeMaps(fields(t, `{"a":{"l":[{"name":"x","m":{}}]}}`), fields(t, `{"a":{"l":[{"name":"x","m":1}]}}`))
		require.EqualError(t, err, "a: l: x: m: is not a mapping of fields, and would replace one")
	})
}

// scribble changes everything it can reach.
func scribble(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, child := range v {
			scribble(child)
		}
		v["scribble"] = true
	case []any:
		for i, child := range v {
			scribble(child)
			if _, isMap := child.(map[string]any); !isMap {
				v[i] = "scribble"
			}
		}
	}
}

func TestOverride(t *testing.T) {
	with := func(t *testing.T, dependencies ...string) error {
		t.Helper()
		run := load(t, "testdata/override.run.yaml")
		run.Spec.Overrides = []v1alpha1.Override{{When: &v1alpha1.When{}}}
		for _, d := range dependencies {
			run.Spec.Overrides[0].Dependencies = append(run.Spec.Overrides[0].Dependencies, fields(t, d))
		}
		_, err := Objects(group(run))
		return err
	}
	const runtime = `"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainingRuntime"`
	for name, c := range map[string]struct{ dependency, want string }{
		"names_nothing":  {`{` + runtime + `,"metadata":{"name":"x"}}`, `spec.overrides[0].dependencies[0].metadata.name: is "x", which names no generated TrainingRuntime; override-runtime would do`},
		"unknown_field":  {`{` + runtime + `,"metadata":{"name":"override-runtime"},"spec":{"tempate":{}}}`, `spec.overrides[0].dependencies[0].spec.tempate: unknown field; did you mean template?`},
		"wrong_type":     {`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"override-config"},"data":{"a":1}}`, `spec.overrides[0].dependencies[0].data.a: is the number 1; a text (quote it) would do`},
		"own_label":      {`{` + runtime + `,"metadata":{"name":"override-runtime","labels":{"seatrial.dev/group":"x"}}}`, `sets seatrial.dev/group, which is Seatrial's own`},
		"own_label_deep": {`{` + runtime + `,"metadata":{"name":"override-runtime"},"spec":{"l":[{"labels":{"app.kubernetes.io/managed-by":null}}]}}`, `sets app.kubernetes.io/managed-by, which is Seatrial's own`},
		"namespace":      {`{` + runtime + `,"metadata":{"name":"override-runtime","namespace":"kube-system"}}`, `metadata.namespace: is "kube-system"; leave it out, the run is in default`},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, with(t, c.dependency), c.want) })
	}
	t.Run("labels_cannot_be_deleted", func(t *testing.T) {
		run := load(t, "testdata/override.run.yaml")
		run.Spec.Overrides = []v1alpha1.Override{{When: &v1alpha1.When{}, Dependencies: []v1alpha1.Manifest{fields(t, `{`+runtime+`,"metadata":{"name":"override-runtime","labels":null,"namespace":"default"},
			"spec":{"template":{"spec":{"replicatedJobs":[{"name":"node","template":{"metadata":{"labels":null},"spec":{"template":{"metadata":null}}}}]}}}}`)}}}
		in := group(run)
		r, _ := runtimeOf(t, in)
		require.Subset(t, r.Labels, in.Names.Labels())
		require.Subset(t, r.Spec.Template.Spec.ReplicatedJobs[0].Template.Spec.Template.Labels, in.Names.Labels())
	})
	t.Run("the_spec_is_not_changed", func(t *testing.T) {
		run := load(t, "testdata/override.run.yaml")
		before := runtimeDeepCopy(run.Spec.Overrides[0].Dependencies[0])
		render(t, group(run))
		render(t, group(run))
		require.Equal(t, before, map[string]any(run.Spec.Overrides[0].Dependencies[0]))
	})
}

func runtimeDeepCopy(m map[string]any) map[string]any { return runtime.DeepCopyJSON(m) }

// Any override gives an error or objects that keep their kind, their name's place and their labels; it never panics.
func FuzzOverride(f *testing.F) {
	f.Add(`{"spec":{"template":{"spec":{"replicatedJobs":[{"name":"node"},{"name":"x"}]}}}}`)
	f.Add(`{"spec":null}`)
	f.Add(`{"spec":{"template":{"spec":{"replicatedJobs":[null]}}}}`)
	f.Add(`{"spec":{"template":{"spec":{"replicatedJobs":[{"name":"node","template":null}]}}}}`)
	f.Add(`{"metadata":{"labels":{"a":"b"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var d v1alpha1.Manifest
		if json.Unmarshal([]byte(text), &d) != nil || d == nil {
			return
		}
		run := load(t, "testdata/override.run.yaml")
		d["apiVersion"], d["kind"] = "trainer.kubeflow.org/v1alpha1", "TrainingRuntime"
		metadata, isMap := d["metadata"].(map[string]any)
		if !isMap {
			metadata = map[string]any{}
		}
		metadata["name"], d["metadata"] = "override-runtime", metadata
		run.Spec.Overrides = []v1alpha1.Override{{When: &v1alpha1.When{}, Dependencies: []v1alpha1.Manifest{d}}}
		in := group(run)
		objects, err := Objects(in)
		if err != nil {
			return
		}
		require.Equal(t, "TrainingRuntime", objects[1].GetKind())
		require.Equal(t, in.Names.Base()+"-runtime", objects[1].GetName())
		require.Subset(t, objects[1].GetLabels(), in.Names.Labels())
	})
}
