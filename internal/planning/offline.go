package planning

import (
	"fmt"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// assumedGPUs stands for what nodes advertise that nobody has seen, where the architecture is not known either.
const assumedGPUs = 8

// Offline is Of for nodes that nobody has seen, with fragments and a spec that somebody has: one sample group of the asked size on <node-0>, <node-1> and so on, and what is
// known from the run and the tables alone. What was assumed is among the plan's warnings.
func Offline(framework string, parameters map[string]string, w cluster.Workflow, seen Seen) record.Plan {
	p := record.Plan{Framework: framework, Run: parameters["name"]}
	if p.Run == "" {
		p.Run = w.Name
	}
	spec, options, err := v1alpha1.ParseParametersWith(framework, parameters, seen.Spec)
	if err != nil {
		return refuse(p, report.CauseBuildFailed, "BuildFailed: "+OneLine(err))
	}
	p.Spec, p.Options = *spec, options
	// 1. What is known of the nodes.
	ask := resolve.AskOf(&p.Spec, p.Options)
	if t := p.Spec.Target; ask.Architecture == "" && t != nil {
		ask.Architecture = resolve.Architecture([]resolve.Node{resolve.NodeOfProduct(t.NodeSelector[resolve.LabelGPUProduct])})
	}
	if p.Facts, err = resolve.Offline(ask); err != nil {
		gpus := int32(assumedGPUs)
		ask.GPUs = &gpus
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d GPUs a node are assumed: the GPU architecture is not known; --gpu-arch, --nodes or spec.gpusPerNode would tell", gpus))
		if p.Facts, err = resolve.Offline(ask); err != nil {
			return refuse(p, report.CauseBuildFailed, "BuildFailed: "+OneLine(err))
		}
		p.Facts.GPUsFrom = "an assumption"
	}
	// 2. What overrides and fragments make of it.
	if err := orchestrate(&p, p.Facts); err != nil {
		return unbuilt(p, err)
	}
	if err := choose(&p, seen); err != nil {
		return unbuilt(p, err)
	}
	// 3. A sample group.
	g := partition.Anywhere()[0]
	for i := range p.Spec.GroupSize() {
		name := fmt.Sprintf("<node-%d>", i)
		p.Nodes = append(p.Nodes, resolve.Node{Name: name, Hostname: name})
		if !p.Spec.Unpinned() {
			g.Nodes = append(g.Nodes, name)
		}
	}
	p.Groups = []partition.Group{g}
	warnings, err := trial(p, w.Owner)
	if err != nil {
		return unbuilt(p, err)
	}
	p.Warnings = append(p.Warnings, warnings...)
	return p
}
