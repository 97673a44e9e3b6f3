package steps

import (
	"context"
	"fmt"
	"strconv"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// discover checks the run, lists the target's nodes and writes the plan. A plan that was made in this epoch stands, whatever
// happened to the nodes since; a failed one is made anew after `argo retry`.
func discover(ctx context.Context, r *run, call server.Call, say func(string)) outcome {
	say("reading the run and the nodes")
	w, err := r.running(ctx)
	if err != nil {
		return broken(err)
	}
	old := record.Plan{}
	has, err := r.record().Read(ctx, record.KeyPlan, &old)
	if err != nil {
		return broken(err)
	}
	if has && (old.Message == "" || old.Epoch == w.Epoch()) {
		return discovered(&old)
	}
	nodes, err := r.s.cluster.Nodes(ctx, resolve.LabelGPUPresent+"=true")
	if err != nil {
		return broken(err)
	}
	body, err := bodyOf(call)
	if err != nil {
		return broken(err)
	}
	plan := planOf(body.Framework, call.Parameters, w, nodes)
	if plan, err = r.withProfile(ctx, plan); err != nil {
		return broken(err)
	}
	written, err := cluster.Update(ctx, r.s.cluster.Record(r.owner, r.scope, plan.Run), record.KeyPlan, func(p *record.Plan) error {
		if p.Epoch == plan.Epoch || p.Epoch != "" && p.Message == "" { // another call was faster
			return cluster.ErrUnchanged
		}
		*p = plan
		return nil
	})
	if err != nil {
		return broken(err)
	}
	return discovered(written)
}

func discovered(p *record.Plan) outcome {
	outputs := map[string]string{
		"platform": "", "gpuArchitecture": p.Architecture,
		"nodes": strconv.Itoa(len(p.Nodes)), "plan": p.Message,
	}
	if p.Message != "" {
		return outcome{failed: true, message: p.Message, outputs: outputs}
	}
	message := fmt.Sprintf("%d nodes (%s), %d GPUs each (%s), groups of %d", len(p.Nodes), orUnknown(p.Architecture), p.GPUs.PerNode, p.GPUs.Source, p.Spec.NumNodes)
	if n := len(p.Excluded); n > 0 {
		message += fmt.Sprintf(", %d excluded", n)
	}
	outputs["plan"] = message
	return outcome{message: message, outputs: outputs}
}

func orUnknown(architecture string) string {
	if architecture == "" {
		return "architecture unknown"
	}
	return architecture
}
