package resolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	sigsjson "sigs.k8s.io/json"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

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
	view := v1alpha1.JobTemplate{}
	if misfits := v1alpha1.JobTemplateMisfits("", after); len(misfits) > 0 {
		return false, fmt.Errorf("does not make a job template: %s", strings.ReplaceAll(misfits.Error(), "\n", "; "))
	}
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
	merged, err := strategicpatch.StrategicMergeMapPatch(view, runtime.DeepCopyJSON(over), v1alpha1.JobTemplate{})
	if err != nil {
		return nil, fmt.Errorf("merging: %w", err)
	}
	return normal(merged)
}

// patch applies the operations of RFC 6902 that stand at path.
func patch(view map[string]any, operations []v1alpha1.Manifest, path string) (map[string]any, error) {
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
			return nil, failedOperation(fmt.Sprintf("%s[%d]", path, i), operations[i], err)
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

// failedOperation says why one operation of RFC 6902 cannot be applied.
func failedOperation(path string, o v1alpha1.Manifest, err error) v1alpha1.Problems {
	const paths = "the job template begins with /spec/workload/trainJob and /spec/workloadMetadata/labels"
	switch {
	case errors.Is(err, jsonpatch.ErrTestFailed):
		return wrong(path+".value", "is not what stands at %v; drop the test, or give the value that is there", o["path"])
	case errors.Is(err, jsonpatch.ErrMissing) && o["from"] != nil:
		return wrong(path, "moves or copies from %v to %v, and one of the two is not there; %s", o["from"], o["path"], paths)
	case errors.Is(err, jsonpatch.ErrMissing):
		return wrong(path+".path", "is %v, which is not there; %s", o["path"], paths)
	case errors.Is(err, jsonpatch.ErrInvalidIndex):
		return wrong(path+".path", "is %v, beyond the end of the list; an index that is there, or - for the end, would do", o["path"])
	}
	return wrong(path, "cannot be applied: %v", err)
}
