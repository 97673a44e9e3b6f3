package v1alpha1

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ParseParameters makes a spec and options of the parameters of a framework's template, fills in the defaults of the options
// and validates both. The error is Problems, each under its parameter's name or its path in spec.
// The framework member of the spec always exists afterwards, so that a missing field is named under it.
func ParseParameters(framework string, values map[string]string) (*WorkloadRunSpec, Options, error) {
	return ParseParametersWith(framework, values, unread)
}

// ParseParametersWith is ParseParameters for one who has read what specFrom names.
func ParseParametersWith(framework string, values map[string]string, from SpecText) (*WorkloadRunSpec, Options, error) {
	g := &given{spec: &WorkloadRunSpec{}, from: from, options: Options{Cleanup: CleanupAlways, BusyNodes: BusyWarn, ProbeWarnAfter: Duration(DefaultProbeWarnAfter)}}
	var problems Problems
	known, failed := map[string]bool{}, map[string]bool{}
	for _, p := range Parameters(framework) { // spec and specFrom are before the fields, which win over them
		known[p.Name] = true
		if v := values[p.Name]; v != "" {
			wrong := p.apply(g, v)
			problems, failed[p.Name] = append(problems, wrong...), len(wrong) > 0
		}
		if p.Name == SpecFromParameter {
			failed[SpecParameter] = failed[SpecParameter] || failed[SpecFromParameter] && !g.hasSpec
			problems = append(problems, g.ensureFramework(framework)...)
		}
	}
	for _, name := range sortedKeys(values) {
		if !known[name] {
			problems = append(problems, unknownParameter(framework, name))
		}
	}
	whole := g.hasSpec || values[SpecFromParameter] != ""
	for _, p := range ValidateSpec(g.spec) {
		// What a parameter failed to set is missing now, which is no news; without the spec nearly all is.
		if _, own := parameterPath(p.Path, func(name string) bool { return failed[name] }); own {
			continue
		}
		p.Path, _ = parameterPath(p.Path, func(name string) bool { return known[name] && (values[name] != "" || !whole) })
		problems = append(problems, p)
	}
	problems = append(problems, g.options.Against(g.spec)...)
	if err := problems.err(); err != nil {
		return nil, Options{}, err
	}
	return g.spec, g.options, nil
}

// parameterPath cuts a path in spec to where the last parameter of those begins, if there is one: spec.framework.mpi.args[0] is args[0] of a form. A name within the spec is not the
// parameter name, which names the run.
func parameterPath(path string, of func(name string) bool) (string, bool) {
	head, _, _ := strings.Cut(path, "[")
	steps := strings.Split(head, ".")
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i] != "name" && of(steps[i]) {
			return path[len(strings.Join(append(steps[:i:i], ""), ".")):], true
		}
	}
	return path, false
}

// apply sets one parameter that was given.
func (p Parameter) apply(g *given, v string) Problems {
	var err error
	switch {
	case strings.Contains(v, "{{"):
		err = fmt.Errorf("contains {{, which belongs to Argo; put it into the parameter %s as %s… (`seatrial workloadrun run` does that)", SpecParameter, EncodedSpec)
	case p.Enum != nil && !slices.Contains(p.Enum, v):
		err = fmt.Errorf("is %q; one of %s would do", v, strings.Join(p.Enum, ", "))
	default:
		err = p.set(g, v)
	}
	var many Problems
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &many):
		return Problems{{Path: p.Name, Text: err.Error()}}
	}
	for i := range many {
		if many[i].File == "" { // a value, whose paths begin at the parameter
			many[i].Path, many[i].Line = within(p.Name, many[i].Path), 0
		}
	}
	return many
}

// within puts a path under a parameter: env and [0].name make env[0].name.
func within(name, path string) string {
	if path == "" || path[0] == '[' {
		return name + path
	}
	return name + "." + path
}

// ensureFramework makes the framework's member, unless the spec brought another's.
func (g *given) ensureFramework(framework string) Problems {
	if own := g.spec.Framework.Name(); own != "" && own != framework {
		return Problems{{Path: "spec.framework", Text: fmt.Sprintf("is %s; the template workloadrun-%s would do", own, own)}}
	}
	switch framework {
	case FrameworkTorch:
		torch(g.spec)
	case FrameworkMPI:
		mpi(g.spec)
	case FrameworkExec:
		exec(g.spec)
	}
	return nil
}

func unknownParameter(framework, name string) Problem {
	var names []string
	for _, p := range Parameters(framework) {
		names = append(names, p.Name)
	}
	text := "is not a parameter of workloadrun-" + framework
	if near := Closest(name, names); near != "" {
		text += "; did you mean " + near + "?"
	}
	return Problem{Path: Field("", name), Text: text}
}
