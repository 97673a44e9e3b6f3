package plan

import (
	"fmt"
	"path/filepath"
)

const etcdAddress = "http://127.0.0.1:2379"

// EtcdComponent is the database.
func (l Layout) EtcdComponent() Component {
	return Component{
		Name: "etcd",
		Argv: []string{l.binary("etcd"), "--data-dir", l.Etcd(),
			"--listen-client-urls", etcdAddress, "--advertise-client-urls", etcdAddress, "--listen-peer-urls", "http://127.0.0.1:2380",
			"--unsafe-no-fsync", // the state is thrown away with the cluster
			"--log-level", "warn"},
		Probe: Probe{URL: etcdAddress + "/health"},
	}
}

// APIServer is the Kubernetes API server.
func (l Layout) APIServer() Component {
	return Component{
		Name: "apiserver",
		Argv: []string{l.binary("kube-apiserver"), "--etcd-servers=" + etcdAddress,
			"--secure-port=443", "--bind-address=0.0.0.0", "--advertise-address=" + HostAddress, "--service-cluster-ip-range=" + serviceRange,
			"--tls-cert-file=" + l.PKI("apiserver.crt"), "--tls-private-key-file=" + l.PKI("apiserver.key"), "--client-ca-file=" + l.PKI("ca.crt"),
			"--cert-dir=" + l.PKI(""), "--authorization-mode=Node,RBAC", "--allow-privileged=true",
			"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + l.PKI("sa.pub"), "--service-account-signing-key-file=" + l.PKI("sa.key"),
			"--kubelet-client-certificate=" + l.PKI("admin.crt"), "--kubelet-client-key=" + l.PKI("admin.key"), "--kubelet-preferred-address-types=InternalIP",
			"--endpoint-reconciler-type=none",
			"--enable-aggregator-routing=true"}, // webhooks: straight to an endpoint, since no kube-proxy serves service addresses
		Probe: Probe{URL: "https://" + ServiceAddress + "/readyz"},
	}
}

// ControlPlane is what runs beside the API server, in any order.
func (l Layout) ControlPlane() []Component {
	return []Component{
		{
			Name: "controller-manager",
			Argv: []string{l.binary("kube-controller-manager"), "--kubeconfig=" + l.Kubeconfig(), "--cert-dir=" + l.PKI("controller-manager"),
				"--service-account-private-key-file=" + l.PKI("sa.key"), "--root-ca-file=" + l.PKI("ca.crt"), "--use-service-account-credentials",
				"--leader-elect=false", "--controllers=*,-nodeipam,-cloud-node-lifecycle"},
			Probe: Probe{URL: "https://127.0.0.1:10257/healthz"},
		},
		{
			Name:  "scheduler",
			Argv:  []string{l.binary("kube-scheduler"), "--config=" + l.Scheduler(), "--cert-dir=" + l.PKI("scheduler")},
			Probe: Probe{URL: "https://127.0.0.1:10259/healthz"},
		},
		{
			Name:  "coredns",
			Argv:  []string{l.binary("coredns"), "-conf", l.Corefile()},
			Probe: Probe{Network: "tcp", Address: BridgeAddress + ":53"},
		},
	}
}

// CorefileText configures CoreDNS: the names of services and pods, and nothing from outside.
func (l Layout) CorefileText() string {
	return fmt.Sprintf(".:53 {\n  bind %s\n  errors\n  kubernetes %s {\n    kubeconfig %s\n    ttl 1\n  }\n}\n", BridgeAddress, clusterDomain, l.Kubeconfig())
}

// SchedulerText configures the scheduler. Its further profiles answer to the names of gang schedulers, so that runs which ask for
// one are placed; they know nothing of gangs.
func (l Layout) SchedulerText() string {
	return render(map[string]any{
		"apiVersion":       "kubescheduler.config.k8s.io/v1",
		"kind":             "KubeSchedulerConfiguration",
		"clientConnection": map[string]any{"kubeconfig": l.Kubeconfig()},
		"leaderElection":   map[string]any{"leaderElect": false},
		"profiles": []any{map[string]any{"schedulerName": "default-scheduler"},
			map[string]any{"schedulerName": "kai-scheduler"}, map[string]any{"schedulerName": "runai-scheduler"}},
	})
}

// KubeconfigText is a kubeconfig for the user with the named certificate.
func (l Layout) KubeconfigText(user string) string {
	return render(map[string]any{
		"apiVersion": "v1",
		"kind":       "Config",
		"clusters": []any{map[string]any{"name": clusterName, "cluster": map[string]any{
			"server": "https://" + ServiceAddress + ":443", "certificate-authority": l.PKI("ca.crt")}}},
		"users": []any{map[string]any{"name": user, "user": map[string]any{
			"client-certificate": l.PKI(user + ".crt"), "client-key": l.PKI(user + ".key")}}},
		"contexts":        []any{map[string]any{"name": clusterName, "context": map[string]any{"cluster": clusterName, "user": user}}},
		"current-context": clusterName,
	})
}

// CertificateFolders are the folders that programs write self-signed certificates of their own into.
func (l Layout) CertificateFolders() []string {
	return []string{l.PKI(""), l.PKI("controller-manager"), l.PKI("scheduler"), filepath.Dir(l.Log(""))}
}
