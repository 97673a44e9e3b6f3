package planning

import (
	"errors"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// Seen is what is known of the cluster.
type Seen struct {
	Nodes []corev1.Node
	// Products are the GPU products of nodes without the label (resolve.Products); nil when every node has it.
	Products map[string]string
	// Busy are the GPUs that pods of others hold; nil when nobody looked. BusyUnknown says why one who looked could not tell; ""
	// when one could, or did not look.
	Busy        resolve.Busy
	BusyUnknown string
	// Fragments are all that there are, in order. Unread says what is wrong with those that cannot be read; nil when all can.
	Fragments []v1alpha1.NamedFragment
	Unread    error
	// Spec is what the parameter specFrom names; of no account when the run does not have it.
	Spec v1alpha1.SpecText
}

// LoadFragments reads fragments from the texts of the WorkflowTemplates of these names. The error tells everything that is
// wrong with any of them.
func LoadFragments(names []string, texts map[string][]byte) ([]v1alpha1.NamedFragment, error) {
	var all []v1alpha1.NamedFragment
	var problems v1alpha1.Problems
	for _, name := range names {
		f, err := v1alpha1.LoadFragment(name, texts[name])
		var wrong v1alpha1.Problems
		if errors.As(err, &wrong) {
			problems = append(problems, wrong...)
			continue
		} else if err != nil {
			return nil, err
		}
		all = append(all, *f)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return all, nil
}

// choose chooses the fragments that match the run. One that cannot be read stops every run, whether it would match or not:
// nobody can tell.
func choose(p *record.Plan, seen Seen) error {
	switch {
	case seen.Unread != nil:
		return seen.Unread
	case len(seen.Fragments) == 0:
		return errors.New("there are no platform fragments in the namespace: no WorkflowTemplate has the label " +
			v1alpha1.LabelFragment + "=true; `kubectl apply -k templates` installs them")
	}
	if !slices.ContainsFunc(seen.Fragments, func(n v1alpha1.NamedFragment) bool { return n.Fragment.Defaults }) {
		p.Warnings = append(p.Warnings, "none of the fragments has `defaults: true`: a run gets none of the NCCL settings that every run begins with; the release's fragments beside these (--fragments may be given several times) would do")
	}
	matching, warnings, err := resolve.Fragments(seen.Fragments, p.Facts, p.Framework, p.Spec.GroupSize())
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
	if err := orchestrate(p, found.Facts); err != nil {
		return found, err
	}
	if p.Spec.Target == first {
		return found, nil
	}
	return resolve.Discover(nodes, products, p.Spec.Target, resolve.AskOf(&p.Spec, p.Options))
}

// orchestrate applies the orchestration of the overrides that match, and looks again at what they made: Unpinned of a run that cannot be, say.
func orchestrate(p *record.Plan, facts resolve.Facts) error {
	spec, options, warnings, err := resolve.Orchestrate(p.Spec, p.Options, facts)
	if err != nil {
		return err
	}
	p.Spec, p.Options, p.Warnings = spec, options, append(p.Warnings, warnings...)
	if problems := append(v1alpha1.ValidateSpec(&p.Spec), p.Options.Against(&p.Spec)...); len(problems) > 0 {
		return problems
	}
	return nil
}

// buildFailed says what cannot be built. Mixed platforms have a word of their own.
func buildFailed(err error) string {
	text := OneLine(err)
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
