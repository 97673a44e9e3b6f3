package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// maxList is the longest list of nodes that is handed to Argo as such (argo.md §1.9: outputs of at most 10 KB).
const maxList = 8 << 10

// reportRun gives the run's verdict from its record, whatever happened before. With the gate on, anything but a pass is red.
func reportRun(ctx context.Context, r *run, call server.Call, say func(string)) outcome {
	say("writing the report")
	body, err := bodyOf(call)
	if err != nil {
		return broken(err)
	}
	w, err := r.running(ctx)
	if err != nil {
		return broken(err)
	}
	done, err := cluster.Update(ctx, r.record(), record.KeyClose, func(c *record.Close) error {
		if c.Epoch == w.Epoch() {
			return cluster.ErrUnchanged
		}
		*c = record.Close{Epoch: w.Epoch(), Reason: record.ReasonReported, Finished: r.s.clock.Now().UTC()}
		return nil
	})
	if err != nil {
		return broken(err)
	}
	plan, groups, ok, err := record.Read(ctx, r.record())
	if err != nil {
		return broken(err)
	}
	if !ok {
		plan.Run, plan.Started = r.owner.Name, w.StartedAt
		plan.Cause, plan.Message = v1alpha1.CauseInfrastructure, record.ErrNoPlan.Error()
	}
	full := record.Report(r.owner.Name, r.scope, plan, groups, done)
	return outcome{
		failed:  body.Gate == "true" && full.Verdict != v1alpha1.Pass,
		message: verdictLine(full),
		outputs: map[string]string{
			"verdict":     full.Verdict.String(),
			"passedNodes": r.nodeList(full, "passed", v1alpha1.Passed),
			"failedNodes": r.nodeList(full, "failed", v1alpha1.Failed, v1alpha1.Suspect),
			"passedCount": strconv.Itoa(full.Counts.Passed),
			"report":      report.Summary(full),
		},
	}
}

func verdictLine(full v1alpha1.Report) string {
	c := full.Counts
	text := fmt.Sprintf("%s: %d passed, %d failed, %d suspect, %d untested, %d unknown of %d nodes", full.Verdict, c.Passed, c.Failed, c.Suspect, c.Untested, c.Unknown, c.Target)
	if full.Message != "" {
		text += "; " + full.Message
	}
	return text
}

// nodeList is a JSON list of names, or a reference to the record where that would be too long.
func (r *run) nodeList(full v1alpha1.Report, word string, verdicts ...v1alpha1.NodeVerdict) string {
	names := []string{}
	for _, n := range full.Nodes {
		for _, v := range verdicts {
			if n.Verdict == v {
				names = append(names, n.Name)
			}
		}
	}
	list, err := json.Marshal(names)
	if err != nil || len(list) > maxList {
		return fmt.Sprintf("record:%s/%s#%s", r.owner.Name, r.scope, word)
	}
	return string(list)
}
