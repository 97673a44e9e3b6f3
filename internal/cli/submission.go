package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// submission is a run that is ready to be submitted.
type submission struct {
	// name is the workflow's. namespace is "" when neither flag nor file chooses one.
	name, namespace string
	framework       string
	// parameters holds those that are given.
	parameters          map[string]string
	labels, annotations map[string]string
	// pullSecret is the name of the Secret to be made for registry; "" for none.
	pullSecret string
	registry   cluster.Registry
	// target and domain restrict the run to one topology domain, which only the cluster can count; "" for no domain.
	target *v1alpha1.Target
	domain string
	// topologyKey is the label of the domain; "" for the platform's.
	topologyKey string
}

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
}

// flagOf maps parameters to the flags that give them, for messages.
var flagOf = map[string]string{
	"image": "--image", "cleanup": "--cleanup", "retryFailedGroups": "--retry-failed-groups", "probeWarnAfter": "--probe-warn-after",
	"maxNodes": "--max-nodes", "maxDuration": "--max-duration", "busyNodes": "--busy-nodes",
	"nodeNames": "--node-list", "numNodes": "--node-list",
	"testScale": "--test-scale", "topologyKey": "--topology-key", "matchExpressions": "--topology-domain",
	"platform": "--platform", "gpuArchitecture": "--gpu-arch",
}

// prepare makes a submission of a file and flags. The error is v1alpha1.Problems: all that is wrong with either.
func prepare(file string, text []byte, flags runFlags) (*submission, error) {
	// 1. The file by itself.
	run, err := v1alpha1.Load(file, text)
	if err != nil {
		return nil, err
	}
	s := &submission{
		name: run.Metadata.Name, namespace: run.Metadata.Namespace, framework: run.Spec.Framework.Name(),
		labels: run.Metadata.Labels, annotations: run.Metadata.Annotations,
	}
	if flags.name != "" {
		s.name = flags.name
		run := *run
		run.Metadata.Name = flags.name
		run.Spec.Overrides = nil                    // they go on knowing the run by the file's name
		for _, p := range v1alpha1.Validate(&run) { // the file was sound: only the name can be wrong
			return nil, v1alpha1.Problems{{Path: "--name", Text: p.Text}}
		}
	}
	// 2. Its spec as a parameter; the name by which overrides know the run stays the file's.
	spec, err := specParameter(&run.Spec)
	if err != nil {
		return nil, v1alpha1.Problems{{File: file, Text: err.Error()}}
	}
	s.parameters = given(map[string]string{
		"name": run.Metadata.Name, v1alpha1.SpecParameter: spec,
		"image": flags.image, "cleanup": flags.cleanup, "retryFailedGroups": flags.retryFailedGroups, "probeWarnAfter": flags.probeWarnAfter,
		"maxNodes": flags.maxNodes, "maxDuration": flags.maxDuration, "busyNodes": flags.busyNodes,
		"testScale": flags.testScale, "topologyKey": flags.topologyKey, "platform": flags.platform, "gpuArchitecture": flags.gpuArchitecture,
	})
	s.target, s.domain = run.Spec.Target, flags.topologyDomain
	if err := s.withPullSecret(flags.registry, &run.Spec); err != nil {
		return nil, err
	}
	for parameter, on := range map[string]bool{v1alpha1.IsolateParameter: flags.isolate, "artifacts": flags.artifacts, "keepReport": flags.keepReport} {
		if on {
			s.parameters[parameter] = "true"
		}
	}
	if s.topologyKey = flags.topologyKey; s.topologyKey == "" {
		s.topologyKey = run.Spec.TopologyKey()
	}
	if flags.nodes != nil {
		if err := s.only(flags.nodes, run.Spec.NumNodes); err != nil {
			return nil, err
		}
	}
	// 3. All of it, as the plugin will read it.
	if _, _, err := v1alpha1.ParseParameters(s.framework, s.parameters); err != nil {
		return nil, inFlags(file, err)
	}
	return s, nil
}

func specParameter(spec *v1alpha1.WorkloadRunSpec) (string, error) {
	text, err := yaml.Marshal(spec)
	if err != nil {
		return "", fmt.Errorf("writing the spec: %w", err)
	}
	return v1alpha1.EncodeSpec(text)
}

// only restricts the run to nodes. Groups get no larger than the list, as with the Cluster Readiness Engine, and never larger than asked.
func (s *submission) only(nodes []string, numNodes int32) error {
	var problems v1alpha1.Problems
	quoted := make([]string, len(nodes))
	for i, n := range nodes {
		quoted[i] = strconv.Quote(n)
		switch {
		case n == "":
			problems = append(problems, v1alpha1.Problem{Path: "--node-list", Text: "holds an empty name; names with commas between them would do"})
		case slices.Contains(nodes[:i], n):
			problems = append(problems, v1alpha1.Problem{Path: "--node-list", Text: fmt.Sprintf("names %s twice", n)})
		}
	}
	if problems != nil {
		return problems
	}
	s.parameters["nodeNames"] = "[" + strings.Join(quoted, ", ") + "]"
	if len(nodes) < int(numNodes) {
		s.parameters["numNodes"] = strconv.Itoa(len(nodes))
	}
	return nil
}

// given leaves out what is not given.
func given(parameters map[string]string) map[string]string {
	maps.DeleteFunc(parameters, func(_, value string) bool { return value == "" })
	return parameters
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

// workflow is the Workflow to be created, from the framework's template.
func (s *submission) workflow() map[string]any {
	var arguments []any
	for _, p := range v1alpha1.Parameters(s.framework) {
		if value, is := s.parameters[p.Name]; is {
			arguments = append(arguments, map[string]any{"name": p.Name, "value": value})
		}
	}
	template := generator.TemplateName(s.framework)
	labels := anyMap(s.labels)
	labels[resolve.LabelManagedBy] = resolve.ManagedBy
	labels[resolve.LabelRun] = s.parameters["name"]
	labels[labelFramework] = s.framework
	labels["workflows.argoproj.io/workflow-template"] = template // as `argo submit --from` has it: Argo's UI filters by it
	metadata := map[string]any{"name": s.name, "namespace": s.namespace, "labels": labels}
	if len(s.annotations) > 0 {
		metadata["annotations"] = anyMap(s.annotations)
	}
	return map[string]any{
		"apiVersion": "argoproj.io/v1alpha1",
		"kind":       "Workflow",
		"metadata":   metadata,
		"spec": map[string]any{
			"workflowTemplateRef": map[string]any{"name": template},
			"arguments":           map[string]any{"parameters": arguments},
		},
	}
}

func anyMap(m map[string]string) map[string]any {
	all := make(map[string]any, len(m))
	for k, v := range m {
		all[k] = v
	}
	return all
}
