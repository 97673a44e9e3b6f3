package resolve

import (
	"encoding/json"
	"fmt"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	sigsjson "sigs.k8s.io/json"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// jobTemplate is the view of a TrainJob that an override's jobTemplate and jobTemplatePatch have: the part of the Cluster
// Readiness Engine's Job that Seatrial has as well.
type jobTemplate struct {
	Spec struct {
		Workload struct {
			TrainJob trainer.TrainJobSpec `json:"trainJob"`
		} `json:"workload"`
		WorkloadMetadata struct {
			Labels map[string]string `json:"labels,omitempty"`
		} `json:"workloadMetadata"`
	} `json:"spec"`
}

// changeJobTemplate lets change turn the view of the TrainJob among objects into another one, and takes over what it says. It
// reports whether anything is different. What holds the group together, the runtime and the size, may not change.
func changeJobTemplate(objects []*unstructured.Unstructured, in Group, change func(map[string]any) (map[string]any, error)) (bool, error) {
	job := objects[len(objects)-1] // the TrainJob refers to all others, so it is the last
	labels := map[string]any{}
	for k, v := range job.GetLabels() {
		labels[k] = v
	}
	spec, _ := job.Object["spec"].(map[string]any)
	before := map[string]any{"spec": map[string]any{
		"workload": map[string]any{"trainJob": runtime.DeepCopyJSON(spec)}, "workloadMetadata": map[string]any{"labels": labels},
	}}
	after, err := change(runtime.DeepCopyJSON(before))
	if err != nil {
		return false, err
	}
	view := jobTemplate{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(after, &view, true); err != nil {
		return false, fmt.Errorf("does not make a job template: %w", err)
	}
	if at := reserved(after); at != "" {
		return false, fmt.Errorf("sets %s, which is Seatrial's own", at)
	}
	newSpec, _, err := unstructured.NestedMap(after, "spec", "workload", "trainJob")
	if err != nil {
		return false, fmt.Errorf("does not make a job template: %w", err)
	}
	if !equality.Semantic.DeepEqual(spec["runtimeRef"], newSpec["runtimeRef"]) {
		return false, fmt.Errorf("changes spec.workload.trainJob.runtimeRef; the run's own runtime is changed by a dependency named %s%s", in.Names.Run, suffixRuntime)
	}
	if t := view.Spec.Workload.TrainJob.Trainer; t == nil || t.NumNodes == nil || *t.NumNodes != in.Workers() {
		return false, fmt.Errorf("changes spec.workload.trainJob.trainer.numNodes; the group has %d nodes, and spec.numNodes sets its size", in.Workers())
	}
	if equality.Semantic.DeepEqual(before, after) {
		return false, nil
	}
	job.Object["spec"] = newSpec
	job.SetLabels(view.Spec.WorkloadMetadata.Labels)
	return true, nil
}

// mergeStrategically is Kubernetes' strategic merge against the typed template: lists without a merge key, such as the
// trainer's env and args, are replaced.
func mergeStrategically(view map[string]any, over v1alpha1.Manifest) (map[string]any, error) {
	merged, err := strategicpatch.StrategicMergeMapPatch(view, runtime.DeepCopyJSON(over), jobTemplate{})
	if err != nil {
		return nil, fmt.Errorf("merging: %w", err)
	}
	return normal(merged)
}

// patch applies operations of RFC 6902.
func patch(view map[string]any, operations []v1alpha1.Manifest) (map[string]any, error) {
	raw, err := json.Marshal(operations)
	if err != nil {
		return nil, fmt.Errorf("encoding the operations: %w", err)
	}
	decoded, err := jsonpatch.DecodePatch(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the operations: %w", err)
	}
	document, err := json.Marshal(view)
	if err != nil {
		return nil, fmt.Errorf("encoding the job template: %w", err)
	}
	// One at a time, so that an error names the operation.
	for i := range decoded {
		if document, err = decoded[i : i+1].Apply(document); err != nil {
			return nil, fmt.Errorf("operation %d: %w", i, err)
		}
	}
	var after map[string]any
	if err := sigsjson.UnmarshalCaseSensitivePreserveInts(document, &after); err != nil {
		return nil, fmt.Errorf("reading what the operations made: %w", err)
	}
	return after, nil
}

// normal gives every value the type that JSON with whole numbers has for it.
func normal(value map[string]any) (map[string]any, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encoding what was merged: %w", err)
	}
	var again map[string]any
	if err := sigsjson.UnmarshalCaseSensitivePreserveInts(raw, &again); err != nil {
		return nil, fmt.Errorf("reading what was merged: %w", err)
	}
	return again, nil
}
