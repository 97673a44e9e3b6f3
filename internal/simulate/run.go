package simulate

import "github.com/seed-95c1acfe/seatrial/api/v1alpha1"

// threshold is the least bandwidth of a job that passes, relative to that of a healthy one: five standard deviations of the
// most noise below it, and above every fault.
const threshold = 0.9

// Run runs a job on nodes of the fleet. A single node uses no fabric.
func (f *Fleet) Run(nodes []string) v1alpha1.Verdict {
	bandwidth := 1.0
	for _, n := range nodes {
		for _, fault := range f.bad[n] {
			switch fault.Kind {
			case Dead, Wrong, Hang:
				return v1alpha1.Fail
			case Flaky:
				if f.rng.IntN(2) == 0 {
					return v1alpha1.Fail
				}
			case Slow:
				bandwidth = min(bandwidth, fault.Factor)
			case SlowLink, BadLeaf, kinds: // not of a node
			}
		}
	}
	for _, fault := range f.fabric {
		if f.touches(fault, nodes) {
			bandwidth = min(bandwidth, fault.Factor)
		}
	}
	if bandwidth*(1+f.Noise*f.rng.NormFloat64()) < threshold {
		return v1alpha1.Fail
	}
	return v1alpha1.Pass
}

// touches says whether a job uses what a fault of the fabric is in.
func (f *Fleet) touches(fault *Fault, nodes []string) bool {
	if len(nodes) < 2 {
		return false
	}
	a, b, in := false, false, 0
	for _, n := range nodes {
		a, b = a || fault.A[n], b || fault.B[n]
		if fault.Kind == BadLeaf && f.Place[n][1] == fault.Leaf {
			in++
		}
	}
	switch fault.Kind {
	case SlowLink:
		return a && b
	case BadLeaf:
		return in > 0 && (!fault.Uplink || in < len(nodes))
	case Dead, Slow, Wrong, Hang, Flaky, kinds:
	}
	return false
}
