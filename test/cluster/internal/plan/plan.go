// Package plan says what one local cluster consists of: which programs run, with which arguments, files and addresses, and
// how each shows that it is well. It is pure: `up` carries the plan out and `status` asks the same plan, so they never
// disagree.
//
//  1. Layout: where everything lies.
//  2. Components: control plane, nodes and controllers, in the order of their start.
//  3. Files: what each reads at its start.
//  4. Manifests: what the controllers need inside the API server, changed for controllers that run outside it.
package plan

import "fmt"

// The addresses of the cluster. They exist in its own network namespace only, so they meet no other network.
const (
	ServiceAddress = "100.64.0.1" // the API server as pods know it; on lo, so that no kube-proxy is needed
	serviceRange   = "100.64.0.0/24"
	HostAddress    = "100.65.0.1" // every node: the kubelets share one host and differ by port
	BridgeAddress  = "100.66.0.1" // the pods' gateway and name server
	podRange       = "100.66.0.0/16"
	firstPod       = "100.66.1.1"
	BridgeMask     = 16
	Bridge         = "cni0"
	PodNetwork     = "seatrial-pods" // the name that CNI plugins note it under
	clusterDomain  = "cluster.local"
	clusterName    = "seatrial"
)

// Names of images that every node holds. No registry is asked for them.
const (
	PauseImage    = "docker.io/devcluster/pause:1"
	ArgoexecImage = "docker.io/devcluster/argoexec:1"
)

// MaxNodes keeps two digits in a node's name and its ports apart from those of the next service.
const MaxNodes = 64

// Component is one program of the cluster.
type Component struct {
	Name  string
	Argv  []string
	Env   []string // beside the caller's own
	Probe Probe
}

// Probe is how a component shows that it is well: by an answer of 200 at URL, or else by taking a connection.
type Probe struct {
	URL              string
	Network, Address string // "tcp" or "unix", when URL is empty
}

// NodeName returns the name of the i-th node, counted from 1.
func NodeName(i int) string { return fmt.Sprintf("gpu-node-%02d", i) }

// NodeNames returns the names of n nodes.
func NodeNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = NodeName(i + 1)
	}
	return names
}
