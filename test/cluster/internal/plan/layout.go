package plan

import "path/filepath"

// Layout is where the parts of one cluster lie.
type Layout struct {
	State     string // what the cluster writes: certificates, etcd, containers, logs
	Run       string // sockets; short, since the path of a unix socket has at most 107 bytes (unix(7))
	Bin       string // the programs, read only
	Manifests string // the controllers' manifests, read only
	Images    string // archives of the cluster's own images, read only
	CNI       string // the CNI plugins of the Debian package
	NetNS     string // name of the network namespace
}

// CNIFolder is where the Debian package containernetworking-plugins puts the plugins.
const CNIFolder = "/usr/lib/cni"

// NetNSFile returns the file of the network namespace.
func (l Layout) NetNSFile() string { return filepath.Join("/run/netns", l.NetNS) }

// Kubeconfig returns the administrator's kubeconfig.
func (l Layout) Kubeconfig() string { return filepath.Join(l.State, "kubeconfig") }

// PKI returns a file among the certificates.
func (l Layout) PKI(name string) string { return filepath.Join(l.State, "pki", name) }

// Log returns the log of a component.
func (l Layout) Log(component string) string { return filepath.Join(l.State, "log", component+".log") }

// Etcd returns the folder of the database.
func (l Layout) Etcd() string { return filepath.Join(l.State, "etcd") }

// Scheduler returns the configuration of the scheduler.
func (l Layout) Scheduler() string { return filepath.Join(l.State, "scheduler.yaml") }

// Corefile returns the configuration of CoreDNS.
func (l Layout) Corefile() string { return filepath.Join(l.State, "Corefile") }

// Controller returns the folder of a controller that runs outside the cluster.
func (l Layout) Controller(name string) string { return filepath.Join(l.State, name) }

// ServingCertificates returns where controller-runtime looks for a webhook's certificate when TMPDIR is the controller's folder.
func (l Layout) ServingCertificates(name string) string {
	return filepath.Join(l.Controller(name), "k8s-webhook-server", "serving-certs")
}

// Node returns the folder of a node.
func (l Layout) Node(name string) string { return filepath.Join(l.State, "nodes", name) }

// Socket returns the containerd socket of a node.
func (l Layout) Socket(node string) string {
	return filepath.Join(l.Run, node, "containerd.sock")
}

// CgroupName returns the cgroup, below the root, of everything that runs on a node.
func (l Layout) CgroupName(node string) string { return l.NetNS + "-" + node }

func (l Layout) binary(name string) string { return filepath.Join(l.Bin, name) }
