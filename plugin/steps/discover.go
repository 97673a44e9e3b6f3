package steps

import (
	"context"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/planning"
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
	names, texts, err := r.s.cluster.FragmentTexts(ctx, r.owner.Namespace)
	if err != nil {
		return broken(err)
	}
	seen := planning.Seen{Nodes: nodes, Products: productsOf(ctx, r, nodes)}
	if seen.Spec, err = specOf(ctx, r, call.Parameters[v1alpha1.SpecFromParameter]); err != nil {
		return broken(err)
	}
	seen.Fragments, seen.Unread = planning.LoadFragments(names, texts)
	if seen.Busy, seen.BusyUnknown, err = r.s.cluster.Busy(ctx, r.owner); err != nil {
		return broken(err)
	}
	plan := planning.Of(body.Framework, call.Parameters, w, seen)
	plan.Stage = stageOf(r.owner.Name, call.Node, call.Step)
	if err := warnOfClaims(ctx, r.s.cluster, &plan, w.Namespace); err != nil {
		return broken(err)
	}
	if err := r.addProfile(ctx, &plan); err != nil {
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

// specOf reads the spec that a run has in a ConfigMap. A name that cannot be one is for the check of the parameters.
func specOf(ctx context.Context, r *run, from string) (v1alpha1.SpecText, error) {
	source, err := v1alpha1.ParseSpecSource(from)
	if err != nil {
		return v1alpha1.SpecText{}, nil //nolint:nilerr // "" too: the run has none
	}
	return r.s.cluster.SpecText(ctx, r.owner.Namespace, source)
}

func discovered(p *record.Plan) outcome {
	outputs := map[string]string{
		"platform": p.Facts.Platform, "gpuArchitecture": p.Facts.Architecture,
		"nodes": strconv.Itoa(len(p.Nodes)), "plan": p.Message,
	}
	if p.Message != "" {
		return outcome{failed: true, message: p.Message, outputs: outputs}
	}
	message := planning.Summary(p)
	outputs["plan"] = message
	return outcome{message: message, outputs: outputs}
}

// warnOfClaims adds what the access modes of the claims in use have against the run.
func warnOfClaims(ctx context.Context, c *cluster.Cluster, p *record.Plan, namespace string) error {
	names := resolve.Claims(&p.Spec, p.Run)
	if p.Message != "" || len(names) == 0 {
		return nil
	}
	modes, err := c.AccessModes(ctx, namespace, names)
	if err != nil {
		return err
	}
	p.Warnings = append(p.Warnings, resolve.ClaimWarnings(&p.Spec, p.Run, modes, resolve.WorkersAtOnce(&p.Spec, len(p.Nodes)))...)
	return nil
}

// productsOf asks DRA for the GPU products of nodes without the label. A cluster without DRA has no answer, which is no fault.
func productsOf(ctx context.Context, r *run, nodes []corev1.Node) map[string]string {
	if !slices.ContainsFunc(nodes, func(n corev1.Node) bool { return n.Labels[resolve.LabelGPUProduct] == "" }) {
		return nil
	}
	found, err := r.s.cluster.ResourceSlices(ctx)
	if err != nil {
		r.s.log.Info("no ResourceSlices", "error", err)
		return nil
	}
	return resolve.Products(found)
}
