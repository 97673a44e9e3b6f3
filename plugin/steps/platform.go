package steps

import (
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// clusterFacts is what discover read of the cluster.
type clusterFacts struct {
	nodes    []corev1.Node
	products map[string]string
	// fragments are the names of the WorkflowTemplates that hold one, in order; texts is the YAML of each.
	fragments []string
	texts     map[string][]byte
}

// choose chooses the fragments that match the run. One that cannot be read stops every run, whether it would match or not:
// nobody can tell.
func choose(p *record.Plan, facts clusterFacts) error {
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

// platformKeys are the labels by which the platform tells domains apart. They are for runs that name none themselves, and
// only where every node carries them all: a fleet whose nodes do not is cut by name, unless domains were asked for.
func platformKeys(p *record.Plan, nodes []corev1.Node) []string {
	var keys []string
	for _, f := range p.Fragments {
		if f.Fragment.TopologyKeys != nil {
			keys = f.Fragment.TopologyKeys
		}
	}
	if p.Spec.StrictDomain() {
		return keys
	}
	mine := map[string]bool{}
	for _, n := range p.Nodes {
		mine[n.Name] = true
	}
	for i := range nodes {
		for _, key := range keys {
			if _, has := nodes[i].Labels[key]; mine[nodes[i].Name] && !has {
				p.Warnings = append(p.Warnings, "groups are not kept within the platform's domains: node "+nodes[i].Name+" has no label "+key)
				return nil
			}
		}
	}
	return keys
}
