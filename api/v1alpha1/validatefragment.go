package v1alpha1

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// fragment checks what can be known of a fragment without a run.
func (v *validator) fragment(name string, f *Fragment) {
	if errs := validation.IsDNS1123Label(name); len(errs) > 0 {
		v.add("", "%q is no name of a fragment; lower-case letters, digits and dashes would do", shorten(name))
	}
	v.required("description", f.Description, "a sentence that says what the fragment is for")
	v.fragmentWhen(&f.When)
	if f.Order < 0 {
		v.add("order", "is %d; 0 or more would do", f.Order)
	}
	for i, other := range f.Replaces {
		if other == name || other == "" {
			v.add(element("replaces", i), "is %q; the name of another fragment would do", other)
		}
	}
	seen := map[string]bool{}
	for i, e := range f.Env {
		if errs := validation.IsEnvVarName(e.Name); len(errs) > 0 {
			v.add(element("env", i)+".name", "%q is not the name of a variable; letters, digits, _, - and . would do, no digit first", shorten(e.Name))
		}
		if seen[e.Name] {
			v.add(element("env", i)+".name", "%s is there twice", shorten(e.Name))
		}
		seen[e.Name] = true
	}
	for i, a := range f.MPIArgs {
		if a == "" {
			v.add(element("mpiArgs", i), "is empty")
		}
	}
	for i, line := range f.PreCommand {
		if strings.TrimSpace(line) == "" || strings.ContainsAny(line, "\n\r") {
			v.add(element("preCommand", i), "is no line of a script")
		}
	}
	for i, key := range f.TopologyKeys {
		if errs := validation.IsQualifiedName(key); len(errs) > 0 {
			v.add(element("topologyKeys", i), "%q is not a label key; one such as topology.kubernetes.io/zone would do", shorten(key))
		}
	}
	v.resourceNames("withoutResources", f.WithoutResources)
	v.noNull("runtimePatch", map[string]any(f.RuntimePatch))
	for _, key := range sortedKeys(f.RuntimePatch) {
		if key != "spec" && key != "metadata" {
			v.add(Field("runtimePatch", key), "is no part of a TrainingRuntime; spec would do")
		}
	}
	for i, d := range f.Dependencies {
		path := element("dependencies", i)
		v.dependency(path, d)
		v.noNull(path, map[string]any(d))
		if d["kind"] == "TrainingRuntime" {
			v.add(path+".kind", "is TrainingRuntime; runtimePatch changes the run's own")
		}
	}
}

// noNull refuses a null anywhere in a value: kubectl drops it when it applies the template.
func (v *validator) noNull(path string, value any) {
	switch value := value.(type) {
	case nil:
		v.add(path, "is null, which would be lost on its way into the cluster; withoutResources removes a resource")
	case map[string]any:
		for _, key := range sortedKeys(value) {
			v.noNull(Field(path, key), value[key])
		}
	case []any:
		for i, e := range value {
			v.noNull(element(path, i), e)
		}
	}
}

func (v *validator) fragmentWhen(w *FragmentWhen) {
	v.choice("when.platform", w.Platform, Platforms)
	v.choice("when.gpuArchitecture", w.GPUArchitecture, nil)
	v.choice("when.framework", w.Framework, Frameworks)
	if r := w.Resources; r != nil {
		v.resourceNames("when.resources.present", r.Present)
		v.resourceNames("when.resources.absent", r.Absent)
		for i, name := range r.Absent {
			if slices.Contains(r.Present, name) {
				v.add(element("when.resources.absent", i), "%s is in present as well; nothing matches both", shorten(name))
			}
		}
	}
	if w.Expression != "" {
		if _, err := ParseFragmentCondition(w.Expression); err != nil {
			v.add("when.expression", "%v", err)
		}
	}
}

func (v *validator) resourceNames(path string, names []string) {
	for i, name := range names {
		if len(validation.IsQualifiedName(name)) > 0 {
			v.add(element(path, i), "%q is no resource of a node, such as vpc.amazonaws.com/efa", shorten(name))
		}
	}
}
