package planning

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// notChecked begins what is said, once, where the pods of the cluster may not be listed.
const notChecked = "whether other pods use the nodes' GPUs was not checked: "

// considerBusy warns of the plan's nodes whose GPUs others use, or takes them out. The error says that they were to be taken out
// and nobody knows which they are.
func considerBusy(p *record.Plan, seen Seen) error {
	exclude := p.Options.BusyNodes == v1alpha1.BusyExclude
	switch {
	case seen.BusyUnknown != "" && exclude:
		return fmt.Errorf("busyNodes: is exclude, and %s%s; warn would do", notChecked, seen.BusyUnknown)
	case seen.BusyUnknown != "":
		p.Warnings = append(p.Warnings, notChecked+seen.BusyUnknown)
	case !exclude:
		if w := seen.Busy.Warning(p.Nodes); w != "" {
			p.Warnings = append(p.Warnings, w)
		}
	default:
		p.Nodes = slices.DeleteFunc(p.Nodes, func(n resolve.Node) bool {
			if seen.Busy[n.Name] == 0 {
				return false
			}
			p.Excluded = append(p.Excluded, v1alpha1.NodeReason{Name: n.Name, Reason: seen.Busy.Reason(n.Name)})
			return true
		})
		slices.SortFunc(p.Excluded, func(a, b v1alpha1.NodeReason) int { return strings.Compare(a.Name, b.Name) })
	}
	return nil
}
