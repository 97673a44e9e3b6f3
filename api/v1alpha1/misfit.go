package v1alpha1

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"gopkg.in/yaml.v3"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// JobTemplate is the view of a TrainJob that an override's jobTemplate and jobTemplatePatch have: the part of the Cluster
// Readiness Engine's Job that Seatrial has as well.
type JobTemplate struct {
	Spec JobTemplateSpec `json:"spec"`
}

// JobTemplateSpec is the spec of the view.
type JobTemplateSpec struct {
	Workload         JobTemplateWorkload `json:"workload"`
	WorkloadMetadata WorkloadMetadata    `json:"workloadMetadata"`
}

// JobTemplateWorkload is a TrainJob's spec, the only workload there is.
type JobTemplateWorkload struct {
	TrainJob trainer.TrainJobSpec `json:"trainJob"`
}

// dependencyTypes are the types of dependencyKinds. A kind that is not here is another project's, and only the API server can
// check it.
var dependencyTypes = map[string]reflect.Type{
	"TrainingRuntime":       reflect.TypeFor[trainer.TrainingRuntime](),
	"ConfigMap":             reflect.TypeFor[corev1.ConfigMap](),
	"PersistentVolumeClaim": reflect.TypeFor[corev1.PersistentVolumeClaim](),
	"Service":               reflect.TypeFor[corev1.Service](),
	"ResourceClaimTemplate": reflect.TypeFor[resourcev1.ResourceClaimTemplate](),
}

// DependencyObject returns a new object of a kind that a run may merge or add; nil for one whose type is another project's.
// known is false for a kind that a run may not have.
func DependencyObject(kind string) (object any, known bool) {
	if t, has := dependencyTypes[kind]; has {
		object = reflect.New(t).Interface()
	}
	_, known = dependencyKinds[kind]
	return object, known
}

// DependencyMisfits returns what in an object that is to be merged or added is no field of its kind, or has the wrong type; all
// of it, with paths below path.
func DependencyMisfits(path string, d Manifest) Problems {
	kind, _ := d["kind"].(string)
	t, known := dependencyTypes[kind]
	if !known {
		return nil
	}
	d = maps.Clone(d)
	delete(d, "when") // the condition is Seatrial's own
	return misfits(path, map[string]any(d), t)
}

// JobTemplateMisfits is DependencyMisfits for a jobTemplate.
func JobTemplateMisfits(path string, m Manifest) Problems {
	return misfits(path, withoutDirectives(map[string]any(m)), reflect.TypeFor[JobTemplate]())
}

// withoutDirectives drops the keys by which a strategic merge is told how to merge, such as $patch.
func withoutDirectives(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, child := range v {
			if !strings.HasPrefix(key, "$") {
				kept[key] = withoutDirectives(child)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = withoutDirectives(v[i])
		}
		return kept
	}
	return value
}

func misfits(path string, value any, t reflect.Type) Problems {
	raw, err := json.Marshal(value)
	if err != nil {
		return Problems{{Path: path, Text: "cannot be read: " + err.Error()}}
	}
	var document yaml.Node
	if err := yaml.Unmarshal(raw, &document); err != nil { // JSON is YAML
		return Problems{{Path: path, Text: "cannot be read: " + err.Error()}}
	}
	if len(document.Content) == 0 {
		return nil
	}
	s := &shape{}
	s.check(document.Content[0], 0, t, path)
	for i := range s.problems {
		s.problems[i].Line = 0 // one of a text that nobody wrote
	}
	return s.problems
}
