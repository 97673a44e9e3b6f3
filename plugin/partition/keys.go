package partition

import "slices"

// Auto as the only topology key means: the labels that Keys recognises.
const Auto = "auto"

// fabrics are the generations of labels that say where a node is in a network, outermost first. The first of which a fleet
// carries any is taken.
var fabrics = [][]string{
	// Topograph since 1.0 numbers its tiers from the node outwards (docs/engines/k8s.md of v1.1.0); four are more than any fabric has.
	{"fabric.topograph.run/tier-3", "fabric.topograph.run/tier-2", "fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0"},
	// Topograph before 1.0.
	{"network.topology.nvidia.com/core", "network.topology.nvidia.com/spine", "network.topology.nvidia.com/leaf"},
	// EKS: layer 1 is the top; layer 4 exists on instance types with four layers (EKS user guide, ml-workload-topology).
	{"topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-2", "topology.k8s.aws/network-node-layer-3", "topology.k8s.aws/network-node-layer-4"},
	// GKE. Its third label, gce-topology-host, names the machine, which is the node itself.
	{"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock"},
	// CoreWeave (infiniband-labels).
	{"ib.coreweave.cloud/fabric", "ib.coreweave.cloud/superpod", "ib.coreweave.cloud/leafgroup"},
	// AKS: the proximity placement group.
	{"kubernetes.azure.com/ppg"},
}

// accelerators are the generations of labels of NVLink domains, which are inside any network's.
var accelerators = [][]string{
	{"accelerator.topograph.run/domain", "accelerator.topograph.run/sub-domain"},
	{"network.topology.nvidia.com/accelerator"},
	{"nvidia.com/gpu.clique"},
}

// Keys returns the topology labels of a fleet, outermost first: those of one generation of network labels, then those of one
// generation of NVLink domains. Only labels that every node carries count, so that none is left out for a guess; nil when
// there are none.
func Keys(fleet []map[string]string) []string {
	return append(carried(fleet, fabrics), carried(fleet, accelerators)...)
}

func carried(fleet []map[string]string, generations [][]string) []string {
	for _, generation := range generations {
		var keys []string
		for _, key := range generation {
			lacks := func(labels map[string]string) bool { return labels[key] == "" }
			if len(fleet) > 0 && !slices.ContainsFunc(fleet, lacks) {
				keys = append(keys, key)
			}
		}
		if keys != nil {
			return keys
		}
	}
	return nil
}
