package resolve

import (
	"fmt"
	"sort"
	"strings"
)

// Architecture returns the GPU architecture that most of the nodes have (h100, gb200, …), from the label
// nvidia.com/gpu.product: without NVIDIA-, up to the first dash, in lower case. Nodes without the label do not vote,
// of equals the one whose node comes first wins, and "" means that no node voted.
func Architecture(nodes []Node) string {
	votes := map[string]int{}
	var order []string
	for _, n := range nodes {
		name := architectureOf(n.Product)
		if name == "" {
			continue
		}
		if votes[name] == 0 {
			order = append(order, name)
		}
		votes[name]++
	}
	sort.SliceStable(order, func(i, j int) bool { return votes[order[i]] > votes[order[j]] })
	if len(order) == 0 {
		return ""
	}
	return order[0]
}

func architectureOf(product string) string {
	if strings.HasPrefix(product, "NVIDIA-RTX-PRO-6000") {
		return "rtxpro6000"
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(product, "NVIDIA-"), "-")
	return strings.ToLower(name)
}

// gpusByArchitecture is the fallback where the nodes advertise nothing: the defaults of the Cluster Readiness Engine v0.8.0.
var gpusByArchitecture = map[string]int32{
	"h100": 8, "a100": 8, "l40s": 8, "l40": 8, "b200": 8, "b300": 8, "h200": 8, "rtxpro6000": 8, "gb200": 4, "gb300": 4,
}

// GPUs is how many GPUs of each node a job takes, and where the number comes from.
type GPUs struct {
	PerNode int32  `json:"perNode"`
	Source  string `json:"source"`
}

// GPUsPerNode takes what the user asked for, else what every node that advertises GPUs agrees on, else the architecture's default.
// It is an error when the nodes disagree or nothing is known: a guess would size the job wrongly on every node.
func GPUsPerNode(asked *int32, nodes []Node) (GPUs, error) {
	if asked != nil {
		return GPUs{*asked, "spec.gpusPerNode"}, nil
	}
	counts := map[int64]int{}
	for _, n := range nodes {
		if n.GPUs > 0 {
			counts[n.GPUs]++
		}
	}
	switch len(counts) {
	case 1:
		for count := range counts {
			return GPUs{int32(count), "what the nodes advertise"}, nil
		}
	case 0:
		arch := Architecture(nodes)
		if n, known := gpusByArchitecture[arch]; known {
			return GPUs{n, "the default for " + arch + ", since the nodes advertise no GPUs"}, nil
		}
		return GPUs{}, fmt.Errorf("the nodes advertise no GPUs and their architecture %q is not known; set gpusPerNode", arch)
	}
	var all []string
	for count, nodes := range counts {
		all = append(all, fmt.Sprintf("%d on %d nodes", count, nodes))
	}
	sort.Strings(all)
	return GPUs{}, fmt.Errorf("the nodes advertise different numbers of GPUs (%s); set gpusPerNode, or narrow the target", strings.Join(all, ", "))
}
