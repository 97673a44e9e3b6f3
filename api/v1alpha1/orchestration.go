package v1alpha1

// Orchestration says how the groups are made and run.
type Orchestration struct {
	// Placement is Pinned when it is "".
	Placement PlacementMode `json:"placement,omitempty"`
	// TestScale sets sizes by a word; "" leaves them to numNodes and Topology.
	TestScale TestScale `json:"testScale,omitempty"`
	Topology  *Topology `json:"topology,omitempty"`
	// RepeatCount is how often every group runs; nil means once.
	RepeatCount *int32 `json:"repeatCount,omitempty"`
	// MaxConcurrent bounds the groups that run at once; nil and 0 mean no bound.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// TimeoutPerJob is a Go duration such as 3m or 1h30m; empty means 24h.
	TimeoutPerJob string `json:"timeoutPerJob,omitempty"`
}

// PlacementMode says who chooses the nodes of a job.
type PlacementMode string

// The placements.
const (
	// Pinned: every target node is in a group, and a group's pods are bound to its nodes by their hostnames.
	Pinned PlacementMode = "Pinned"
	// Unpinned: one job of exactly numNodes nodes, which the scheduler places anywhere in the target.
	Unpinned PlacementMode = "Unpinned"
)

// TestScale is the size of the groups by a word.
type TestScale string

// The test scales.
const (
	// IntraNode: groups of one node.
	IntraNode TestScale = "intra-node"
	// IntraRack: one group for each topology domain, with all of its nodes.
	IntraRack TestScale = "intra-rack"
	// FullScale changes nothing: groups of numNodes nodes.
	FullScale TestScale = "full-scale"
)

// Topology says which nodes are near each other.
type Topology struct {
	// TopologyKey is the label whose value is a node's domain.
	TopologyKey string `json:"topologyKey"`
	// StrictDomain makes one group of each domain, with all of its nodes, whatever numNodes says.
	StrictDomain bool `json:"strictDomain,omitempty"`
}
