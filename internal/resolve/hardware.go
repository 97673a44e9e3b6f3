package resolve

import (
	"fmt"
	"sort"
	"strings"
)

// hardware is what a node of an architecture has.
type hardware struct{ gpus, nics int32 }

// byArchitecture and byPlatform are the fallback where the nodes do not agree on what they have: the defaults of the Cluster
// Readiness Engine v0.8.0. The platform's row goes before the architecture's; -1 leaves a number to the latter.
var (
	byArchitecture = map[string]hardware{
		"h100": {8, 8}, "a100": {8, 8}, "b200": {8, 8}, "b300": {8, 8}, "h200": {8, 8}, "l40s": {8, 8}, "l40": {8, 4},
		"gb200": {4, 8}, "gb300": {4, 8}, "rtxpro6000": {8, 0},
	}
	byPlatform = map[string]hardware{
		"oci/l40s": {4, 2}, "oci/gb200": {4, 0}, "oci/gb300": {4, 4}, "nscale/gb300": {-1, 4},
	}
)

// hardwareOf looks the two numbers up; known is false for an architecture that is in no table.
func hardwareOf(platform, architecture string) (h hardware, known bool) {
	h, known = byArchitecture[architecture]
	if p, has := byPlatform[platform+"/"+architecture]; has {
		if p.gpus >= 0 {
			h.gpus = p.gpus
		}
		h.nics, known = p.nics, true
	}
	return h, known
}

// countGPUs sets how many GPUs of each node the job takes: what was asked for, else what every node that advertises GPUs
// agrees on, else the table's number. It is an error when nothing is known, since a guess would size the job wrongly everywhere.
func (f *Facts) countGPUs(asked *int32, advertised []int64) error {
	if asked != nil {
		f.GPUs, f.GPUsFrom = *asked, "spec.gpusPerNode"
		return nil
	}
	agreed, differ := agreement(advertised)
	h, known := hardwareOf(f.Platform, f.Architecture)
	switch {
	case agreed > 0:
		f.GPUs, f.GPUsFrom = int32(min(agreed, 1<<30)), "what the nodes advertise"
	case known && differ == "":
		f.GPUs, f.GPUsFrom = h.gpus, "the default for "+f.Architecture+", since the nodes advertise no GPUs"
	case known:
		f.GPUs, f.GPUsFrom = h.gpus, "the default for "+f.Architecture+", since the nodes advertise different numbers ("+differ+")"
	case differ == "":
		return fmt.Errorf("the nodes advertise no GPUs and their architecture %q is not known; set gpusPerNode", f.Architecture)
	default:
		return fmt.Errorf("the nodes advertise different numbers of GPUs (%s); set gpusPerNode, or narrow the target", differ)
	}
	return nil
}

// countNICs sets how many NICs of each node the job takes, in the same way. Nothing known is 0: none is asked for.
func (f *Facts) countNICs(asked *int32, advertised []int64) {
	if asked != nil {
		f.NICs, f.NICsFrom = *asked, "spec.mlnxPerNode"
		return
	}
	h, _ := hardwareOf(f.Platform, f.Architecture)
	f.NICs, f.NICsFrom = h.nics, "the default for "+f.Architecture
	if agreed, _ := agreement(advertised); agreed > 0 {
		f.NICs, f.NICsFrom = int32(min(agreed, 1<<30)), "what the nodes advertise"
	}
}

// agreement returns the number on which all nodes that advertise any agree, or what they say; 0 stands for a device plugin
// that is restarting and has no vote.
func agreement(advertised []int64) (agreed int64, differ string) {
	counts := map[int64]int{}
	for _, n := range advertised {
		if n > 0 {
			counts[n]++
			agreed = n
		}
	}
	if len(counts) < 2 {
		return agreed, ""
	}
	var all []string
	for count, nodes := range counts {
		all = append(all, fmt.Sprintf("%d on %d nodes", count, nodes))
	}
	sort.Strings(all)
	return 0, strings.Join(all, ", ")
}
