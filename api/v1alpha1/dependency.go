package v1alpha1

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// dependencyKinds are the objects that overrides and fragments may merge into or add. The plugin's Role has a rule for each.
var dependencyKinds = map[string]string{
	"TrainingRuntime":       "trainer.kubeflow.org/v1alpha1",
	"ConfigMap":             "v1",
	"PersistentVolumeClaim": "v1",
	"Service":               "v1",
	"ComputeDomain":         "resource.nvidia.com/v1beta1",
	"ResourceClaimTemplate": "resource.k8s.io/v1",
}

// clusterScoped are kinds that belong to no namespace. Kinds whose name begins with Cluster do not either.
var clusterScoped = []string{
	"CustomResourceDefinition", "DeviceClass", "IngressClass", "MutatingWebhookConfiguration", "Namespace", "Node",
	"PersistentVolume", "PriorityClass", "RuntimeClass", "StorageClass", "ValidatingWebhookConfiguration",
}

// dependency checks what can be known of one object that is to be merged or added.
func (v *validator) dependency(path string, d Manifest) {
	kind, _ := d["kind"].(string)
	apiVersion, _ := d["apiVersion"].(string)
	metadata, _ := d["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	v.required(path+".metadata.name", name, "the name of the generated object, such as <run>-runtime,")
	if name != "" && !strings.Contains(name, "[[") && len(validation.IsDNS1123Subdomain(name)) > 0 {
		v.add(path+".metadata.name", "is %q, which is no name of an object", shorten(name))
	}
	want, known := dependencyKinds[kind]
	switch {
	case kind == "":
		v.add(path+".kind", "is missing; one of %s would do", strings.Join(sortedKeys(dependencyKinds), ", "))
	case strings.HasPrefix(kind, "Cluster") || slices.Contains(clusterScoped, kind):
		v.add(path+".kind", "is %s, which belongs to the whole cluster; a run creates objects in its own namespace only", kind)
	case !known:
		group, _, _ := strings.Cut(apiVersion, "/")
		if group == apiVersion {
			group = ""
		}
		v.add(path+".kind", "is %q; one of %s would do. The plugin's Role has no rule for another: it would be {apiGroups: [%q], resources: [%ss], verbs: [get, list, create, delete]}",
			shorten(kind), strings.Join(sortedKeys(dependencyKinds), ", "), shorten(group), strings.ToLower(shorten(kind)))
	case apiVersion != want:
		v.add(path+".apiVersion", "is %q; %s would do for a %s", apiVersion, want, kind)
	}
}

// runtimeNames checks that no override names a TrainingRuntime that will not be generated.
func (v *validator) runtimeNames(run *WorkloadRun) {
	for i, o := range run.Spec.Overrides {
		for j, d := range o.Dependencies {
			metadata, _ := d["metadata"].(map[string]any)
			name, _ := metadata["name"].(string)
			if want := run.Metadata.Name + "-runtime"; d["kind"] == "TrainingRuntime" && name != "" && name != want {
				v.add(fmt.Sprintf("spec.overrides[%d].dependencies[%d].metadata.name", i, j),
					"is %q, which names no generated TrainingRuntime; %s would do", shorten(name), want)
			}
		}
	}
}
