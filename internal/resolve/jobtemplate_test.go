package resolve

import (
	"encoding/json"
	"testing"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func overridden(t *testing.T, text string) (Built, error) {
	t.Helper()
	run := load(t, "testdata/override.run.yaml")
	var o v1alpha1.Override
	require.NoError(t, json.Unmarshal([]byte(text), &o))
	if o.When == nil {
		o.When = &v1alpha1.When{}
	}
	run.Spec.Overrides = []v1alpha1.Override{o}
	return Build(group(run))
}

func trainJob(t *testing.T, b Built) (*unstructured.Unstructured, trainer.TrainJobSpec) {
	t.Helper()
	o := b.Objects[len(b.Objects)-1]
	require.Equal(t, "TrainJob", o.GetKind())
	job := trainer.TrainJob{}
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &job))
	return o, job.Spec
}

func TestJobTemplate(t *testing.T) {
	t.Run("lists_are_replaced_and_null_deletes", func(t *testing.T) {
		b, err := overridden(t, `{"jobTemplate":{"spec":{"workload":{"trainJob":{"trainer":{"args":["a"],"command":null,"env":[{"name":"A","value":"1"}]}}}}}}`)
		require.NoError(t, err)
		_, spec := trainJob(t, b)
		require.Equal(t, []string{"a"}, spec.Trainer.Args)
		require.Empty(t, spec.Trainer.Command)
		require.Equal(t, "A", spec.Trainer.Env[0].Name)
		require.Empty(t, b.Warnings)
	})
	t.Run("labels_land_on_the_TrainJob_beside_the_runs_own", func(t *testing.T) {
		b, err := overridden(t, `{"jobTemplate":{"spec":{"workloadMetadata":{"labels":{"kueue.x-k8s.io/queue-name":"team"}}}}}`)
		require.NoError(t, err)
		o, _ := trainJob(t, b)
		require.Equal(t, "team", o.GetLabels()["kueue.x-k8s.io/queue-name"])
		require.Equal(t, "group-0", o.GetLabels()[LabelGroup])
	})
	t.Run("a_patch_appends_after_the_template_of_the_same_override", func(t *testing.T) {
		b, err := overridden(t, `{"jobTemplate":{"spec":{"workload":{"trainJob":{"trainer":{"env":[{"name":"A","value":"1"}]}}}}},
			"jobTemplatePatch":[{"op":"test","path":"/spec/workload/trainJob/trainer/env/0/name","value":"A"},{"op":"add","path":"/spec/workload/trainJob/trainer/env/-","value":{"name":"B","value":"2"}}]}`)
		require.NoError(t, err)
		_, spec := trainJob(t, b)
		require.Len(t, spec.Trainer.Env, 2)
	})
	t.Run("what_changes_nothing_is_a_warning_with_its_path", func(t *testing.T) {
		b, err := overridden(t, `{"jobTemplate":{"spec":{"workload":{"trainJob":{"trainer":{"numNodes":2}}}}},"jobTemplatePatch":[{"op":"test","path":"/spec/workload/trainJob/trainer/numNodes","value":2}],
			"dependencies":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"override-config"},"data":{"run.sh":"#!/bin/sh\ntrue\n"}}]}`)
		require.NoError(t, err)
		const idle = ": matched and changed nothing; check the field paths and values"
		require.Equal(t, []string{"spec.overrides[0].jobTemplate" + idle, "spec.overrides[0].jobTemplatePatch" + idle, "spec.overrides[0].dependencies[0]" + idle}, b.Warnings)
	})
	t.Run("config_is_a_condition_that_never_matches_and_says_so", func(t *testing.T) {
		b, err := overridden(t, `{"when":{"config":{"a":1}},"jobTemplate":{"spec":{"workload":{"trainJob":{"nope":1}}}}}`)
		require.NoError(t, err)
		require.Equal(t, []string{"spec.overrides[0].when.config: never matches, whatever it says; an expression would do"}, b.Warnings)
	})
	t.Run("a_dependency_has_a_condition_of_its_own", func(t *testing.T) {
		b, err := overridden(t, `{"dependencies":[{"when":{"gpuArchitecture":{"equals":"gb200"}},"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"extra"}},
			{"when":{"gpuArchitecture":{"equals":"h100"}},"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"more"},"data":{"a":"b"}}]}`)
		require.NoError(t, err)
		require.Len(t, b.Objects, 4)
		require.Equal(t, "override-group-0-more", b.Objects[1].GetName())
		require.NotContains(t, b.Objects[1].Object, "when")
	})
	for name, c := range map[string]struct{ override, want string }{
		"an_unknown_field":          {`{"jobTemplate":{"spec":{"workload":{"trainJob":{"trainer":{"imgae":"x"}}}}}}`, `spec.overrides[0].jobTemplate.spec.workload.trainJob.trainer.imgae: unknown field; did you mean image?`},
		"the_wrong_type":            {`{"jobTemplate":{"spec":{"workload":{"trainJob":{"trainer":{"args":"x"}}}}}}`, `spec.overrides[0].jobTemplate.spec.workload.trainJob.trainer.args: is the text "x"; a list such as ["a", "b"] would do`},
		"the_runs_own_label":        {`{"jobTemplate":{"spec":{"workloadMetadata":{"labels":{"seatrial.dev/group":"x"}}}}}`, "sets seatrial.dev/group, which is Seatrial's own"},
		"another_runtime":           {`{"jobTemplate":{"spec":{"workload":{"trainJob":{"runtimeRef":{"name":"x"}}}}}}`, "the run's own runtime is changed by a dependency named override-runtime"},
		"another_size":              {`{"jobTemplate":{"spec":{"workload":{"trainJob":{"trainer":{"numNodes":3}}}}}}`, "the group has 2 nodes, and spec.numNodes sets its size"},
		"a_path_that_is_not":        {`{"jobTemplatePatch":[{"op":"replace","path":"/spec/nope/x","value":1}]}`, "spec.overrides[0].jobTemplatePatch[0].path: is /spec/nope/x, which is not there; the job template begins with /spec/workload/trainJob and /spec/workloadMetadata/labels"},
		"a_test_that_fails":         {`{"jobTemplatePatch":[{"op":"test","path":"/spec/workload/trainJob/trainer/numNodes","value":7}]}`, "spec.overrides[0].jobTemplatePatch[0].value: is not what stands at /spec/workload/trainJob/trainer/numNodes; drop the test, or give the value that is there"},
		"a_patch_of_the_wrong_type": {`{"jobTemplatePatch":[{"op":"add","path":"/spec/workload/trainJob/trainer/numProcPerNode","value":"auto"}]}`, `spec.overrides[0].jobTemplatePatch: does not make a job template: spec.workload.trainJob.trainer.numProcPerNode: is the text "auto"; a whole number, at most 2147483647, would do`},
		"an_index_that_is_not":      {`{"jobTemplatePatch":[{"op":"add","path":"/spec/workload/trainJob/trainer/args/99","value":"auto"}]}`, "spec.overrides[0].jobTemplatePatch[0].path: is /spec/workload/trainJob/trainer/args/99, beyond the end of the list"},
		"a_move_from_nowhere":       {`{"jobTemplatePatch":[{"op":"move","from":"/spec/workload/nope","path":"/spec/workload/trainJob/trainer/image"}]}`, "spec.overrides[0].jobTemplatePatch[0]: moves or copies from /spec/workload/nope to"},
		"a_failing_expression":      {`{"when":{"expression":"1/domainCount > 0"},"jobTemplate":{"spec":{}}}`, `spec.overrides[0].when.expression: evaluating "1/domainCount > 0"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := overridden(t, c.override)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestOverride_adds_objects(t *testing.T) {
	b, err := overridden(t, `{"dependencies":[
		{"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain","metadata":{"name":"override-domain"},"spec":{"numNodes":2,"channel":{"resourceClaimTemplate":{"name":"channel"}}}},
		{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"scratch"},"spec":{"accessModes":["ReadWriteOnce"]}},
		{"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainingRuntime","metadata":{"name":"override-runtime"},"spec":{"template":{"spec":{"replicatedJobs":[{"name":"node","template":{"spec":{"template":{"spec":{
			"containers":[{"name":"node","env":[{"name":"KEEP","value":"scratch"}]}],
			"resourceClaims":[{"name":"c","resourceClaimTemplateName":"channel"}],
			"volumes":[{"name":"scratch","persistentVolumeClaim":{"claimName":"scratch"}}]}}}}}]}}}}]}`)
	require.NoError(t, err)
	var names []string
	for _, o := range b.Objects {
		names = append(names, o.GetKind()+" "+o.GetName())
		require.Equal(t, "default", o.GetNamespace())
		require.Equal(t, "group-0", o.GetLabels()[LabelGroup])
	}
	require.Equal(t, []string{
		"ConfigMap override-group-0-config", "ComputeDomain override-group-0-domain", "PersistentVolumeClaim override-group-0-scratch",
		"TrainingRuntime override-group-0-runtime", "TrainJob override-group-0",
	}, names, "what the others refer to comes first, and each is the group's own")
	r := trainer.TrainingRuntime{}
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(b.Objects[3].Object, &r))
	pod := r.Spec.Template.Spec.ReplicatedJobs[0].Template.Spec.Template.Spec
	require.Equal(t, "override-group-0-channel", *pod.ResourceClaims[0].ResourceClaimTemplateName)
	last := pod.Volumes[len(pod.Volumes)-1]
	require.Equal(t, "scratch", last.Name, "a volume's name is no reference")
	require.Equal(t, "override-group-0-scratch", last.PersistentVolumeClaim.ClaimName)
	env := pod.Containers[0].Env
	require.Equal(t, "scratch", env[len(env)-1].Value, "a variable is no reference")
	channel, _, _ := unstructured.NestedString(b.Objects[1].Object, "spec", "channel", "resourceClaimTemplate", "name")
	require.Equal(t, "override-group-0-channel", channel)
}
