package partition

import (
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
		"a label that one node lacks does not count": {[]map[string]string{carries("network.topology.nvidia.com/leaf", "nvidia.com/gpu.clique"), carries("network.topology.nvidia.com/leaf")},
			[]string{"network.topology.nvidia.com/leaf"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, Keys(tt.fleet)) })
	}
}

func TestPlace(t *testing.T) {
	require.Nil(t, Place(map[string]string{"a": "1"}, nil))
	require.Equal(t, []string{"1", ""}, Place(map[string]string{"a": "1", "c": "3"}, []string{"a", "b"}))
}
