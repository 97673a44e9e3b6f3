package partition

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Options say how nodes are cut.
type Options struct {
	// Size is the number of nodes of a group, at least 1. With Strict it is not looked at.
	Size int
	// Keys are the labels that hold a node's place in the fabric, outermost first; none means that the fabric does not matter.
	Keys []string
	// Strict makes one group of each innermost domain, of whatever size that is (orchestration.topology.strictDomain). It needs Keys.
	Strict bool
}

// Node is a node and where it is.
type Node struct {
	Name string
	// Place holds the values of Options.Keys, in their order; "" is a label that the node does not carry. Place makes it.
	Place []string
}

// Place returns the values of keys among a node's labels, "" for one that is not there.
func Place(labels map[string]string, keys []string) []string {
	if len(keys) == 0 {
		return nil
	}
	place := make([]string, len(keys))
	for i, key := range keys {
		place[i] = labels[key]
	}
	return place
}

// Result is a cut. Every node is in a group or in Untested, never in both.
type Result struct {
	// Groups are named group-0, group-1 and so on. Overflow groups come last.
	Groups []Group
	// Untested are sorted by name; a run that has any is not a pass.
	Untested []v1alpha1.NodeReason
}

// Cut makes groups of exactly o.Size nodes. No group, overflow or not, spans more domains of a level than a group of that size
// needs there: the size divided by that of the level's largest domain, rounded up. Nodes that such a group cannot hold are
// Untested.
//
// It fails with a *TooFewError when not a single group can be made, and when o or a name is not valid.
func Cut(nodes []Node, o Options) (Result, error) {
	switch {
	case o.Strict && len(o.Keys) == 0:
		return Result{}, errors.New("a group for each domain was asked for (strictDomain), and no topology key says what a domain is")
	case o.Size < 1 && !o.Strict:
		return Result{}, sizeError(o.Size)
	case len(o.Keys) == 0:
		names := make([]string, len(nodes))
		for i, n := range nodes {
			names[i] = n.Name
		}
		groups, err := Chunk(names, o.Size)
		return Result{Groups: groups}, err
	}
	// 1. Order, and who has a place.
	sorted, lost, err := placed(nodes, o.Keys)
	if err != nil {
		return Result{}, err
	}
	if need := max(o.Size, 1); len(sorted) < need {
		return Result{}, &TooFewError{Need: need, Found: len(sorted), Where: without(lost)}
	}
	// 2. The tree of domains.
	t := grow(sorted, o.Keys)
	// 3. The groups.
	if o.Strict {
		return Result{Groups: t.strict(), Untested: lost}, nil
	}
	t.limit(o.Size)
	groups := t.full()
	groups, left := t.overflow(groups)
	if groups == nil {
		return Result{}, &TooFewError{Need: o.Size, Found: t.most(), Where: " in " + t.within()}
	}
	// 4. Who is in none.
	untested := append(lost, left...)
	slices.SortFunc(untested, func(a, b v1alpha1.NodeReason) int { return strings.Compare(a.Name, b.Name) })
	return Result{Groups: groups, Untested: untested}, nil
}

// placed sorts the nodes by name and takes out those that lack a label.
func placed(nodes []Node, keys []string) (sorted []Node, lost []v1alpha1.NodeReason, err error) {
	sorted = slices.SortedFunc(slices.Values(nodes), func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	names := make([]string, len(sorted))
	for i, n := range sorted {
		names[i] = n.Name
		if len(n.Place) != len(keys) {
			return nil, nil, fmt.Errorf("node %q has %d places; there are %d topology keys", n.Name, len(n.Place), len(keys))
		}
	}
	if err := checkNames(names); err != nil {
		return nil, nil, err
	}
	sorted = slices.DeleteFunc(sorted, func(n Node) bool {
		i := slices.Index(n.Place, "")
		if i >= 0 {
			lost = append(lost, v1alpha1.NodeReason{Name: n.Name, Reason: "has no label " + keys[i] + ", so that its domain is not known"})
		}
		return i >= 0
	})
	return sorted, lost, nil
}

func without(lost []v1alpha1.NodeReason) string {
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d left out: %s %s)", len(lost), lost[0].Name, lost[0].Reason)
}
