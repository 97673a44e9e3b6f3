package cli

import (
	"strconv"
	"strings"

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
	// run is what the file holds.
	run *v1alpha1.WorkloadRun
	// parameters holds those that are given.
	parameters          map[string]string
	labels, annotations map[string]string
	// specText is a spec that is too long for a parameter; "" when it is none.
	specText string
	// pullSecret is the name of the Secret to be made for registry; "" for none.
	pullSecret string
	registry   cluster.Registry
	// target and domain restrict the run to one topology domain, which only the cluster can count; "" for no domain.
	target *v1alpha1.Target
	domain string
	// topologyKey is the label of the domain; "" for the platform's.
	topologyKey string
}

// only restricts the run to nodes. Groups get no larger than the list, as with the Cluster Readiness Engine, and never larger than asked.
func (s *submission) only(nodes []string, numNodes int32) {
	quoted := make([]string, len(nodes))
	for i, n := range nodes {
		quoted[i] = strconv.Quote(n)
	}
	s.parameters["nodeNames"] = "[" + strings.Join(quoted, ", ") + "]"
	if len(nodes) < int(numNodes) {
		s.parameters["numNodes"] = strconv.Itoa(len(nodes))
	}
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
