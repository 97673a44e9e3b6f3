package resolve

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// resourceNIC is what NVIDIA's network operator advertises, one for each NIC.
const resourceNIC = "nvidia.com/mlnxnics"

// nicPlatforms ask for NICs by resourceNIC, whatever the architecture. Forge does so for l40 only.
var nicPlatforms = []string{"azure", "oci", "togetherai"}

// nicArchitectures are those of on-prem nodes whose NIC resource is looked for.
var nicArchitectures = []string{"gb200", "gb300", "b200", "b300"}

// detectNICs sets the NIC resource and the number of NICs. A name that was given counts on those on-prem nodes alone for which it
// would else be looked for (nvcre-workloadrun.md §3.2). An on-prem site may name its resource as it likes, so it is looked
// for, and used only when there is no doubt; note says why there is none.
func (f *Facts) detectNICs(nodes []corev1.Node, ask Ask) (note string) {
	looked := f.Platform == "onprem" && slices.Contains(nicArchitectures, f.Architecture)
	switch {
	case ask.NICResource != "" && looked:
		f.NICResource = ask.NICResource
	case slices.Contains(nicPlatforms, f.Platform), f.Platform == "forge" && f.Architecture == "l40":
		f.NICResource = resourceNIC
	}
	f.countNICs(ask.NICs, countsOf(nodes, f.NICResource))
	if f.NICResource != "" || !looked || len(nodes) == 0 {
		return ""
	}
	found, note := nicCandidate(nodes, max(int64(f.NICs), 1))
	if f.NICResource = found; found != "" {
		f.countNICs(ask.NICs, countsOf(nodes, found))
	}
	return note
}

// countsOf lists how many of a NIC resource each node advertises, or nothing for a resource whose count is not one of NICs: a
// shared RDMA plugin advertises as many rdma/… as pods may use a NIC, often 1000.
func countsOf(nodes []corev1.Node, resource string) []int64 {
	var counts []int64
	if resource == resourceNIC {
		for i := range nodes {
			counts = append(counts, advertises(&nodes[i], resource))
		}
	}
	return counts
}

// nicCandidate returns the only RDMA resource that every node advertises at least least times, or why there is none.
func nicCandidate(nodes []corev1.Node, least int64) (name, note string) {
	names := map[string]int{} // to the number of nodes that advertise enough of it
	for i := range nodes {
		for resource := range nodes[i].Status.Allocatable {
			if r := string(resource); r == resourceNIC || strings.HasPrefix(r, "rdma/") {
				names[r] += 0
				if advertises(&nodes[i], r) >= least {
					names[r]++
				}
			}
		}
	}
	var all, enough []string
	for r, on := range names {
		all = append(all, r)
		if on == len(nodes) {
			enough = append(enough, r)
		}
	}
	slices.Sort(all)
	slices.Sort(enough)
	switch {
	case len(enough) == 1:
		return enough[0], ""
	case len(enough) > 1:
		return "", fmt.Sprintf("no NIC is asked for: every node advertises several RDMA resources (%s); spec.nicResourceName chooses one", strings.Join(enough, ", "))
	case len(all) == 0:
		return "", "no NIC is asked for: no node advertises an RDMA resource (rdma/… or " + resourceNIC + "); spec.nicResourceName names another"
	}
	return "", fmt.Sprintf("no NIC is asked for: of the RDMA resources (%s) none is advertised %d times or more by every node; spec.nicResourceName or spec.mlnxPerNode would do", strings.Join(all, ", "), least)
}
