package resolve

import (
	"sort"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Architecture returns the GPU architecture that most of the nodes have (h100, gb200, …). Nodes that do not say have no vote,
// of equals the one whose node comes first by name wins, and "" means that no node voted.
func Architecture(nodes []Node) string {
	votes, first := map[string]int{}, map[string]string{}
	for _, n := range nodes {
		if n.Architecture == "" {
			continue
		}
		if votes[n.Architecture]++; votes[n.Architecture] == 1 || n.Name < first[n.Architecture] {
			first[n.Architecture] = n.Name
		}
	}
	var order []string
	for a := range votes {
		order = append(order, a)
	}
	sort.Slice(order, func(i, j int) bool {
		if votes[order[i]] != votes[order[j]] {
			return votes[order[i]] > votes[order[j]]
		}
		return first[order[i]] < first[order[j]]
	})
	if len(order) == 0 {
		return ""
	}
	return order[0]
}

// architectureOf reads a product as NVIDIA's GPU feature discovery writes it: without NVIDIA-, up to the first dash, in lower
// case. There is no closed list; Tesla-T4 gives tesla.
func architectureOf(product string) string {
	product = strings.TrimPrefix(product, "NVIDIA-")
	if strings.HasPrefix(strings.ToUpper(product), "RTX-PRO-6000") {
		return "rtxpro6000"
	}
	name, _, _ := strings.Cut(product, "-")
	return strings.ToLower(name)
}

// driverGPU is the DRA driver whose ResourceSlices name GPUs.
const driverGPU = "gpu.nvidia.com"

// Products reads the GPU product of nodes from ResourceSlices, for nodes that do not carry the label: node name to the
// product as the label would have it. A node whose slices say nothing is not in it.
func Products(slices []resourcev1.ResourceSlice) map[string]string {
	products := map[string]string{}
	for i := range slices {
		spec := &slices[i].Spec
		if spec.Driver != driverGPU || spec.NodeName == nil || products[*spec.NodeName] != "" {
			continue
		}
		for _, device := range spec.Devices {
			if name := device.Attributes["productName"].StringValue; name != nil && *name != "" {
				products[*spec.NodeName] = strings.ReplaceAll(strings.TrimSpace(*name), " ", "-")
				break
			}
		}
	}
	return products
}

// withArchitecture moves the nodes of another architecture, and those that do not say, from Eligible to Excluded: one job
// is built for one architecture. A node that does not say is kept when the architecture was asked for.
func (s Selection) withArchitecture(architecture string, asked bool) Selection {
	return s.without(func(n Node) string {
		switch {
		case architecture == "" || n.Architecture == architecture || n.Architecture == "" && asked:
			return ""
		case n.Architecture == "":
			return "without the label " + LabelGPUProduct + ", and the run is for " + architecture
		}
		return "of architecture " + n.Architecture + ", and the run is for " + architecture
	})
}

// without moves the nodes for which why gives a reason from Eligible to Excluded.
func (s Selection) without(why func(Node) string) Selection {
	kept := Selection{Excluded: append([]v1alpha1.NodeReason(nil), s.Excluded...), Missing: s.Missing}
	for _, n := range s.Eligible {
		if reason := why(n); reason != "" {
			kept.Excluded = append(kept.Excluded, v1alpha1.NodeReason{Name: n.Name, Reason: reason})
			continue
		}
		kept.Eligible = append(kept.Eligible, n)
	}
	sort.Slice(kept.Excluded, func(i, j int) bool { return kept.Excluded[i].Name < kept.Excluded[j].Name })
	return kept
}
