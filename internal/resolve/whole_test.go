package resolve

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// overriddenBy lays dependencies on the TrainingRuntime of an MPI run, one override each.
func overriddenBy(t *testing.T, specs ...string) (Built, error) {
	t.Helper()
	run := load(t, examples+"/01-basic.yaml")
	run.Spec.Overrides = nil
	for _, spec := range specs {
		d := fields(t, `{"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainingRuntime","metadata":{"name":"`+run.Metadata.Name+`-runtime"},"spec":`+spec+`}`)
		run.Spec.Overrides = append(run.Spec.Overrides, v1alpha1.Override{When: &v1alpha1.When{}, Dependencies: []v1alpha1.Manifest{d}})
	}
	return Build(group(run))
}

func replicated(jobs string) string { return `{"template":{"spec":{"replicatedJobs":` + jobs + `}}}` }

func TestOverride_may_not_remove_what_a_job_runs(t *testing.T) {
	for name, c := range map[string]struct{ spec, want string }{
		"the_spec": {`null`, `spec.overrides[0].dependencies[0]: leaves the TrainingRuntime without spec.mlPolicy; Trainer starts no ranks without it
spec.overrides[0].dependencies[0]: leaves the TrainingRuntime without its replicated job node
spec.overrides[0].dependencies[0]: leaves the TrainingRuntime without its replicated job launcher`},
		"every_job": {replicated(`null`), `spec.overrides[0].dependencies[0]: leaves the TrainingRuntime without its replicated job node
spec.overrides[0].dependencies[0]: leaves the TrainingRuntime without its replicated job launcher`},
		"the_containers": {replicated(`[{"name":"node","template":{"spec":{"template":{"spec":{"containers":null}}}}}]`),
			`spec.overrides[0].dependencies[0]: leaves the replicated job node without its container node`},
		"the_label_that_Trainer_looks_for": {replicated(`[{"name":"launcher","template":{"metadata":{"labels":null}}}]`),
			`spec.overrides[0].dependencies[0]: leaves the replicated job launcher without the label trainer.kubeflow.org/trainjob-ancestor-step, by which Trainer finds where the command goes`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := overriddenBy(t, c.spec)
			require.EqualError(t, err, c.want)
		})
	}
	t.Run("the_override_that_did_it_is_named", func(t *testing.T) {
		_, err := overriddenBy(t, `{}`, `{"mlPolicy":null}`, `{}`)
		require.EqualError(t, err, `spec.overrides[1].dependencies[0]: leaves the TrainingRuntime without spec.mlPolicy; Trainer starts no ranks without it`)
	})
	t.Run("what_a_later_one_puts_back_is_fine", func(t *testing.T) {
		_, err := overriddenBy(t, `{"mlPolicy":null}`, `{"mlPolicy":{"numNodes":1}}`)
		require.NoError(t, err)
	})
}

func TestOverride_that_misspells_a_name_makes_no_broken_pod(t *testing.T) {
	container := func(list, container string) string {
		return replicated(`[{"name":"node","template":{"spec":{"template":{"spec":{"` + list + `":[` + container + `]}}}}}]`)
	}
	for name, c := range map[string]struct{ spec, want string }{
		"a_container": {container("containers", `{"name":"nodee","env":[{"name":"A","value":"b"}]}`),
			`makes a container nodee of the replicated job node that has no image; did you mean node?`},
		"a_container_like_none": {container("containers", `{"name":"sidecar"}`),
			`makes a container sidecar of the replicated job node that has no image; an image would do`},
		"an_init_container": {container("initContainers", `{"name":"first"}`),
			`makes an init container first of the replicated job node that has no image; an image would do`},
		"a_replicated_job": {replicated(`[{"name":"nodes","template":{"spec":{"backoffLimit":3}}}]`),
			`makes a replicated job nodes without a container; did you mean node?`},
		"a_replicated_job_like_none": {replicated(`[{"name":"monitor"}]`),
			`makes a replicated job monitor without a container; containers of its own would do`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := overriddenBy(t, c.spec)
			require.EqualError(t, err, "spec.overrides[0].dependencies[0]: "+c.want)
		})
	}
	t.Run("a_whole_container_is_added", func(t *testing.T) {
		_, err := overriddenBy(t, container("containers", `{"name":"sidecar","image":"i"}`))
		require.NoError(t, err)
	})
	t.Run("a_fragment_neither", func(t *testing.T) {
		run := load(t, examples+"/01-basic.yaml")
		in := group(run)
		in.Fragments = append(in.Fragments, fragment(t, "site", "runtimePatch: {spec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {containers: [{name: nod}]}}}}}]}}}}\n"))
		_, err := Build(in)
		require.EqualError(t, err, "site.yaml:2: runtimePatch: makes a container nod of the replicated job node that has no image; did you mean node?")
	})
}

func TestOverride_says_all_that_is_wrong_at_once(t *testing.T) {
	run := load(t, "testdata/override.run.yaml")
	run.Spec.Overrides = nil
	for _, text := range []string{
		`{"jobTemplatePatch":[{"op":"remove","path":"/spec/nope"}],"dependencies":[{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"configMapRef":{},"ports":[{"port":"x"}]}}]}`,
		`{"jobTemplate":{"spec":{"workload":{"trainJob":{"trainer":{"numProcPerNode":"auto"}}}}},"when":{"expression":"1/domainCount > 0"}}`,
		`{"jobTemplate":{"spec":{"workload":{"trainJob":{"trainer":{"numProcPerNode":"auto"}}}}}}`,
	} {
		var o v1alpha1.Override
		require.NoError(t, json.Unmarshal([]byte(text), &o))
		run.Spec.Overrides = append(run.Spec.Overrides, o)
	}
	_, err := Build(group(run))
	var problems v1alpha1.Problems
	require.ErrorAs(t, err, &problems)
	var paths []string
	for _, p := range problems {
		paths = append(paths, p.Path)
	}
	require.Equal(t, []string{
		"spec.overrides[0].jobTemplatePatch[0].path", "spec.overrides[0].dependencies[0].spec.configMapRef", "spec.overrides[0].dependencies[0].spec.ports[0].port",
		"spec.overrides[1].when.expression", "spec.overrides[2].jobTemplate.spec.workload.trainJob.trainer.numProcPerNode",
	}, paths)
}
