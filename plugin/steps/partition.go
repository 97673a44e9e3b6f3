package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/planning"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// partitionNodes cuts the plan's nodes into groups and hands Argo their ids. A plan that cannot be cut keeps the reason, for the report.
func partitionNodes(ctx context.Context, r *run, _ server.Call, _ func(string)) outcome {
	plan, err := cluster.Update(ctx, r.record(), record.KeyPlan, func(p *record.Plan) error {
		switch {
		case p.Epoch == "":
			return record.ErrNoPlan
		case p.Message != "":
			return errors.New(p.Message)
		case p.Groups != nil:
			return cluster.ErrUnchanged
		}
		_ = planning.Cut(p) // the plan has the message
		return nil
	})
	if err == nil && plan.Message != "" {
		err = errors.New(plan.Message)
	}
	if err != nil {
		return broken(err)
	}
	r.remember(plan)
	ids, err := json.Marshal(partition.Batches(len(plan.Groups)))
	if err != nil {
		return broken(err)
	}
	return outcome{message: described(plan), outputs: map[string]string{"batches": string(ids), "groups": strconv.Itoa(len(plan.Groups))}}
}

// described says in a line how the nodes were cut.
func described(p *record.Plan) string {
	groups, times := len(p.Groups)/p.Spec.Repeats(), ""
	if n := p.Spec.Repeats(); n > 1 {
		times = fmt.Sprintf(", %d times each", n)
	}
	var message string
	switch {
	case p.Spec.Unpinned():
		message = fmt.Sprintf("1 unpinned job of %s", english.Plural(int(p.Spec.GroupSize()), "node", ""))
	case p.Spec.StrictDomain():
		message = fmt.Sprintf("%s, one for each domain of %s", english.Plural(groups, "group", ""), strings.Join(p.TopologyKeys, ", "))
	default:
		message = fmt.Sprintf("%s of %s", english.Plural(groups, "group", ""), english.Plural(int(p.Spec.GroupSize()), "node", ""))
	}
	message += times
	if last := p.Groups[groups-1]; last.Overflow {
		message += fmt.Sprintf("; %s borrows %s", last.Name, english.Plural(len(last.Borrowed), "node", ""))
	}
	if n := len(p.Untested); n > 0 {
		message += fmt.Sprintf("; %s in no group", english.Plural(n, "node", ""))
	}
	return message
}
