package partition

import (
	"fmt"
	"slices"
	"strings"
)

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

// Labelled is a node as Keys sees it.
type Labelled struct {
	Name   string
	Labels map[string]string
}

// Keys returns the topology labels of a fleet, outermost first: those of one generation of network labels, then those of one
// generation of NVLink domains; nil when there are none. A label is a level when more than half of the nodes carry it: a node
// that lacks it then has no place, as with a key that was asked for, and Cut leaves it untested. One that fewer carry is no
// level, so that a few nodes do not decide how the others are cut. The warnings, a line each, name both kinds; nil when every
// node carries each label or none does.
func Keys(fleet []Labelled) (keys, warnings []string) {
	for _, generations := range [][][]string{fabrics, accelerators} {
		taken, said := carried(fleet, generations)
		keys, warnings = append(keys, taken...), append(warnings, said...)
	}
	return keys, warnings
}

func carried(fleet []Labelled, generations [][]string) (keys, warnings []string) {
	for _, generation := range generations {
		for _, key := range generation {
			var with, without []string
			for _, n := range fleet {
				if n.Labels[key] == "" {
					without = append(without, n.Name)
				} else {
					with = append(with, n.Name)
				}
			}
			switch {
			case len(with) == 0:
			case len(with) <= len(without):
				warnings = append(warnings, fmt.Sprintf("topology label %s is on %d of %d nodes only (%s): groups do not follow it", key, len(with), len(fleet), few(with)))
			default:
				keys = append(keys, key)
				if without != nil {
					warnings = append(warnings, fmt.Sprintf("%d of %d nodes lack the topology label %s (%s): they are in no group and stay untested", len(without), len(fleet), key, few(without)))
				}
			}
		}
		if keys != nil {
			return keys, warnings
		}
	}
	return nil, warnings
}

// few names the first nodes by name.
func few(names []string) string {
	const most = 4
	slices.Sort(names)
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
