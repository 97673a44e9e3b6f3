package report

import (
	"fmt"
	"math"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

const (
	rackNodes = 16
	// atOnce is the number of pairs that run side by side.
	atOnce = 8
	// peak is the bus bandwidth of a good pair in GB/s, about that of eight H100 with 400 Gbit/s each.
	peak = 388.0
	// half is the message size in bytes at which half of the peak is reached.
	half           = 24 << 20
	fleetThreshold = "value >= 350"
)

// fleetBegan is when every sample run was started.
var fleetBegan = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)

// fleet is a run of pairs that all passed. nodes is rounded up to an even number.
func fleet(nodes int) Input {
	finished := fleetBegan
	in := Input{
		Name: "nccl-pairs", Workflow: "nccl-pairs", Framework: v1alpha1.FrameworkMPI, Platform: "aws-h100", GPUArchitecture: "h100",
		Started: &fleetBegan, Domains: map[string]string{},
		Thresholds: []Threshold{{Key: v1alpha1.KeyBusBandwidth, Expression: fleetThreshold}},
		Excluded:   []v1alpha1.NodeReason{{Name: "gpu-node-000", Reason: "cordoned"}},
		Fragments:  []v1alpha1.FragmentUse{{Name: "platform-aws-h100", ResourceVersion: "81214"}},
	}
	for i := range (nodes + 1) / 2 {
		pair := []string{fmt.Sprintf("gpu-node-%03d", 2*i+1), fmt.Sprintf("gpu-node-%03d", 2*i+2)}
		for j, n := range pair {
			in.Target = append(in.Target, n)
			in.Domains[n] = fmt.Sprintf("rack-%02d", (2*i+j)/rackNodes+1)
		}
		took := 95 + 9*noise(i, 1)
		started := fleetBegan.Add(20*time.Second + time.Duration(i/atOnce)*110*time.Second + time.Duration(2*noise(i, 2)*float64(time.Second)))
		if end := started.Add(time.Duration(took * float64(time.Second))); end.After(finished) {
			finished = end
		}
		g := v1alpha1.GroupResult{
			Name: fmt.Sprintf("group-%d", i), Nodes: pair, Domain: in.Domains[pair[0]], Verdict: v1alpha1.Pass,
			Attempts: 1, Started: &started, DurationSec: took,
		}
		measure(&g, peak*(1+0.012*noise(i, 3)))
		in.Groups = append(in.Groups, g)
	}
	finished = finished.Add(15 * time.Second).Truncate(time.Second)
	in.Finished = &finished
	return in
}

// measure gives a group the table of an all_reduce from 8 B to 8 GiB whose bus bandwidth grows towards best, in GB/s.
func measure(g *v1alpha1.GroupResult, best float64) {
	b := &v1alpha1.Bandwidth{Test: "all_reduce", Ranks: new(16), Wrong: new(int64(0)), Checked: true, Complete: true}
	sum, top := 0.0, 0.0
	for exponent := 3; exponent <= 33; exponent++ {
		size := int64(1) << exponent
		bus := best * float64(size) / (float64(size) + half) * (1 + 0.01*noise(exponent, int(best)))
		alg := bus * 8 / 15 // 16 ranks: busbw = algbw * 2(n-1)/n
		at := &v1alpha1.Placement{TimeUs: math.Round(float64(size)/alg/1e3*100) / 100, AlgGBps: hundredths(alg), BusGBps: hundredths(bus), Wrong: new(int64(0))}
		b.Results = append(b.Results, v1alpha1.BandwidthSize{SizeBytes: size, DType: "float", RedOp: "sum", OutOfPlace: at, InPlace: at, Samples: 1})
		if sum += bus; bus > top {
			top = bus
			b.PeakSizeBytes = new(size)
		}
	}
	top = hundredths(top)
	b.PeakBusGBps, b.BusBandwidthGBps, b.AlgBandwidthGBps = new(top), new(top), new(hundredths(top*8/15))
	b.AvgBusGBps = new(hundredths(sum / float64(len(b.Results))))
	b.LargestSizeBusGBps = new(b.Results[len(b.Results)-1].OutOfPlace.BusGBps)
	g.Bandwidth = b
	g.Thresholds = []v1alpha1.ThresholdResult{{Key: v1alpha1.KeyBusBandwidth, Expression: fleetThreshold, Value: new(top), Met: top >= 350}}
}

func hundredths(f float64) float64 { return math.Round(f*100) / 100 }

// noise is a number from -1 to 1 that looks like chance and is the same for the same arguments.
func noise(i, j int) float64 {
	return 2*math.Mod(math.Abs(math.Sin(float64(i*127+j*311)))*43758.5453, 1) - 1
}
