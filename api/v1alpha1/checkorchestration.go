package v1alpha1

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

func (v *validator) orchestration(o *Orchestration) {
	if o == nil {
		return
	}
	const at = "spec.orchestration"
	v.placement(at+".placement", o.Placement)
	if o.Placement == Unpinned {
		v.unpinned(o)
	}
	switch o.TestScale {
	case "", IntraNode, IntraRack, FullScale:
	default:
		v.add(at+".testScale", "is %q; intra-node, intra-rack or full-scale would do", o.TestScale)
	}
	v.topology(at+".topology", o.Topology)
	if o.TestScale == IntraNode && o.Topology != nil && o.Topology.StrictDomain {
		v.add(at+".testScale", "is intra-node, groups of one, and topology.strictDomain makes one group of each domain; drop one of the two")
	}
	if o.RepeatCount != nil && (*o.RepeatCount < 1 || *o.RepeatCount > maxRepeats) {
		v.add(at+".repeatCount", "is %d; 1 to %d would do", *o.RepeatCount, maxRepeats)
	}
	if o.MaxConcurrent != nil && *o.MaxConcurrent < 0 {
		v.add(at+".maxConcurrent", "is %d; 0 (no bound) or more would do", *o.MaxConcurrent)
	}
	if o.TimeoutPerJob != "" {
		if d, err := time.ParseDuration(o.TimeoutPerJob); err != nil || d < time.Second || d > maxTimeout {
			v.add(at+".timeoutPerJob", "is %q; a duration such as 30m or 1h30m, at most 8760h, would do", o.TimeoutPerJob)
		}
	}
}

func (v *validator) placement(path string, p PlacementMode) {
	if p != "" && p != Pinned && p != Unpinned {
		v.add(path, "is %q; Pinned or Unpinned would do", shorten(string(p)))
	}
}

func (v *validator) topology(path string, t *Topology) {
	switch {
	case t == nil:
	case t.TopologyKey == "":
		v.add(path+".topologyKey", "is missing; a node's label such as topology.kubernetes.io/zone would do")
	default: // one key in the format; Seatrial takes several, outermost first
		for key := range strings.SplitSeq(t.TopologyKey, ",") {
			if len(validation.IsQualifiedName(key)) > 0 {
				v.add(path+".topologyKey", "%q is not a label key; one such as topology.kubernetes.io/zone would do", key)
			}
		}
	}
}

// maxRepeats keeps the run record, which holds every group of every repeat, within what a slip would make of it.
const maxRepeats = 1000

// unpinned names what cannot go with one job whose nodes the scheduler chooses.
func (v *validator) unpinned(o *Orchestration) {
	const at = "spec.orchestration.placement"
	switch o.TestScale {
	case IntraNode:
		v.add(at, `is Unpinned, exactly one job, and testScale "intra-node" runs one job for each target node; drop one of the two`)
	case IntraRack:
		v.add(at, `is Unpinned, exactly one job, and testScale "intra-rack" runs one job for each domain; drop one of the two, and name the domain in target.matchExpressions to keep the job inside one`)
	case FullScale: // one size for every group, as without a scale
	}
	if o.Topology != nil && o.Topology.StrictDomain {
		v.add(at, "is Unpinned, exactly one job, and topology.strictDomain runs one job for each domain; drop one of the two, and name the domain in target.matchExpressions to keep the job inside one")
	}
}

func (v *validator) bandwidth(m *BandwidthMeasurement) {
	if m == nil {
		return
	}
	const path = "spec.bandwidthMeasurement.logProfileRef"
	v.profileName(path, m.LogProfileRef)
	v.interval("spec.bandwidthMeasurement.sampleInterval", m.SampleInterval)
	if p := BuiltinLogProfile(m.LogProfileRef); p != nil && p.Spec.Patterns.BandwidthResult == nil {
		v.add(path, "is %q, which reads training steps; spec.goodputMeasurement would do", m.LogProfileRef)
	}
}

func (v *validator) goodput(m *GoodputMeasurement) {
	if m == nil {
		return
	}
	const path = "spec.goodputMeasurement.logProfileRef"
	v.profileName(path, m.LogProfileRef)
	v.interval("spec.goodputMeasurement.sampleInterval", m.SampleInterval)
	if p := BuiltinLogProfile(m.LogProfileRef); p != nil && p.Spec.Patterns.TrainingStep == nil {
		v.add(path, "is %q, which reads bandwidths; spec.bandwidthMeasurement would do", m.LogProfileRef)
	}
}

// interval checks what is accepted as the format has it and used for nothing.
func (v *validator) interval(path, interval string) {
	if d, err := time.ParseDuration(interval); interval != "" && (err != nil || d <= 0) {
		v.add(path, "is %q; a duration such as 30s would do", shorten(interval))
	}
}
