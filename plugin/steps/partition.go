package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// partitionNodes cuts the plan's nodes into groups and hands Argo their ids.
func partitionNodes(ctx context.Context, r *run, _ server.Call, _ func(string)) outcome {
	plan, err := cluster.Update(ctx, r.record(), record.KeyPlan, func(p *record.Plan) error {
		switch {
		case p.Epoch == "":
			return errNoPlan
		case p.Message != "":
			return errors.New(p.Message)
		case p.Groups != nil:
			return cluster.ErrUnchanged
		}
		names := make([]string, len(p.Nodes))
		for i, n := range p.Nodes {
			names[i] = n.Name
		}
		var err error
		if p.Groups, err = partition.Chunk(names, int(p.Spec.NumNodes)); err != nil {
			return fmt.Errorf("PartitionError: %w", err)
		}
		return nil
	})
	if err != nil {
		return broken(err)
	}
	r.remember(plan)
	ids, err := json.Marshal(partition.Batches(len(plan.Groups)))
	if err != nil {
		return broken(err)
	}
	message := fmt.Sprintf("%d groups of %d nodes", len(plan.Groups), plan.Spec.NumNodes)
	if last := plan.Groups[len(plan.Groups)-1]; last.Overflow {
		message += fmt.Sprintf("; %s borrows %d nodes", last.Name, len(last.Borrowed))
	}
	return outcome{message: message, outputs: map[string]string{"batches": string(ids), "groups": strconv.Itoa(len(plan.Groups))}}
}
