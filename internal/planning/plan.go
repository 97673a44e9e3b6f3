package planning

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// Of resolves a run: parameters, nodes, sizes, and one group's objects as a trial. What is wrong with the run is in the
// plan's Cause and Message, since a run that cannot start has a report too.
func Of(framework string, parameters map[string]string, w cluster.Workflow, seen Seen) record.Plan {
	p := record.Plan{Epoch: w.Epoch(), Started: w.StartedAt, Framework: framework, Run: parameters["name"]}
	if p.Run == "" {
		p.Run = w.Name
	}
	spec, options, err := v1alpha1.ParseParametersWith(framework, parameters, seen.Spec)
	if err != nil {
		return refuse(p, report.CauseBuildFailed, "BuildFailed: "+OneLine(err))
	}
	p.Spec, p.Options = *spec, options

	if p = eligible(p, seen, w.Owner); p.Message != "" {
		return p
	}
	if err := withinMaxNodes(&p); err != nil {
		return refuse(p, report.CauseBuildFailed, "BuildFailed: "+err.Error())
	}
	if p = placed(p, seen.Nodes); p.Message != "" {
		return p
	}
	warnings, err := trial(p, w.Owner)
	if err != nil {
		return unbuilt(p, err)
	}
	p.Warnings = append(p.Warnings, warnings...)
	if p.Options.PlanOnly {
		return refuse(p, report.CausePlanOnly, "PlanOnly: "+Summary(&p))
	}
	return p
}

// eligible finds the nodes that can be tested and says why the others cannot: the target, the readiness, the architecture and the GPUs
// of a node, the pods of others on it, and its taints. The plan has a message when none is left.
func eligible(p record.Plan, seen Seen, owner cluster.Owner) record.Plan {
	found, err := discoverNodes(&p, seen.Nodes, seen.Products)
	p.Facts, p.Nodes, p.Excluded = found.Facts, found.Eligible, found.Excluded
	p.Warnings = append(p.Warnings, found.Warnings...)
	if len(found.Missing) > 0 {
		p.Warnings = append(p.Warnings, "nodeNames names nodes that are not in the target: "+report.NodeList(found.Missing))
	}
	switch {
	case err != nil:
		return unbuilt(p, err)
	case len(p.Nodes) == 0:
		return refuse(p, report.CauseNoEligibleNode, "no eligible node: "+whyNone(len(seen.Nodes), found.Selection))
	}
	if err := choose(&p, seen); err != nil {
		return unbuilt(p, err)
	}
	if err := considerBusy(&p, seen); err != nil {
		return refuse(p, report.CauseBuildFailed, "BuildFailed: "+err.Error())
	}
	if len(p.Nodes) > 0 {
		excludeTainted(&p, seen.Nodes, owner)
	}
	if len(p.Nodes) == 0 {
		return refuse(p, report.CauseNoEligibleNode, "no eligible node: all of them are excluded"+ExcludedText(p.Excluded))
	}
	return p
}

// placed gives every node its place in the fabric. The plan has a message when that cannot be done, or when there are too few nodes
// for one group.
func placed(p record.Plan, nodes []corev1.Node) record.Plan {
	if err := place(&p, nodes); err != nil {
		return refuse(p, report.CausePartitionError, "PartitionError: "+err.Error())
	}
	if need, have := int(p.Spec.GroupSize()), len(p.Nodes); need > have && !p.Spec.StrictDomain() {
		return refuse(p, report.CausePartitionError, "PartitionError: "+tooFew(&partition.TooFewError{Need: need, Found: have, Where: ExcludedText(p.Excluded)}).Error())
	}
	return p
}

// place gives every node of the plan its place in the fabric. An unpinned job has no groups that could be kept together.
func place(p *record.Plan, nodes []corev1.Node) error {
	if p.Spec.Unpinned() {
		return nil
	}
	labels := map[string]map[string]string{}
	for i := range nodes {
		labels[nodes[i].Name] = nodes[i].Labels
	}
	fleet := make([]partition.Labelled, len(p.Nodes))
	for i, n := range p.Nodes {
		fleet[i] = partition.Labelled{Name: n.Name, Labels: labels[n.Name]}
	}
	known, lacking := partition.Keys(fleet)
	switch key := cmp.Or(p.Spec.TopologyKey(), p.Facts.TopologyKey); {
	case key == partition.Auto && known == nil:
		p.Warnings = append(p.Warnings, "topologyKey is "+partition.Auto+", and the nodes carry no topology labels that are known: groups are cut by name")
		p.Warnings = append(p.Warnings, lacking...)
	case key == partition.Auto:
		p.TopologyKeys, p.Warnings = known, append(p.Warnings, lacking...)
	case key != "":
		p.TopologyKeys = strings.Split(key, ",") // outermost first; the format's own is a single one
	default:
		p.TopologyKeys = platformKeys(p, nodes)
	}
	if p.Spec.StrictDomain() && p.TopologyKeys == nil {
		return errors.New("one group for each topology domain was asked for (testScale intra-rack), and no topologyKey says what a domain is; orchestration.topology.topologyKey with a label of the nodes, or " + partition.Auto + ", would do")
	}
	// Isolation looks at the fabric also where groups do not follow it, by the labels that every node carries.
	known = slices.DeleteFunc(slices.Clone(known), func(key string) bool {
		return slices.ContainsFunc(fleet, func(n partition.Labelled) bool { return n.Labels[key] == "" })
	})
	for i := range p.Nodes {
		p.Nodes[i].Place = partition.Place(fleet[i].Labels, p.TopologyKeys)
		switch {
		case !p.Options.Isolate:
		case p.TopologyKeys == nil:
			p.Nodes[i].Fabric = partition.Place(fleet[i].Labels, known)
		case !slices.Contains(p.Nodes[i].Place, ""): // else it is in no group
			p.Nodes[i].Fabric = p.Nodes[i].Place
		}
	}
	return nil
}

func refuse(p record.Plan, cause v1alpha1.Cause, message string) record.Plan {
	p.Cause, p.Message = cause, message
	return p
}

// unbuilt refuses what cannot be built, and keeps what is wrong with which field.
func unbuilt(p record.Plan, err error) record.Plan {
	p = refuse(p, report.CauseBuildFailed, buildFailed(err))
	_ = errors.As(err, &p.Problems) // else it is about no field
	return p
}

// trial builds the objects of a group of the asked size, so that what cannot be built fails before anything is created. It
// returns what is odd about them.
func trial(p record.Plan, owner cluster.Owner) ([]string, error) {
	var names []string
	for _, n := range p.Nodes[:min(int(p.Spec.GroupSize()), len(p.Nodes))] {
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
		return fmt.Sprintf("all %d that match the target are excluded%s", len(s.Excluded), ExcludedText(s.Excluded))
	case withGPUs == 0:
		return "no node has the label " + resolve.LabelGPUPresent + "=true"
	}
	return fmt.Sprintf("none of the %d nodes with GPUs matches the target", withGPUs)
}

// ExcludedText names the first few nodes that were left out, and why.
func ExcludedText(excluded []v1alpha1.NodeReason) string {
	const most = 5
	var parts []string
	for i, e := range excluded {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(excluded)-most))
			break
		}
		parts = append(parts, e.Name+": "+e.Reason)
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// ExcludedLines names the nodes that were left out, those of one reason in a line.
func ExcludedLines(excluded []v1alpha1.NodeReason) []string {
	var reasons []string
	of := map[string][]string{}
	for _, e := range excluded {
		if of[e.Reason] == nil {
			reasons = append(reasons, e.Reason)
		}
		of[e.Reason] = append(of[e.Reason], e.Name)
	}
	lines := make([]string, len(reasons))
	for i, reason := range reasons {
		lines[i] = plain.Line(report.NodeList(of[reason]) + ": " + reason)
	}
	return lines
}

// OneLine joins an error's lines, since Argo shows a message as one.
func OneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
