package resolve

import (
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
