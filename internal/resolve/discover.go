package resolve

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Ask is what the user says of the nodes, which goes before what they show. Its zero value asks for nothing.
type Ask struct {
	// Platform and Architecture are not detected when they are given.
	Platform, Architecture string
	GPUs, NICs             *int32
	NICResource            string
	// MNNVL is nil to have multi-node NVLink where it exists, on gb200 and gb300.
	MNNVL *bool
	// TopologyKey is the label by which nodes are cut into domains; "" for none.
	TopologyKey string
}

// AskOf collects what a run says of the nodes.
func AskOf(spec *v1alpha1.WorkloadRunSpec, options v1alpha1.Options) Ask {
	ask := Ask{
		Platform: options.Platform, Architecture: options.GPUArchitecture,
		GPUs: spec.GPUsPerNode, NICs: spec.MlnxPerNode, MNNVL: spec.EnableMNNVL,
	}
	if spec.NICResourceName != nil {
		ask.NICResource = *spec.NICResourceName
	}
	if o := spec.Orchestration; o != nil && o.Topology != nil {
		ask.TopologyKey = o.Topology.TopologyKey
	}
	return ask
}

// Discovery is what the nodes of a target come to.
type Discovery struct {
	Selection
	Facts
	Warnings []string
}

// Discover selects the target's nodes and finds out what they have in common. products are the GPU products of nodes
// without the label, as Products reads them; nil when every node has it. An error leaves the selection readable.
func Discover(nodes []corev1.Node, products map[string]string, target *v1alpha1.Target, ask Ask) (d Discovery, err error) {
	// 1. Which nodes.
	d.Selection = Select(nodes, target)
	for i := range d.Eligible {
		if n := &d.Eligible[i]; n.Architecture == "" {
			n.Architecture = architectureOf(products[n.Name])
		}
	}
	if len(d.Eligible) == 0 {
		return d, nil
	}
	byName := map[string]corev1.Node{}
	for _, n := range nodes {
		byName[n.Name] = n
	}
	// 2. One platform, one architecture.
	if d.Platform = ask.Platform; d.Platform == "" {
		if d.Platform, d.Warnings, err = commonPlatform(d.raw(byName)); err != nil {
			return d, err
		}
	}
	if d.Architecture = ask.Architecture; d.Architecture == "" {
		d.Architecture = Architecture(d.Eligible)
	}
	d.Selection = d.withArchitecture(d.Architecture, ask.Architecture != "")
	// 3. Sizes; nodes that have less are left out.
	var gpus []int64
	for _, n := range d.Eligible {
		gpus = append(gpus, n.GPUs)
	}
	if err := d.countGPUs(ask.GPUs, gpus); err != nil {
		return d, err
	}
	d.Selection = d.WithoutSmall(d.GPUs)
	// 4. What is left has this in common.
	left := d.raw(byName)
	d.warn(d.describe(left, ask))
	return d, nil
}

// describe finds the facts that depend on platform and architecture. nodes are none offline.
func (f *Facts) describe(nodes []corev1.Node, ask Ask) []string {
	var notes []string
	f.MNNVL = f.Architecture == "gb200" || f.Architecture == "gb300"
	if ask.MNNVL != nil {
		f.MNNVL = *ask.MNNVL
	}
	f.Resources, f.Partial = commonResources(nodes)
	notes = append(notes, f.detectNICs(nodes, ask))
	if f.Platform == "gcp" && f.Architecture == "h100" {
		var note string
		f.Networks, note = gkeNetworks(nodes)
		notes = append(notes, note)
	}
	if f.TopologyKey = ask.TopologyKey; f.TopologyKey != "" {
		domains := map[string]bool{}
		for i := range nodes {
			domains[nodes[i].Labels[f.TopologyKey]] = true
		}
		f.Domains = len(domains)
	}
	return notes
}

// Offline returns the facts of nodes that nobody has seen: what the user says, and the tables.
func Offline(ask Ask) (Facts, error) {
	f := Facts{Platform: ask.Platform, Architecture: ask.Architecture}
	if err := f.countGPUs(ask.GPUs, nil); err != nil {
		return f, err
	}
	f.describe(nil, ask)
	return f, nil
}

func (d *Discovery) warn(notes []string) {
	for _, n := range notes {
		if n != "" {
			d.Warnings = append(d.Warnings, n)
		}
	}
}

// raw are the eligible nodes as the cluster has them.
func (s Selection) raw(byName map[string]corev1.Node) []corev1.Node {
	nodes := make([]corev1.Node, 0, len(s.Eligible))
	for _, n := range s.Eligible {
		nodes = append(nodes, byName[n.Name])
	}
	return nodes
}

// commonResources are the extended resources and huge pages that every node advertises, each with the least count, and those
// that only some do, each with their number; nil without nodes.
func commonResources(nodes []corev1.Node) (common map[string]int64, partial map[string]int) {
	on := map[string]int{}
	least := map[string]int64{}
	for i := range nodes {
		for resource, q := range nodes[i].Status.Allocatable {
			r := string(resource)
			if q.Value() > 0 && (strings.Contains(r, "/") || strings.HasPrefix(r, corev1.ResourceHugePagesPrefix)) {
				if on[r]++; on[r] == 1 || q.Value() < least[r] {
					least[r] = q.Value()
				}
			}
		}
	}
	for r, count := range on {
		if count == len(nodes) {
			if common == nil {
				common = map[string]int64{}
			}
			common[r] = least[r]
			continue
		}
		if partial == nil {
			partial = map[string]int{}
		}
		partial[r] = count
	}
	return common, partial
}
