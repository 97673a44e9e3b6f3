package planning

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// Layout is what Preview asks of a run that nobody has written yet.
type Layout struct {
	partition.Options
	// Platform and Architecture are "" for what the nodes show, GPUs is 0 for what they advertise.
	Platform, Architecture string
	GPUs                   int
}

// Preview is the part of Of that decides which nodes are in which group, for a run of any command: the groups are cut, and no object
// is built. What is wrong is in the plan's Cause and Message.
func Preview(l Layout, seen Seen) record.Plan {
	parameters := map[string]string{
		"name": "preview", "image": "preview", "command": "[preview]", "numNodes": strconv.Itoa(max(l.Size, 1)),
		"platform": l.Platform, "gpuArchitecture": l.Architecture, "topologyKey": strings.Join(l.Keys, ","),
	}
	if l.Strict {
		parameters["testScale"] = string(v1alpha1.IntraRack)
	}
	switch {
	case l.GPUs > 0:
		parameters["gpusPerNode"] = strconv.Itoa(l.GPUs)
	case !slices.ContainsFunc(seen.Nodes, advertises): // then no number leaves a node out
		parameters["gpusPerNode"] = strconv.Itoa(assumedGPUs)
	}
	p := record.Plan{Framework: v1alpha1.FrameworkExec, Run: parameters["name"]}
	spec, options, err := v1alpha1.ParseParametersWith(p.Framework, parameters, seen.Spec)
	if err != nil {
		return refuse(p, report.CauseBuildFailed, "BuildFailed: "+OneLine(err))
	}
	p.Spec, p.Options = *spec, options
	if p = eligible(p, seen, cluster.Owner{Namespace: "default", Name: p.Run}); p.Message != "" {
		return p
	}
	if p = placed(p, seen.Nodes); p.Message != "" {
		return p
	}
	_ = Cut(&p) // the plan has the message
	return p
}

func advertises(n corev1.Node) bool {
	q := n.Status.Allocatable[resolve.ResourceGPU]
	return q.Value() > 0
}
