package planning

import (
	"fmt"

	"github.com/seed-95c1acfe/seatrial/internal/record"
)

// withinMaxNodes refuses a plan that would take more nodes than the user allows. An unpinned job takes numNodes of its target.
func withinMaxNodes(p *record.Plan) error {
	takes, most := len(p.Nodes), int(p.Options.MaxNodes)
	if p.Spec.Unpinned() {
		takes = int(p.Spec.GroupSize())
	}
	if most > 0 && takes > most {
		return fmt.Errorf("maxNodes: the run would take %d nodes, and at most %d are allowed; a narrower target or a larger maxNodes would do", takes, most)
	}
	return nil
}
