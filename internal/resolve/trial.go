package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Try lays a fragment over the objects of a made-up run of each framework that it may match, and says what is wrong with it
// where only the objects can tell. effect is a Markdown table of what it sets.
func Try(n v1alpha1.NamedFragment) (effect string, err error) {
	w := n.Fragment.When
	for _, framework := range v1alpha1.Frameworks {
		if !w.Framework.Matches(framework) {
			continue
		}
		in := sample(n, framework)
		if _, err := Build(in); err != nil {
			return "", err
		}
	}
	return Effect(n), nil
}

// sample is a group of two nodes that has all that the fragment asks for.
func sample(n v1alpha1.NamedFragment, framework string) Group {
	w := n.Fragment.When
	facts := Facts{Platform: firstMatch(w.Platform, v1alpha1.Platforms), Architecture: firstMatch(w.GPUArchitecture, v1alpha1.GPUArchitectures), GPUs: 8, NICs: 8, NICResource: resourceNIC}
	facts.Networks, _ = gkeNetworks(nil)
	if w.Resources != nil {
		facts.Resources = map[string]int64{}
		for _, r := range w.Resources.Present {
			facts.Resources[r] = 8
		}
	}
	spec := &v1alpha1.WorkloadRunSpec{Image: "image", NumNodes: 2}
	switch framework {
	case v1alpha1.FrameworkMPI:
		spec.Framework.MPI = &v1alpha1.MPI{MPIRunPath: "mpirun", Binary: "program"}
	case v1alpha1.FrameworkTorch:
		spec.Framework.Torch = &v1alpha1.Torch{Script: "script.py"}
	default:
		spec.Framework.Exec = &v1alpha1.Exec{Command: []string{"program"}}
	}
	return Group{
		Names:     Names{Workflow: "run", Run: "run", Group: "group-0", Attempt: 1},
		Namespace: "default", Spec: spec, Facts: facts, Fragments: []v1alpha1.NamedFragment{n},
		Nodes: []Node{{Name: "node-0", Hostname: "node-0"}, {Name: "node-1", Hostname: "node-1"}},
	}
}

func firstMatch(c *v1alpha1.Choice, known []string) string {
	for _, k := range known {
		if c.Matches(k) {
			return k
		}
	}
	if c != nil {
		return c.Equals
	}
	return ""
}

// Effect describes what a fragment sets, as a Markdown table.
func Effect(n v1alpha1.NamedFragment) string {
	f := n.Fragment
	var b strings.Builder
	row := func(what, value string) {
		if value != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", what, strings.ReplaceAll(value, "|", "\\|"))
		}
	}
	b.WriteString("| | |\n|---|---|\n")
	row("applies to", conditions(f.When))
	row("replaces", code(f.Replaces...))
	var env []string
	for _, e := range f.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	row("environment", code(env...))
	row("mpirun", code(grouped(f.MPIArgs)...))
	row("before the command", code(f.PreCommand...))
	row("topology keys", code(f.TopologyKeys...))
	row("resources not asked for", code(f.WithoutResources...))
	row("TrainingRuntime", code(leaves(f.RuntimePatch)...))
	var objects []string
	for _, d := range f.Dependencies {
		metadata, _ := d["metadata"].(map[string]any)
		objects = append(objects, fmt.Sprintf("%v %v", d["kind"], metadata["name"]))
	}
	row("objects for each group", code(objects...))
	row("source", f.Source)
	return b.String()
}

func conditions(w v1alpha1.FragmentWhen) string {
	var parts []string
	choice := func(what string, c *v1alpha1.Choice) {
		if c == nil {
			return
		}
		if c.Equals != "" {
			parts = append(parts, what+" "+code(c.Equals))
		}
		if len(c.In) > 0 {
			parts = append(parts, what+" "+code(c.In...))
		}
		if len(c.NotIn) > 0 {
			parts = append(parts, what+" not "+code(c.NotIn...))
		}
	}
	choice("platform", w.Platform)
	choice("architecture", w.GPUArchitecture)
	choice("framework", w.Framework)
	if r := w.Resources; r != nil {
		if len(r.Present) > 0 {
			parts = append(parts, "nodes that advertise "+code(r.Present...))
		}
		if len(r.Absent) > 0 {
			parts = append(parts, "nodes that do not advertise "+code(r.Absent...))
		}
	}
	if w.Expression != "" {
		parts = append(parts, code(w.Expression))
	}
	if parts == nil {
		return "every run"
	}
	return strings.Join(parts, "; ")
}

func code(list ...string) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, "`"+s+"`")
	}
	return strings.Join(parts, ", ")
}

// grouped joins options with their values.
func grouped(args []string) []string {
	var out []string
	for i := 0; i < len(args); {
		_, n := parameter(args[i:])
		n = max(n, 1)
		out = append(out, strings.Join(args[i:i+n], " "))
		i += n
	}
	return out
}

// leaves names what a patch sets: the pod's job, the container, the field and the value, one each.
func leaves(patch any) []string {
	var out []string
	var walk func(value any, path []string)
	walk = func(value any, path []string) {
		switch v := value.(type) {
		case v1alpha1.Manifest:
			walk(map[string]any(v), path)
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				if k != "name" || len(v) == 1 {
					keys = append(keys, k)
				}
			}
			slices.Sort(keys)
			for _, k := range keys {
				walk(v[k], append(slices.Clone(path), k))
			}
		case []any:
			for _, e := range v {
				name := nameOf(e)
				if m, is := asMap(e); is && name != "" && len(m) > 1 {
					walk(e, append(slices.Clone(path), name))
				} else {
					walk(e, path)
				}
			}
		default:
			out = append(out, strings.ReplaceAll(strings.Join(path, "."), "spec.template.spec.replicatedJobs.", "")+": "+strings.Join(strings.Fields(fmt.Sprint(v)), " "))
		}
	}
	walk(patch, nil)
	for i := range out {
		out[i] = strings.NewReplacer("template.spec.template.spec.", "", "template.spec.template.metadata.", "").Replace(out[i])
	}
	return out
}
