package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// orderedGroups copies groups as deep as they are changed: sorted by name (group-2 before group-10), lists that JSON shows made empty
// instead of nil, and numbers that JSON cannot hold left out.
func orderedGroups(groups []v1alpha1.GroupResult) []v1alpha1.GroupResult {
	ordered := append([]v1alpha1.GroupResult{}, groups...)
	slices.SortStableFunc(ordered, func(a, b v1alpha1.GroupResult) int { return byNumber(a.Name, b.Name) })
	for i := range ordered {
		g := &ordered[i]
		g.Nodes = append([]string{}, g.Nodes...)
		slices.Sort(g.Nodes)
		g.Blamed = orderedReasons(g.Blamed)
		g.Bandwidth = finiteBandwidth(g.Bandwidth)
		g.Training = finiteTraining(g.Training)
		g.Thresholds = slices.Clone(g.Thresholds)
		for j := range g.Thresholds {
			g.Thresholds[j].Value = finitePointer(g.Thresholds[j].Value)
		}
		g.Probe = slices.Clone(g.Probe)
		for j := range g.Probe {
			g.Probe[j].LatencyMs = finite(g.Probe[j].LatencyMs)
		}
		g.DurationSec = finite(g.DurationSec)
	}
	return ordered
}

func orderedReasons(reasons []v1alpha1.NodeReason) []v1alpha1.NodeReason {
	ordered := append([]v1alpha1.NodeReason{}, reasons...)
	slices.SortStableFunc(ordered, func(a, b v1alpha1.NodeReason) int { return strings.Compare(a.Name, b.Name) })
	return ordered
}

// byNumber compares names by what stands before the digits at their end, then by the number.
func byNumber(a, b string) int {
	aStem, aDigits := stemAndDigits(a)
	bStem, bDigits := stemAndDigits(b)
	return cmp.Or(
		strings.Compare(aStem, bStem),
		cmp.Compare(len(strings.TrimLeft(aDigits, "0")), len(strings.TrimLeft(bDigits, "0"))),
		strings.Compare(strings.TrimLeft(aDigits, "0"), strings.TrimLeft(bDigits, "0")),
		strings.Compare(a, b),
	)
}

func stemAndDigits(name string) (stem, digits string) {
	stem = strings.TrimRight(name, "0123456789")
	return stem, name[len(stem):]
}

func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

func finitePointer(f *float64) *float64 {
	if f == nil || math.IsNaN(*f) || math.IsInf(*f, 0) {
		return nil
	}
	return f
}

func finiteList(list []float64) []float64 {
	kept := make([]float64, 0, len(list))
	for _, f := range list {
		if finitePointer(&f) != nil {
			kept = append(kept, f)
		}
	}
	return kept
}

func finiteBandwidth(b *v1alpha1.Bandwidth) *v1alpha1.Bandwidth {
	if b == nil {
		return nil
	}
	c := *b
	for _, f := range []**float64{&c.PeakBusGBps, &c.AvgBusGBps, &c.BusBandwidthGBps, &c.AlgBandwidthGBps, &c.LargestSizeBusGBps} {
		*f = finitePointer(*f)
	}
	c.Results = append([]v1alpha1.BandwidthSize{}, b.Results...)
	for i := range c.Results {
		c.Results[i].OutOfPlace = finitePlacement(c.Results[i].OutOfPlace)
		c.Results[i].InPlace = finitePlacement(c.Results[i].InPlace)
	}
	return &c
}

// finitePlacement drops a placement with a number that is none: half of it would read as a measurement.
func finitePlacement(p *v1alpha1.Placement) *v1alpha1.Placement {
	if p == nil || finitePointer(&p.TimeUs) == nil || finitePointer(&p.AlgGBps) == nil || finitePointer(&p.BusGBps) == nil {
		return nil
	}
	return p
}

func finiteTraining(t *v1alpha1.Training) *v1alpha1.Training {
	if t == nil {
		return nil
	}
	c := *t
	c.Steps = append([]int{}, t.Steps...)
	c.StepTimesSec, c.TFLOPsPerGPU = finiteList(t.StepTimesSec), finiteList(t.TFLOPsPerGPU)
	for _, f := range []**float64{&c.AvgStepTimeSec, &c.AvgTFLOPsPerGPU, &c.GoodputRatio, &c.LossLast, &c.Drift} {
		*f = finitePointer(*f)
	}
	return &c
}
