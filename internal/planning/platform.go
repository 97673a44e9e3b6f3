package planning

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// Known is what is known of a cluster.
type Known struct {
	// Nodes are those with GPUs, in any order.
	Nodes []corev1.Node
	// Products are the GPU products of nodes without the label, by node name; nil when every node has it.
	Products map[string]string
	// Fragments are all that there are, in any order.
	Fragments []v1alpha1.NamedFragment
	// Problem says why Fragments are not all; nil when they are.
	Problem error
}

// choose chooses the fragments that match the run. One that cannot be read stops every run, whether it would match or not:
// nobody can tell.
func choose(p *record.Plan, known Known) error {
	if known.Problem != nil {
		return known.Problem
	}
	matching, warnings, err := resolve.Fragments(known.Fragments, p.Facts, p.Framework, p.Spec.GroupSize())
	p.Fragments, p.Warnings = matching, append(p.Warnings, warnings...)
	return err
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
