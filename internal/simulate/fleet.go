package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

// Fleet is nodes with faults.
type Fleet struct {
	Nodes []partition.Node
	Place map[string][]string
	// Size is the number of nodes of a screening group, Follow whether groups follow the fabric.
	Size   int
	Follow bool
	// Noise is the standard deviation of a bandwidth, relative to it.
	Noise  float64
	Faults []Fault

	rng *rand.Rand
	// bad are the faults of a node.
	bad map[string][]*Fault
	// fabric are the faults between nodes.
	fabric []*Fault
}

// keys are the levels of every fleet, outermost first.
var keys = []string{"spine", "leaf"}

// leavesPerSpine is small, so that jobs cross spines as well.
const leavesPerSpine = 4

// New draws a fleet of 8 to 1,024 nodes from a seed, with up to five faults of each kind. The same seed gives the same fleet
// and, job for job, the same results.
func New(seed uint64) *Fleet {
	rng := rand.New(rand.NewPCG(seed, 0x5ea))
	n := int(math.Round(8 * math.Pow(2, 7*rng.Float64())))
	f := newFleet(rng, n, []int{4, 8, 16, 32}[rng.IntN(4)])
	f.Size = []int{2, 4, 8, 16}[rng.IntN(4)]
	f.Follow = rng.IntN(2) == 0
	f.Noise = 0.02 * rng.Float64()
	for k := range kinds {
		if rng.IntN(2) == 0 { // half of the fleets lack each kind, so that many have one alone
			continue
		}
		for range 1 + rng.IntN(5) {
			f.strike(k)
		}
	}
	f.index()
	return f
}

func newFleet(rng *rand.Rand, n, leaf int) *Fleet {
	f := &Fleet{Place: map[string][]string{}, rng: rng}
	for i := range n {
		node := partition.Node{Name: fmt.Sprintf("node-%04d", i), Place: []string{
			fmt.Sprintf("spine-%d", i/leaf/leavesPerSpine), fmt.Sprintf("leaf-%d", i/leaf),
		}}
		f.Nodes = append(f.Nodes, node)
		f.Place[node.Name] = node.Place
	}
	return f
}

// strike adds a fault of a kind at a random place that has none of it yet; none when there is no such place.
func (f *Fleet) strike(k Kind) {
	fault := Fault{Kind: k, Factor: 0.5 + 0.3*f.rng.Float64()}
	switch k {
	case SlowLink:
		a, b := f.any(), f.any()
		if a.Name == b.Name {
			return
		}
		fault.A, fault.B = map[string]bool{a.Name: true}, map[string]bool{b.Name: true}
		if f.rng.IntN(2) == 0 && a.Place[1] != b.Place[1] {
			fault.A, fault.B = f.leaf(a.Place[1]), f.leaf(b.Place[1])
		}
	case BadLeaf:
		fault.Leaf, fault.Uplink, fault.Factor = f.any().Place[1], f.rng.IntN(2) == 0, 0.5
		if slices.ContainsFunc(f.Faults, func(o Fault) bool { return o.Kind == BadLeaf && o.Leaf == fault.Leaf }) {
			return
		}
	case Dead, Slow, Wrong, Hang, Flaky, kinds:
		fault.Node = f.any().Name
		if slices.ContainsFunc(f.Faults, func(o Fault) bool { return o.Node == fault.Node }) {
			return
		}
	}
	f.Faults = append(f.Faults, fault)
}

func (f *Fleet) any() partition.Node { return f.Nodes[f.rng.IntN(len(f.Nodes))] }

func (f *Fleet) leaf(name string) map[string]bool {
	all := map[string]bool{}
	for _, n := range f.Nodes {
		if n.Place[1] == name {
			all[n.Name] = true
		}
	}
	return all
}

func (f *Fleet) index() {
	f.bad = map[string][]*Fault{}
	for i := range f.Faults {
		fault := &f.Faults[i]
		if fault.Node != "" {
			f.bad[fault.Node] = append(f.bad[fault.Node], fault)
		} else {
			f.fabric = append(f.fabric, fault)
		}
	}
}
