package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
)

// runFlags are the flags that change what is submitted; "" is not given.
type runFlags struct {
	name, image, cleanup, retryFailedGroups, probeWarnAfter string
	maxNodes, maxDuration, busyNodes                        string
	testScale, topologyKey, topologyDomain                  string
	platform, gpuArchitecture                               string
	registry                                                cluster.Registry
	isolate, artifacts, keepReport                          bool
	// nodes is nil when --node-list is not given.
	nodes []string
	// others are what is wrong with the command's further flags.
	others v1alpha1.Problems
}

// flagOf maps parameters to the flags that give them, for messages.
var flagOf = map[string]string{
	"name": "--name", "image": "--image", "cleanup": "--cleanup", "retryFailedGroups": "--retry-failed-groups", "probeWarnAfter": "--probe-warn-after",
	"maxNodes": "--max-nodes", "maxDuration": "--max-duration", "busyNodes": "--busy-nodes",
	"nodeNames": "--node-list", "numNodes": "--node-list",
	"testScale": "--test-scale", "topologyKey": "--topology-key", "matchExpressions": "--topology-domain",
	"platform": "--platform", "gpuArchitecture": "--gpu-arch",
}

// parameters are those that flags give as they are.
func (f runFlags) parameters() map[string]string {
	all := map[string]string{
		"image": f.image, "cleanup": f.cleanup, "retryFailedGroups": f.retryFailedGroups, "probeWarnAfter": f.probeWarnAfter,
		"maxNodes": f.maxNodes, "maxDuration": f.maxDuration, "busyNodes": f.busyNodes,
		"testScale": f.testScale, "topologyKey": f.topologyKey, "platform": f.platform, "gpuArchitecture": f.gpuArchitecture,
	}
	for parameter, on := range map[string]bool{v1alpha1.IsolateParameter: f.isolate, "artifacts": f.artifacts, "keepReport": f.keepReport} {
		if on {
			all[parameter] = "true"
		}
	}
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// problems are what is wrong with the flags, whatever the file says.
func (f runFlags) problems() v1alpha1.Problems {
	values := f.parameters()
	values["name"] = f.name
	_, _, err := v1alpha1.ParseParameters(v1alpha1.FrameworkExec, values) // whose own parameters no flag gives
	var found, wrong v1alpha1.Problems
	_ = errors.As(err, &found)
	for _, p := range found {
		if flag, is := flagOf[p.Path]; is && values[p.Path] != "" { // what is missing is the file's to give
			if strings.Contains(values[p.Path], "{{") {
				p.Text = "contains {{, which belongs to Argo; in the file it would do"
			}
			p.Path = flag
			wrong = append(wrong, p)
		}
	}
	for i, n := range f.nodes {
		switch {
		case n == "":
			wrong = append(wrong, v1alpha1.Problem{Path: "--node-list", Text: "holds an empty name; names with commas between them would do"})
		case slices.Contains(f.nodes[:i], n):
			wrong = append(wrong, v1alpha1.Problem{Path: "--node-list", Text: fmt.Sprintf("names %s twice; once would do", n)})
		}
	}
	return append(append(wrong, f.others...), registryProblems(f.registry)...)
}

// open reads a file and prepares it: where run, render and explain begin. The text is the file's.
func (a *app) open(ctx context.Context, file string, flags cluster.Flags, f runFlags) (*submission, []byte, Code, error) {
	text, err := a.read(ctx, file)
	if err != nil {
		return nil, nil, unreadable(err), err
	}
	s, err := prepare(nameOf(file), text, flags.Namespace, f)
	return s, text, Misused, err
}

// prepare makes a submission of a file and flags. namespace is that of -n; "" for none. The error is v1alpha1.Problems: all that
// is wrong with either.
func prepare(file string, text []byte, namespace string, flags runFlags) (*submission, error) {
	// 1. The file and the flags, each by itself.
	var wrong v1alpha1.Problems
	run, err := v1alpha1.Load(file, text)
	if err != nil && !errors.As(err, &wrong) {
		return nil, err
	}
	if err == nil && namespace != "" && run.Metadata.Namespace != "" && namespace != run.Metadata.Namespace {
		wrong = append(wrong, v1alpha1.Problem{File: file, Line: v1alpha1.Lines(text)("metadata.namespace"), Path: "metadata.namespace",
			Text: fmt.Sprintf("is %s, and -n is %s; the same in both, or one of them, would do", run.Metadata.Namespace, namespace)})
	}
	if wrong = append(wrong, flags.problems()...); len(wrong) > 0 {
		return nil, wrong
	}
	s := &submission{
		name: run.Metadata.Name, namespace: run.Metadata.Namespace, framework: run.Spec.Framework.Name(), run: run,
		labels: run.Metadata.Labels, annotations: run.Metadata.Annotations,
	}
	if flags.name != "" {
		s.name = flags.name
	}
	if namespace != "" {
		s.namespace = namespace
	}
	// 2. Its spec as a parameter; the name by which overrides know the run stays the file's.
	s.parameters = flags.parameters()
	s.parameters["name"] = run.Metadata.Name
	if err := s.withSpec(&run.Spec); err != nil {
		return nil, v1alpha1.Problems{{File: file, Text: err.Error()}}
	}
	s.target, s.domain = run.Spec.Target, flags.topologyDomain
	if err := s.withPullSecret(flags.registry, &run.Spec); err != nil {
		return nil, err
	}
	if s.topologyKey = flags.topologyKey; s.topologyKey == "" {
		s.topologyKey = run.Spec.TopologyKey()
	}
	if flags.nodes != nil {
		s.only(flags.nodes, run.Spec.NumNodes)
	}
	// 3. All of it, as the plugin will read it.
	if _, _, err := v1alpha1.ParseParametersWith(s.framework, s.parameters, s.specFrom()); err != nil {
		return nil, inFlags(file, err)
	}
	return s, nil
}

// inFlags names the flag in the place of the parameter.
func inFlags(file string, err error) error {
	problems, is := err.(v1alpha1.Problems) //nolint:errorlint // ParseParameters returns nothing else
	if !is {
		return err
	}
	for i := range problems {
		if flag, is := flagOf[problems[i].Path]; is {
			problems[i].Path = flag
		} else {
			problems[i].File = file
		}
	}
	return problems
}
