package resolve

import "github.com/seed-95c1acfe/seatrial/api/v1alpha1"

// Facts are what the nodes of a run have in common. They are found out once, before overrides and fragments are matched, and
// nothing that matches changes them. The zero Facts is what is known without any node.
type Facts struct {
	// Platform is one of v1alpha1.Platforms; "" when no node was seen.
	Platform string `json:"platform,omitempty"`
	// Architecture is the GPUs', such as h100; "" when no node says.
	Architecture string `json:"architecture,omitempty"`
	// GPUs of each node that the job takes, which are also the ranks per node. GPUsFrom says where the number comes from.
	GPUs     int32  `json:"gpusPerNode"`
	GPUsFrom string `json:"gpusFrom,omitempty"`
	// NICs of each node that the job takes; 0 asks for none.
	NICs     int32  `json:"mlnxPerNode"`
	NICsFrom string `json:"mlnxFrom,omitempty"`
	// NICResource is the extended resource by which the NICs are asked for; "" when there is none or it is not known.
	NICResource string `json:"nicResource,omitempty"`
	// MNNVL says that multi-node NVLink is on.
	MNNVL bool `json:"mnnvl,omitempty"`
	// Networks are GKE's secondary networks in the order of the host's interfaces; nil off GKE.
	Networks []string `json:"networks,omitempty"`
	// Resources are the extended resources that every node advertises, with the least count of any.
	Resources map[string]int64 `json:"resources,omitempty"`
	// Partial are the extended resources that some nodes advertise and others do not, with the number of those that do.
	Partial map[string]int `json:"partial,omitempty"`
	// TopologyKey cuts nodes into domains; "" where they are cut by name. Domains is their number.
	TopologyKey string `json:"topologyKey,omitempty"`
	Domains     int    `json:"domains,omitempty"`
}

// variables gives the facts under the names that the expressions of overrides have for them.
func (f Facts) variables() map[string]any {
	return map[string]any{
		"platform": f.Platform, "gpuArchitecture": f.Architecture, "workloadKind": v1alpha1.WorkloadKind,
		"topologyMode": f.topologyMode(), "domainCount": f.Domains,
	}
}

func (f Facts) topologyMode() string {
	if f.TopologyKey == "" {
		return v1alpha1.TopologySimple
	}
	return v1alpha1.TopologyDomains
}
