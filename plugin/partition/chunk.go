package partition

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize/english"
)

// Group is a set of nodes that run one job together.
type Group struct {
	Name string `json:"name"`
	// Nodes are sorted by name.
	Nodes []string `json:"nodes"`
	// Domains are the innermost domains that the nodes are in, each as its path from the outermost (spine-1/rack-a), sorted; nil
	// where the fabric does not matter.
	Domains []string `json:"domains,omitempty"`
	// Overflow marks the group that holds the leftovers and was filled up with nodes of another group.
	Overflow bool `json:"overflow"`
	// Borrowed are the nodes of an overflow group that belong to another group too; nil for any other group.
	Borrowed []string `json:"borrowed,omitempty"`
}

// TooFewError says that there are not enough nodes for a single group.
type TooFewError struct {
	// Need is the size of a group, Found the number of nodes; both in nodes.
	Need, Found int
	// Where says where they were looked for, with a space before it; "" is everywhere.
	Where string
}

func (e *TooFewError) Error() string {
	return fmt.Sprintf("need %d, found %s for one group%s", e.Need, english.Plural(e.Found, "node", ""), e.Where)
}

// Chunk cuts nodes, sorted by name as plain strings, into consecutive groups of exactly size nodes named group-0, group-1 and so on.
// If nodes are left over, one more group takes them and borrows the last nodes of the last full group to reach the size.
//
// It fails with a *TooFewError when there are fewer nodes than size, and when size is below 1 or a name is empty or there twice.
// The argument is not changed.
func Chunk(nodes []string, size int) ([]Group, error) {
	if size < 1 {
		return nil, sizeError(size)
	}
	sorted := slices.Sorted(slices.Values(nodes))
	if err := checkNames(sorted); err != nil {
		return nil, err
	}
	if len(sorted) < size {
		return nil, &TooFewError{Need: size, Found: len(sorted)}
	}

	full := len(sorted) / size * size
	groups := make([]Group, 0, (len(sorted)+size-1)/size)
	for chunk := range slices.Chunk(sorted[:full], size) {
		groups = append(groups, Group{Name: groupName(len(groups)), Nodes: chunk})
	}
	if full < len(sorted) {
		// The leftovers sort after every full group, so the overflow group is the tail of the list.
		first := len(sorted) - size
		groups = append(groups, Group{
			Name:     groupName(len(groups)),
			Nodes:    slices.Clone(sorted[first:]),
			Overflow: true,
			Borrowed: slices.Clone(sorted[first:full]),
		})
	}
	return groups, nil
}

func sizeError(size int) error { return fmt.Errorf("group size is %d; it must be 1 or more", size) }

func checkNames(sorted []string) error {
	var errs []error
	for i, name := range sorted {
		switch {
		case name == "":
			errs = append(errs, errors.New("a node has no name"))
		case i > 0 && name == sorted[i-1] && (i == 1 || name != sorted[i-2]): // once for each name
			errs = append(errs, fmt.Errorf("node %q is listed twice", name))
		}
	}
	return errors.Join(errs...)
}

func groupName(index int) string { return "group-" + strconv.Itoa(index) }
