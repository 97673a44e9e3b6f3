package resolve

import (
	"fmt"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// collisions names the volumes, mounts and init containers of the run that a fragment's patch of the TrainingRuntime has too.
// Laid over each other they would make one that neither wrote, or two mounts at one path, which no pod may have.
func collisions(spec *v1alpha1.WorkloadRunSpec, patch map[string]any, fragment string) v1alpha1.Problems {
	var problems v1alpha1.Problems
	add := func(at, value, advice string) {
		problems = append(problems, v1alpha1.Problem{Path: at, Text: fmt.Sprintf("is %q, taken by the platform's fragment %s; %s", value, fragment, advice)})
	}
	const otherName = "another name would do"
	pod := workerPatch(patch)
	volumes, inits := elements(pod, "volumes"), elements(pod, "initContainers")
	for i, v := range spec.Volumes {
		if hasNamed(volumes, v.Name) {
			add(fmt.Sprintf("spec.volumes[%d].name", i), v.Name, otherName)
		}
	}
	var mounts []any
	for _, c := range elements(pod, "containers") {
		if nameOf(c) == containerNode {
			mounts = elements(c, "volumeMounts")
		}
	}
	for i, m := range spec.VolumeMounts {
		at := fmt.Sprintf("spec.volumeMounts[%d]", i)
		named := func(v corev1.Volume) bool { return v.Name == m.Name }
		switch {
		case slices.ContainsFunc(mounts, func(f any) bool { return mountPath(f) == path.Clean(m.MountPath) }):
			add(at+".mountPath", m.MountPath, "another path would do")
		case hasNamed(mounts, m.Name) && !(hasNamed(volumes, m.Name) && slices.ContainsFunc(spec.Volumes, named)): // else its volume says it
			add(at+".name", m.Name, "a volume of the run's own would do")
		}
	}
	for i, c := range spec.InitContainers {
		if hasNamed(inits, c.Name) {
			add(fmt.Sprintf("spec.initContainers[%d].name", i), c.Name, otherName)
		}
	}
	return problems
}

// workerPatch is the part of a patch that changes the pods of the nodes, which alone have what a run brings.
func workerPatch(patch map[string]any) any {
	jobs, _, _ := unstructured.NestedSlice(patch, "spec", "template", "spec", "replicatedJobs") // what is no list is refused when it is merged
	for _, job := range jobs {
		if m, is := asMap(job); is && nameOf(job) == replicatedNode {
			pod, _, _ := unstructured.NestedMap(m, "template", "spec", "template", "spec")
			return pod
		}
	}
	return nil
}

func elements(of any, field string) []any {
	m, _ := asMap(of)
	list, _ := m[field].([]any)
	return list
}

func hasNamed(list []any, name string) bool {
	return slices.ContainsFunc(list, func(e any) bool { return nameOf(e) == name })
}

func mountPath(mount any) string {
	m, _ := asMap(mount)
	at, _ := m["mountPath"].(string)
	if at == "" {
		return ""
	}
	return path.Clean(at)
}
