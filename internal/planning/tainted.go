package planning

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

// excludeTainted takes the nodes out of the plan whose taints its pods do not tolerate: there they would wait until timeoutPerJob.
// What the pods tolerate, with all that fragments and overrides add, the objects of a group show. Where none can be made, the
// trial that comes later says why.
func excludeTainted(p *record.Plan, nodes []corev1.Node, owner cluster.Owner) {
	var names []string
	for _, n := range p.Nodes[:min(int(p.Spec.GroupSize()), len(p.Nodes))] {
		names = append(names, n.Name)
	}
	built, err := resolve.Build(p.Objects(owner, "", partition.Group{Name: "group-0", Nodes: names}, 1))
	if err != nil {
		return
	}
	out := map[string]bool{}
	for _, t := range resolve.Tainted(nodes, resolve.Tolerations(built.Objects)) {
		if slices.ContainsFunc(p.Nodes, func(n resolve.Node) bool { return n.Name == t.Name }) {
			out[t.Name] = true
			p.Excluded = append(p.Excluded, t)
		}
	}
	p.Nodes = slices.DeleteFunc(p.Nodes, func(n resolve.Node) bool { return out[n.Name] })
	slices.SortFunc(p.Excluded, func(a, b v1alpha1.NodeReason) int { return strings.Compare(a.Name, b.Name) })
}
