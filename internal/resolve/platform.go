package resolve

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Hints beside the providerID.
const (
	labelForgeSite      = "nke.nvidia.com/site-name"
	labelTogetherWorker = "node-role.together.ai/worker"
	resourceNscaleRDMA  = "nscale.com/rdmashare"
	prefixMetal3        = "metal3://"
)

// Platform returns the platform of a node, one of v1alpha1.Platforms: the beginning of spec.providerID says, and hints where it
// is shared or empty. The rules are those of the Cluster Readiness Engine v0.8.0. Whatever is not known is onprem.
func Platform(n *corev1.Node) string {
	id := n.Spec.ProviderID
	_, forgeSite := n.Labels[labelForgeSite]
	_, together := n.Labels[labelTogetherWorker]
	switch {
	case id == "" && (forgeSite || strings.Contains(n.Labels[corev1.LabelHostname], "forge")):
		return "forge"
	case strings.HasPrefix(id, "aws://"):
		return "aws"
	case strings.HasPrefix(id, "gce://"):
		return "gcp"
	case strings.HasPrefix(id, "azure://"):
		return "azure"
	case strings.HasPrefix(id, "ocid1."): // Oracle's IDs have no scheme
		return "oci"
	case strings.HasPrefix(id, "nscale://"), strings.HasPrefix(id, "openstack://") && advertises(n, resourceNscaleRDMA) > 0:
		return "nscale"
	case strings.HasPrefix(id, "kubevirt://") && together:
		return "togetherai"
	case strings.HasPrefix(id, prefixMetal3):
		return "mistral"
	}
	return "onprem"
}

// commonPlatform returns the platform of all nodes, which must agree, since one set of fragments serves all groups.
func commonPlatform(nodes []corev1.Node) (platform string, warnings []string, err error) {
	first := map[string]string{} // platform to a node of it
	counts := map[string]int{}
	metal3 := false
	for i := range nodes {
		p := Platform(&nodes[i])
		if counts[p]++; counts[p] == 1 || nodes[i].Name < first[p] {
			first[p] = nodes[i].Name
		}
		metal3 = metal3 || strings.HasPrefix(nodes[i].Spec.ProviderID, prefixMetal3)
		platform = p
	}
	if len(counts) > 1 {
		var parts []string
		for p, n := range counts {
			parts = append(parts, fmt.Sprintf("%s (%d nodes, such as %s)", p, n, first[p]))
		}
		slices.Sort(parts)
		return "", nil, fmt.Errorf("HeterogeneousPlatform: the nodes are of several platforms: %s; narrow the target, or set the parameter platform", strings.Join(parts, ", "))
	}
	if metal3 {
		warnings = append(warnings, "the platform is taken for mistral since the nodes' providerID begins with metal3://; if they are another site's, set the parameter platform to onprem")
	}
	return platform, warnings, nil
}

// advertises returns how many of a resource a node has in allocatable; 0 when it has none.
func advertises(n *corev1.Node, resource string) int64 {
	q := n.Status.Allocatable[corev1.ResourceName(resource)]
	return q.Value()
}
