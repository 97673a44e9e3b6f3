package v1alpha1

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoad_leaves_labels_to_their_controllers(t *testing.T) {
	const head = "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata: {name: x}\nspec:\n  image: i\n  framework: {exec: {command: [a]}}\n  numNodes: 2\n"
	for _, key := range []string{"trainer.kubeflow.org/trainjob-ancestor-step", "jobset.sigs.k8s.io/jobset-name", "batch.kubernetes.io/job-name", "job-name", "controller-uid", "seatrial.dev/run"} {
		t.Run(key, func(t *testing.T) {
			_, err := Load("run.yaml", []byte(head+"  gangScheduler: {schedulerName: s, queueLabelKey: "+key+"}\n"))
			require.EqualError(t, err, `run.yaml:8: spec.gangScheduler.queueLabelKey: is "`+key+`", which is reserved; one such as kai.scheduler/queue would do`)
			_, err = Load("run.yaml", []byte(head+"  workloadMetadata: {labels: {"+key+": a}}\n"))
			require.EqualError(t, err, "run.yaml:8: "+Field("spec.workloadMetadata.labels", key)+": is reserved; another key would do")
		})
	}
	for _, key := range []string{"kueue.x-k8s.io/queue-name", "kai.scheduler/queue", "runai/queue", "scheduling.x-k8s.io/pod-group"} {
		t.Run(key+"_is_a_queues", func(t *testing.T) {
			_, err := Load("run.yaml", []byte(head+"  gangScheduler: {schedulerName: s, queueLabelKey: "+key+"}\n"))
			require.NoError(t, err)
		})
	}
}
