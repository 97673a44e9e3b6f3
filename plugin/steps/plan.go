package steps

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// clusterFacts is what discover read of the cluster.
type clusterFacts struct {
	nodes    []corev1.Node
	products map[string]string
	// fragments are the names of the WorkflowTemplates that hold one, in order; texts is the YAML of each.
	fragments []string
	texts     map[string][]byte
}

// planOf resolves a run: parameters, nodes, sizes, and one group's objects as a trial. What is wrong with the run is in the
// plan's Cause and Message, since a run that cannot start has a report too.
func planOf(framework string, parameters map[string]string, w cluster.Workflow, facts clusterFacts) record.Plan {
	p := record.Plan{Epoch: w.Epoch(), Started: w.StartedAt, Framework: framework, Run: parameters["name"]}
	if p.Run == "" {
		p.Run = w.Name
	}
	spec, options, err := v1alpha1.ParseParameters(framework, parameters)
	if err != nil {
		return refuse(p, report.CauseBuildFailed, "BuildFailed: "+oneLine(err))
	}
	p.Spec, p.Options = *spec, options

	found, err := discoverNodes(&p, facts.nodes, facts.products)
	p.Facts, p.Nodes, p.Excluded = found.Facts, found.Eligible, found.Excluded
	p.Warnings = append(p.Warnings, found.Warnings...)
	if len(found.Missing) > 0 {
		p.Warnings = append(p.Warnings, "nodeNames names nodes that are not in the target: "+report.NodeList(found.Missing))
	}
	switch {
	case err != nil:
		return refuse(p, report.CauseBuildFailed, buildFailed(err))
	case len(p.Nodes) == 0:
		return refuse(p, report.CauseNoEligibleNode, "no eligible node: "+whyNone(len(facts.nodes), found.Selection))
	}
	if need, have := int(p.Spec.NumNodes), len(p.Nodes); need > have {
		return refuse(p, report.CausePartitionError, fmt.Sprintf("PartitionError: need %d, found %d%s", need, have, excludedText(p.Excluded)))
	}
	if err := platform(&p, facts); err != nil {
		return refuse(p, report.CauseBuildFailed, "BuildFailed: "+oneLine(err))
	}
	warnings, err := trial(p, w.Owner)
	if err != nil {
		return refuse(p, report.CauseBuildFailed, "BuildFailed: "+oneLine(err))
	}
	p.Warnings = append(p.Warnings, warnings...)
	if p.Options.PlanOnly {
		return refuse(p, report.CausePlanOnly, "PlanOnly: "+summary(&p))
	}
	return p
}

// platform chooses the fragments that match the run. One that cannot be read stops every run, whether it would match or not:
// nobody can tell.
func platform(p *record.Plan, facts clusterFacts) error {
	if len(facts.fragments) == 0 {
		return errors.New("there are no platform fragments in the namespace: no WorkflowTemplate has the label " +
			v1alpha1.LabelFragment + "=true; `kubectl apply -k templates` installs them")
	}
	var all []v1alpha1.NamedFragment
	var problems v1alpha1.Problems
	for _, name := range facts.fragments {
		f, err := v1alpha1.LoadFragment(name, facts.texts[name])
		var wrong v1alpha1.Problems
		if errors.As(err, &wrong) {
			problems = append(problems, wrong...)
			continue
		} else if err != nil {
			return err
		}
		all = append(all, *f)
	}
	if len(problems) > 0 {
		return problems
	}
	matching, warnings, err := resolve.Fragments(all, p.Facts, p.Framework, p.Spec.GroupSize())
	p.Fragments, p.Warnings = matching, append(p.Warnings, warnings...)
	return err
}

// discoverNodes applies the target and the orchestration of the overrides that match. One that names another target is
// matched on the nodes of the first, and decides which nodes the second finds.
func discoverNodes(p *record.Plan, nodes []corev1.Node, products map[string]string) (resolve.Discovery, error) {
	found, err := resolve.Discover(nodes, products, p.Spec.Target, resolve.AskOf(&p.Spec, p.Options))
	if err != nil || len(found.Eligible) == 0 {
		return found, err
	}
	first := p.Spec.Target
	var warnings []string
	if p.Spec, p.Options, warnings, err = resolve.Orchestrate(p.Spec, p.Options, found.Facts); err != nil {
		return found, err
	}
	p.Warnings = append(p.Warnings, warnings...)
	if p.Spec.Target == first {
		return found, nil
	}
	return resolve.Discover(nodes, products, p.Spec.Target, resolve.AskOf(&p.Spec, p.Options))
}

// buildFailed says what cannot be built. Mixed platforms have a word of their own.
func buildFailed(err error) string {
	text := oneLine(err)
	if strings.HasPrefix(text, "HeterogeneousPlatform: ") {
		return text
	}
	return "BuildFailed: " + text
}

func refuse(p record.Plan, cause v1alpha1.Cause, message string) record.Plan {
	p.Cause, p.Message = cause, message
	return p
}

// trial builds the objects of a group of the asked size, so that what cannot be built fails before anything is created. It
// returns what is odd about them.
func trial(p record.Plan, owner cluster.Owner) ([]string, error) {
	names := make([]string, 0, p.Spec.NumNodes)
	for _, n := range p.Nodes[:p.Spec.NumNodes] {
		names = append(names, n.Name)
	}
	built, err := resolve.Build(p.Objects(owner, "", partition.Group{Name: "group-0", Nodes: names}, 1))
	return built.Warnings, err
}

func whyNone(withGPUs int, s resolve.Selection) string {
	switch {
	case len(s.Missing) > 0 && len(s.Excluded) == 0:
		return "nodeNames names nodes that are not in the target: " + report.NodeList(s.Missing)
	case len(s.Excluded) > 0:
		return fmt.Sprintf("all %d that match the target are excluded%s", len(s.Excluded), excludedText(s.Excluded))
	case withGPUs == 0:
		return "no node has the label " + resolve.LabelGPUPresent + "=true"
	}
	return fmt.Sprintf("none of the %d nodes with GPUs matches the target", withGPUs)
}

// excludedText names the first few nodes that were left out, and why.
func excludedText(excluded []v1alpha1.NodeReason) string {
	const most = 5
	var parts []string
	for i, e := range excluded {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(excluded)-most))
			break
		}
		parts = append(parts, e.Name+" is "+e.Reason)
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// oneLine joins an error's lines, since Argo shows a message as one.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
