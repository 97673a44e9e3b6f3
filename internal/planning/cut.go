package planning

import (
	"errors"
	"fmt"

	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// tooFew adds to an error of too few nodes what would do.
func tooFew(err error) error {
	var few *partition.TooFewError
	switch {
	case !errors.As(err, &few):
		return err
	case few.Found == 0:
		return fmt.Errorf("%w; a wider target would do", err)
	}
	return fmt.Errorf("%w; numNodes %d or a wider target would do", err, few.Found)
}

// Cut makes the plan's groups. An error reads as a PartitionError, and is in the plan's Cause and Message too.
func Cut(p *record.Plan) error {
	groups := partition.Anywhere()
	if !p.Spec.Unpinned() {
		nodes := make([]partition.Node, len(p.Nodes))
		for i, n := range p.Nodes {
			nodes[i] = partition.Node{Name: n.Name, Place: n.Place}
		}
		made, err := partition.Cut(nodes, partition.Options{Size: int(p.Spec.GroupSize()), Keys: p.TopologyKeys, Strict: p.Spec.StrictDomain()})
		if err != nil {
			err = fmt.Errorf("PartitionError: %w", tooFew(err))
			*p = refuse(*p, report.CausePartitionError, OneLine(err))
			return err
		}
		groups, p.Untested = made.Groups, made.Untested
	}
	p.Groups = partition.Repeat(groups, p.Spec.Repeats())
	return nil
}
