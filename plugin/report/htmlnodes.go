package report

import (
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// htmlDomain is one topology domain of the node grid.
type htmlDomain struct {
	// Name is empty when no node's domain is known.
	Name  string
	Nodes []htmlNode
	// Bad counts the nodes that did not pass.
	Bad int
}

// htmlNode is one tile of the node grid.
type htmlNode struct {
	// Label is the part of the name that differs from the other nodes'.
	Label, Name, Reason string
	Verdict             v1alpha1.NodeVerdict
}

// tileRunes is the longest label of a tile.
const tileRunes = 5

// domainsOf sorts nodes into the grid: domains in the order of their numbers, those without a domain last.
func domainsOf(nodes []v1alpha1.NodeResult) []htmlDomain {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Name
	}
	labels := distinct(names)
	index := map[string]int{}
	var all []htmlDomain
	for i, n := range nodes {
		at, known := index[n.Domain]
		if !known {
			at = len(all)
			index[n.Domain] = at
			all = append(all, htmlDomain{Name: n.Domain})
		}
		d := &all[at]
		d.Nodes = append(d.Nodes, htmlNode{Label: labels[i], Name: n.Name, Reason: n.Reason, Verdict: n.Verdict})
		if n.Verdict != v1alpha1.Passed {
			d.Bad++
		}
	}
	slices.SortStableFunc(all, func(a, b htmlDomain) int {
		if (a.Name == "") != (b.Name == "") {
			return strings.Compare(b.Name, a.Name)
		}
		return byNumber(a.Name, b.Name)
	})
	return all
}

// foldDomains parts the domains in which all passed from the others, where there are too many to show them all.
func foldDomains(all []htmlDomain) (shown, folded []htmlDomain) {
	for _, d := range all {
		if d.Bad == 0 && len(all) > shownDomains {
			folded = append(folded, d)
		} else {
			shown = append(shown, d)
		}
	}
	return shown, folded
}

// distinct takes from names what all of them begin and end with, and keeps the last runes of what is left.
func distinct(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	first, last := slices.Min(names), slices.Max(names)
	start := 0
	for start < min(len(first), len(last)) && first[start] == last[start] {
		start++
	}
	for start > 0 && start < len(first) && isDigit(first[start-1]) {
		start-- // a number stays whole
	}
	labels := make([]string, len(names))
	for i, name := range names {
		label := name
		if start < len(name) {
			label = name[start:]
		}
		label, _, _ = strings.Cut(label, ".")
		runes := []rune(strings.ToValidUTF8(label, ""))
		labels[i] = string(runes[max(0, len(runes)-tileRunes):])
	}
	return labels
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
