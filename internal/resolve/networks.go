package resolve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const (
	// prefixNetwork begins the resources by which GKE advertises a node's secondary networks.
	prefixNetwork = "networking.gke.io.networks/"
	// tcpxoNetworks is the number of networks that GPUDirect-TCPXO drives on an a3-megagpu-8g.
	tcpxoNetworks = 8
	// annotations of a node that say which interface a network has.
	annotationNorth = "networking.gke.io/north-interfaces"
	annotationNIC   = "networking.gke.io/nic-info"
)

// gkeNetworks returns the names of the secondary networks of GKE nodes with H100, in the order of the host's interfaces where
// the first node says it, else by name. Unless there are exactly eight on every node it returns the names of Google's own
// set-up, gpu-nic0 to gpu-nic7, and why.
func gkeNetworks(nodes []corev1.Node) (names []string, note string) {
	on := map[string]int{}
	for i := range nodes {
		for resource := range nodes[i].Status.Allocatable {
			name, is := strings.CutPrefix(string(resource), prefixNetwork)
			if is && name != "default" && !strings.HasSuffix(name, ".IP") {
				on[name]++
			}
		}
	}
	for name, count := range on {
		if count == len(nodes) {
			names = append(names, name)
		}
	}
	if len(names) != tcpxoNetworks {
		standard := make([]string, tcpxoNetworks)
		for i := range standard {
			standard[i] = fmt.Sprintf("gpu-nic%d", i)
		}
		if len(nodes) == 0 {
			return standard, ""
		}
		return standard, fmt.Sprintf("the networks gpu-nic0 to gpu-nic7 are taken: %d networks are on every node, and GPUDirect-TCPXO takes %d", len(names), tcpxoNetworks)
	}
	slices.Sort(names)
	if order := hostOrder(&nodes[0]); order != nil {
		slices.SortStableFunc(names, func(a, b string) int { return strings.Compare(order[a], order[b]) })
	}
	return names, ""
}

// hostOrder maps a node's networks to their interfaces on the host (eth1, …), by the address that both annotations have; nil
// when they do not say.
func hostOrder(n *corev1.Node) map[string]string {
	var north []struct{ Network, IPAddress string }
	var nics []struct{ BirthIP, BirthName string }
	if json.Unmarshal([]byte(n.Annotations[annotationNorth]), &north) != nil || json.Unmarshal([]byte(n.Annotations[annotationNIC]), &nics) != nil {
		return nil
	}
	order := map[string]string{}
	for _, network := range north {
		for _, nic := range nics {
			if network.IPAddress != "" && network.IPAddress == nic.BirthIP {
				order[network.Network] = fmt.Sprintf("%08s", nic.BirthName) // eth10 comes after eth9
			}
		}
	}
	if len(order) == 0 {
		return nil
	}
	return order
}
