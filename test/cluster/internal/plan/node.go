package plan

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// First ports of the kubelets: node i listens on port + i.
const (
	kubeletPort       = 10300
	kubeletHealthPort = 10400
)

// KubeletPrefix and the name of a node are the name of its kubelet.
const KubeletPrefix = "kubelet-"

// GPUs that every node claims to have, and what it says of them.
const (
	GPUResource = "nvidia.com/gpu"
	GPUsPerNode = 8
	nodeLabels  = "nvidia.com/gpu.present=true,nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3"
)

// Containerd is the container runtime of one node. Every node has its own, since a kubelet removes each sandbox that it does not know.
func (l Layout) Containerd(node string) Component {
	return Component{
		Name:  "containerd-" + node,
		Argv:  []string{"containerd", "-c", l.containerdFile(node)},
		Probe: Probe{Network: "unix", Address: l.Socket(node)},
	}
}

// Kubelet is the kubelet of the i-th node, counted from 1.
func (l Layout) Kubelet(i int) Component {
	node := NodeName(i)
	return Component{
		Name: KubeletPrefix + node,
		Argv: []string{l.binary("kubelet"), "--config=" + l.kubeletFile(node), "--kubeconfig=" + filepath.Join(l.Node(node), "kubeconfig"),
			"--hostname-override=" + node, "--root-dir=" + filepath.Join(l.Node(node), "kubelet"), "--cert-dir=" + l.PKI(node),
			"--node-ip=" + HostAddress, "--node-labels=" + nodeLabels},
		Probe: Probe{URL: "http://127.0.0.1:" + strconv.Itoa(kubeletHealthPort+i) + "/healthz"},
	}
}

// NodeFiles returns the files of the i-th node by path. Its providerID is provider and its name; it has none when provider is empty.
func (l Layout) NodeFiles(i int, provider string) map[string]string {
	node := NodeName(i)
	return map[string]string{
		l.containerdFile(node):                         l.containerdText(node),
		l.kubeletFile(node):                            l.kubeletText(i, provider),
		filepath.Join(l.cni(node), "10-pods.conflist"): l.cniText(),
		filepath.Join(l.Node(node), "kubeconfig"):      l.KubeconfigText(node),
	}
}

// NodeFolders returns the folders that must exist before a node starts.
func (l Layout) NodeFolders(node string) []string {
	return []string{l.cni(node), l.podLogs(node), filepath.Join(l.Node(node), "kubelet"), filepath.Dir(l.Socket(node)), l.PKI(node)}
}

func (l Layout) containerdFile(node string) string {
	return filepath.Join(l.Node(node), "containerd.toml")
}
func (l Layout) kubeletFile(node string) string { return filepath.Join(l.Node(node), "kubelet.yaml") }
func (l Layout) cni(node string) string         { return filepath.Join(l.Node(node), "cni") }
func (l Layout) podLogs(node string) string     { return filepath.Join(l.Node(node), "podlogs") }

// containerdText is of version 2, which containerd 1.6 (Debian 12) and 1.7 (Debian 13) both read.
func (l Layout) containerdText(node string) string {
	return fmt.Sprintf(`version = 2
root = %q
state = %q
[grpc]
  address = %q
[ttrpc]
  address = ""
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = %q
  restrict_oom_score_adj = true  # without CAP_SYS_RESOURCE runc may not lower it
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = %q
    conf_dir = %q
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`, filepath.Join(l.Node(node), "containerd"), filepath.Dir(l.Socket(node)), l.Socket(node), PauseImage, l.CNI, l.cni(node))
}

func (l Layout) kubeletText(i int, provider string) string {
	node := NodeName(i)
	config := map[string]any{
		"apiVersion": "kubelet.config.k8s.io/v1beta1",
		"kind":       "KubeletConfiguration",
		"authentication": map[string]any{
			"anonymous": map[string]any{"enabled": false}, "webhook": map[string]any{"enabled": false},
			"x509": map[string]any{"clientCAFile": l.PKI("ca.crt")}},
		"authorization":            map[string]any{"mode": "AlwaysAllow"},
		"address":                  HostAddress,
		"port":                     kubeletPort + i,
		"healthzBindAddress":       "127.0.0.1",
		"healthzPort":              kubeletHealthPort + i,
		"cgroupDriver":             "cgroupfs", // systemd need not run here
		"cgroupRoot":               "/" + l.CgroupName(node),
		"enforceNodeAllocatable":   []any{"pods"},
		"failSwapOn":               false,
		"failCgroupV1":             false,
		"containerRuntimeEndpoint": "unix://" + l.Socket(node),
		"tlsCertFile":              l.PKI(node + ".crt"),
		"tlsPrivateKeyFile":        l.PKI(node + ".key"),
		"clusterDNS":               []any{BridgeAddress},
		"clusterDomain":            clusterDomain,
		"resolvConf":               "/dev/null",
		// Images are loaded once and cannot be pulled again, and a full disk of the host is not a sick node. Without any
		// threshold the kubelet does not look; with one it fails to, as it does not know the file system ("0%" is none).
		"imageGCHighThresholdPercent":   100,
		"evictionHard":                  map[string]any{"memory.available": "0%", "nodefs.available": "0%", "nodefs.inodesFree": "0%", "imagefs.available": "0%", "imagefs.inodesFree": "0%"},
		"localStorageCapacityIsolation": false,
		"maxPods":                       250,
		"podLogsDir":                    l.podLogs(node), // a kubelet removes the logs of pods that it does not know
		// Small, so that rotation happens in tests too. Ordinary jobs print less.
		"containerLogMaxSize": "256Ki", "containerLogMaxFiles": 3, "containerLogMonitorInterval": "3s",
	}
	if provider != "" {
		config["providerID"] = provider + node
	}
	return render(config)
}

// cniText is one bridge for all nodes: pods reach each other and the host's addresses, and nothing else. The address book is shared.
func (l Layout) cniText() string {
	return render(map[string]any{
		"cniVersion": "1.0.0",
		"name":       PodNetwork,
		"plugins": []any{map[string]any{
			"type": "bridge", "bridge": Bridge, "hairpinMode": true,
			"ipam": map[string]any{
				"type": "host-local", "dataDir": filepath.Join(l.State, "ipam"),
				"ranges": []any{[]any{map[string]any{"subnet": podRange, "rangeStart": firstPod, "gateway": BridgeAddress}}},
				"routes": []any{map[string]any{"dst": "0.0.0.0/0"}}}}},
	})
}
