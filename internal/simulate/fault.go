package simulate

// Kind is a kind of fault.
type Kind uint8

// The kinds of faults. Those up to Flaky are of a node, the others of the fabric.
const (
	// Dead: every job with the node fails.
	Dead Kind = iota
	// Slow: the node reaches 50 to 80 % of the bandwidth of others.
	Slow
	// Wrong: the node's results are wrong.
	Wrong
	// Hang: every job with the node hangs until its time is over.
	Hang
	// Flaky: every other job with the node fails, by chance.
	Flaky
	// SlowLink: jobs with nodes on both sides reach 50 to 80 %. The sides are two nodes or two leaves.
	SlowLink
	// BadLeaf: jobs with a node of the leaf, or only those that lead out of it, reach 50 %.
	BadLeaf
	kinds
)

var kindNames = [kinds]string{"dead", "slow", "wrong data", "hang", "flaky 50 %", "slow link", "bad leaf switch"}

// String returns the kind's name in the table.
func (k Kind) String() string { return kindNames[k] }

// Fault is one fault of a fleet.
type Fault struct {
	Kind Kind
	// Node is the node of a node fault.
	Node string
	// A and B are the sides of a slow link.
	A, B map[string]bool
	// Leaf is the leaf of a bad switch; Uplink says that jobs inside it are well.
	Leaf   string
	Uplink bool
	// Factor is what is left of the bandwidth, from 0 to 1.
	Factor float64
}
