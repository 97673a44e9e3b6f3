package demo

import (
	"fmt"
	"math/rand/v2"

	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

const (
	rackNodes   = 16
	gpusPerNode = 8
	// goodGBps is the bus bandwidth of a good pair at large messages, about that of eight H100 with 400 Gbit/s each.
	goodGBps = 388.0
	// slowShare is what a pair with the slow node reaches of it: as if one of eight adapters had fallen back to a quarter of its rate.
	slowShare = 0.62
	// noiseShare is the standard deviation of a job's bandwidth.
	noiseShare = 0.006
)

// Fleet is a made-up cluster. Its zero value has no node.
type Fleet struct {
	// Nodes are the names, sorted.
	Nodes []string
	// Slow is a node with a bad adapter, Corrupt one whose memory flips bits.
	Slow, Corrupt string

	seed uint64
}

// NewFleet makes a fleet of a number of nodes. It puts the two bad nodes into different pairs, so it needs eight nodes at least; fewer have none.
func NewFleet(nodes int, seed uint64) Fleet {
	f := Fleet{seed: seed}
	for i := range nodes {
		f.Nodes = append(f.Nodes, fmt.Sprintf("gpu-node-%0*d", max(2, len(fmt.Sprint(nodes))), i+1))
	}
	if nodes < 8 {
		return f
	}
	dice := rand.New(rand.NewPCG(seed, 0)) // chance that can be repeated
	slow := dice.IntN(nodes)
	corrupt := (slow/2*2 + 2 + dice.IntN(nodes-2)) % nodes // any node but those of the slow one's pair
	f.Slow, f.Corrupt = f.Nodes[slow], f.Nodes[corrupt]
	return f
}

// domains are the nodes' racks.
func (f Fleet) domains() map[string]string {
	all := map[string]string{}
	for i, n := range f.Nodes {
		all[n] = fmt.Sprintf("rack-%02d", i/rackNodes+1)
	}
	return all
}

// places gives each node's place in the fabric, as isolation takes it.
func (f Fleet) places() map[string][]string {
	all := map[string][]string{}
	for n, rack := range f.domains() {
		all[n] = []string{rack}
	}
	return all
}

// String says what the fleet is like, for the beginning of a demonstration.
func (f Fleet) String() string {
	text := fmt.Sprintf("a fleet of %d nodes: %s", len(f.Nodes), report.NodeList(f.Nodes))
	if f.Slow != "" {
		text += fmt.Sprintf("\n  %s has an adapter that fell back to a lower rate\n  %s has memory that flips bits", f.Slow, f.Corrupt)
	}
	return text
}
