package resolve

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestGangScheduler(t *testing.T) {
	kai := func(t *testing.T) Group { return group(load(t, filepath.Join(examples, "10-gang-kai.yaml"))) }
	t.Run("its_name_and_queue_are_on_every_pod_every_Job_and_the_TrainJob", func(t *testing.T) {
		r, j := runtimeOf(t, kai(t))
		require.Equal(t, "high-priority", j.Labels["kai.scheduler/queue"])
		require.Len(t, r.Spec.Template.Spec.ReplicatedJobs, 2)
		for _, job := range r.Spec.Template.Spec.ReplicatedJobs {
			require.Equal(t, "high-priority", job.Template.Labels["kai.scheduler/queue"], job.Name)
			require.Equal(t, "high-priority", job.Template.Spec.Template.Labels["kai.scheduler/queue"], job.Name)
			require.Equal(t, "kai-scheduler", job.Template.Spec.Template.Spec.SchedulerName, job.Name)
		}
	})
	t.Run("under_KAI_the_launcher_waits_for_its_workers_itself", func(t *testing.T) {
		r, _ := runtimeOf(t, kai(t))
		launcher := r.Spec.Template.Spec.ReplicatedJobs[1]
		require.Nil(t, launcher.DependsOn)
		require.Nil(t, r.Spec.Template.Spec.StartupPolicy)
		wait := launcher.Template.Spec.Template.Spec.InitContainers[0]
		require.True(t, strings.HasSuffix(wait.Command[2], kaiWait()))
		require.Contains(t, wait.VolumeMounts, corev1.VolumeMount{Name: "mpi-hostfile", MountPath: "/etc/mpi", ReadOnly: true})
		require.NotContains(t, launcher.Template.Spec.Template.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "mpi-hostfile", MountPath: "/etc/mpi", ReadOnly: true})
	})
	t.Run("any_other_scheduler_keeps_the_order", func(t *testing.T) {
		r, _ := runtimeOf(t, group(load(t, filepath.Join(examples, "11-gang-runai.yaml"))))
		launcher := r.Spec.Template.Spec.ReplicatedJobs[1]
		require.Equal(t, []jobset.DependsOn{{Name: "node", Status: jobset.DependencyReady}}, launcher.DependsOn)
		require.Equal(t, copyKeys, launcher.Template.Spec.Template.Spec.InitContainers[0].Command[2])
		require.Equal(t, "team-a", launcher.Template.Spec.Template.Labels["runai/queue"])
	})
	t.Run("without_a_queue_it_is_the_default", func(t *testing.T) {
		g := kai(t)
		g.Spec.GangScheduler.Queue = ""
		_, j := runtimeOf(t, g)
		require.Equal(t, "default-queue", j.Labels["kai.scheduler/queue"])
	})
	conflict := func(t *testing.T, spec map[string]any) error {
		t.Helper()
		g := kai(t)
		runtime := v1alpha1.Manifest{"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime", "metadata": map[string]any{"name": "gang-scheduled-workload-runtime"},
			"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"replicatedJobs": []any{spec}}}}}
		g.Spec.Overrides = []v1alpha1.Override{{When: &v1alpha1.When{}, Dependencies: []v1alpha1.Manifest{runtime}}}
		_, err := Objects(g)
		return err
	}
	pod := func(pod map[string]any) map[string]any {
		return map[string]any{"name": "launcher", "template": map[string]any{"spec": map[string]any{"template": pod}}}
	}
	t.Run("an_override_that_names_another_scheduler_is_an_error", func(t *testing.T) {
		require.EqualError(t, conflict(t, pod(map[string]any{"spec": map[string]any{"schedulerName": "default-scheduler"}})),
			`spec.gangScheduler: its schedulerName is "kai-scheduler", and an override makes that of replicatedJob launcher "default-scheduler"; drop one of the two`)
	})
	t.Run("an_override_that_names_another_queue_is_an_error", func(t *testing.T) {
		require.EqualError(t, conflict(t, pod(map[string]any{"metadata": map[string]any{"labels": map[string]any{"kai.scheduler/queue": "other"}}})),
			`spec.gangScheduler: its queue is "high-priority", and an override makes the label kai.scheduler/queue of replicatedJob launcher "other" (template.spec.template.metadata.labels); drop one of the two`)
	})
	t.Run("an_override_that_drops_the_queue_from_the_pods_is_an_error", func(t *testing.T) {
		require.ErrorContains(t, conflict(t, pod(map[string]any{"metadata": map[string]any{"labels": map[string]any{"kai.scheduler/queue": nil}}})), `of replicatedJob launcher ""`)
	})
	jobTemplate := func(t *testing.T, label any) (Built, error) {
		t.Helper()
		g := kai(t)
		g.Spec.Overrides = []v1alpha1.Override{{When: &v1alpha1.When{}, JobTemplate: v1alpha1.Manifest{"spec": map[string]any{
			"workloadMetadata": map[string]any{"labels": map[string]any{"kai.scheduler/queue": label}}}}}}
		return Build(g)
	}
	t.Run("on_the_TrainJob_another_queue_is_an_error_and_none_is_put_back", func(t *testing.T) {
		_, err := jobTemplate(t, "other")
		require.EqualError(t, err, `spec.gangScheduler: its queue is "high-priority", and an override sets the label kai.scheduler/queue of the TrainJob to "other"; drop one of the two`)
		built, err := jobTemplate(t, nil)
		require.NoError(t, err)
		require.Equal(t, "high-priority", built.Objects[len(built.Objects)-1].GetLabels()["kai.scheduler/queue"])
	})
}
