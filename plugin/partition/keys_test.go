package partition

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeys(t *testing.T) {
	carries := func(keys ...string) map[string]string {
		labels := map[string]string{"kubernetes.io/hostname": "n"}
		for _, k := range keys {
			labels[k] = "x"
		}
		return labels
	}
	for name, tt := range map[string]struct {
		fleet []map[string]string
		want  []string
	}{
		"no node":               {nil, nil},
		"no label that we know": {[]map[string]string{carries("rack")}, nil},
		"a Topograph tier 0 is the nearest": {[]map[string]string{carries("fabric.topograph.run/tier-0", "fabric.topograph.run/tier-1", "accelerator.topograph.run/domain")},
			[]string{"fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0", "accelerator.topograph.run/domain"}},
		"Topograph before 1.0 leaves the clique to the GPU operator": {[]map[string]string{carries("network.topology.nvidia.com/leaf", "network.topology.nvidia.com/spine", "nvidia.com/gpu.clique")},
			[]string{"network.topology.nvidia.com/spine", "network.topology.nvidia.com/leaf", "nvidia.com/gpu.clique"}},
		"AWS":                           {[]map[string]string{carries("topology.k8s.aws/network-node-layer-3", "topology.k8s.aws/network-node-layer-1")}, []string{"topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-3"}},
		"GKE":                           {[]map[string]string{carries("cloud.google.com/gce-topology-subblock", "cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-host")}, []string{"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock"}},
		"Azure":                         {[]map[string]string{carries("kubernetes.azure.com/ppg")}, []string{"kubernetes.azure.com/ppg"}},
		"two generations are not mixed": {[]map[string]string{carries("fabric.topograph.run/tier-0", "network.topology.nvidia.com/leaf")}, []string{"fabric.topograph.run/tier-0"}},
	} {
		t.Run(name, func(t *testing.T) {
			var fleet []Labelled
			for i, labels := range tt.fleet {
				fleet = append(fleet, Labelled{fmt.Sprintf("n%d", i), labels})
			}
			keys, warnings := Keys(fleet)
			require.Equal(t, tt.want, keys)
			require.Empty(t, warnings)
		})
	}
}

func TestKeysThatSomeNodesLack(t *testing.T) {
	const leaf, clique = "network.topology.nvidia.com/leaf", "nvidia.com/gpu.clique"
	fleet := func(n, cliques int) (all []Labelled) {
		for i := range n {
			labels := map[string]string{leaf: "l"}
			if i < cliques {
				labels[clique] = "c"
			}
			all = append(all, Labelled{fmt.Sprintf("n%d", i), labels})
		}
		return all
	}
	for name, c := range map[string]struct {
		n, cliques int
		keys       []string
		warnings   []string
	}{
		"a level that one node lacks stays one, and the node has no place": {3, 2, []string{leaf, clique},
			[]string{"1 of 3 nodes lack the topology label nvidia.com/gpu.clique (n2): they are in no group and stay untested"}},
		"a label of half of the nodes is no level": {10, 5, []string{leaf},
			[]string{"topology label nvidia.com/gpu.clique is on 5 of 10 nodes only (n0, n1, n2, n3 and 1 more): groups do not follow it"}},
		"what every node carries or none does is not worth a word": {3, 3, []string{leaf, clique}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			keys, warnings := Keys(fleet(c.n, c.cliques))
			require.Equal(t, c.keys, keys)
			require.Equal(t, c.warnings, warnings)
		})
	}
}

func TestPlace(t *testing.T) {
	require.Nil(t, Place(map[string]string{"a": "1"}, nil))
	require.Equal(t, []string{"1", ""}, Place(map[string]string{"a": "1", "c": "3"}, []string{"a", "b"}))
}
