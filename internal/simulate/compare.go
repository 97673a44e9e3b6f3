package simulate

import (
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/isolate"
)

// Score is an opinion held against the truth.
type Score struct {
	// Nodes are the steady node faults: dead, slow, wrong, hang. Found of them are accused, and Kept are suspects.
	Nodes, Found, Kept int
	// Flaky are the others, and FlakyFound those that are accused or suspects.
	Flaky, FlakyFound int
	// False are healthy nodes that are accused, FalseAlone those of them that are alone in their leaf, so that no job can tell them
	// from its switch, and Doubted healthy ones that are suspects.
	False, FalseAlone, Doubted int
	// Links are the faults of the fabric that made a group of the run fail whose nodes are otherwise well; LinksFound those that
	// are called one.
	Links, LinksFound int
	// FalseLinks are faults of the fabric that are called and are none.
	FalseLinks int
}

// Add sums up.
func (s *Score) Add(o Score) {
	s.Nodes += o.Nodes
	s.Found += o.Found
	s.Kept += o.Kept
	s.Flaky += o.Flaky
	s.FlakyFound += o.FlakyFound
	s.False += o.False
	s.FalseAlone += o.FalseAlone
	s.Doubted += o.Doubted
	s.Links += o.Links
	s.LinksFound += o.LinksFound
	s.FalseLinks += o.FalseLinks
}

// Compare holds an opinion against a fleet's faults.
func Compare(f *Fleet, o Opinion) Score {
	var s Score
	for node, faults := range f.bad {
		if o.Untested[node] {
			continue
		}
		steady := slices.ContainsFunc(faults, func(x *Fault) bool { return x.Kind != Flaky })
		switch {
		case !steady:
			s.Flaky++
			if o.Failed[node] || o.Suspect[node] {
				s.FlakyFound++
			}
		case o.Failed[node]:
			s.Nodes++
			s.Found++
		default:
			s.Nodes++
			if o.Suspect[node] {
				s.Kept++
			}
		}
	}
	for node := range o.Failed {
		if len(f.bad[node]) == 0 {
			s.False++
			if len(f.leaf(f.Place[node][1])) == 1 {
				s.FalseAlone++
			}
		}
	}
	for node := range o.Suspect {
		if len(f.bad[node]) == 0 {
			s.Doubted++
		}
	}
	if o.Case == nil {
		return s
	}
	for _, x := range f.fabric {
		if f.shows(x, o.Case) {
			s.Links++
			if slices.ContainsFunc(o.Faults, func(y isolate.Fault) bool { return f.same(x, y) }) {
				s.LinksFound++
			}
		}
	}
	for _, y := range o.Faults {
		if !slices.ContainsFunc(f.fabric, func(x *Fault) bool { return f.same(x, y) }) {
			s.FalseLinks++
		}
	}
	return s
}

// shows says whether a fault of the fabric alone made a group of the run fail.
func (f *Fleet) shows(x *Fault, c *isolate.Case) bool {
	return slices.ContainsFunc(c.Screening, func(j isolate.Job) bool {
		alone := !slices.ContainsFunc(j.Nodes, func(n string) bool { return len(f.bad[n]) > 0 }) &&
			!slices.ContainsFunc(f.fabric, func(o *Fault) bool { return o != x && f.touches(o, j.Nodes) })
		return j.Verdict == v1alpha1.Fail && alone && f.touches(x, j.Nodes)
	})
}

// same says whether a fault that is called is one that is there: the leaf or a part of the fabric around or inside it, or
// sets of nodes that the fault is between.
func (f *Fleet) same(x *Fault, y isolate.Fault) bool {
	if y.Domain != "" {
		for _, n := range f.Nodes {
			inside := n.Place[0] == y.Domain || n.Place[0]+"/"+n.Place[1] == y.Domain
			if inside && (x.Kind == BadLeaf && n.Place[1] == x.Leaf || x.A[n.Name] || x.B[n.Name]) {
				return true
			}
		}
		return false
	}
	return f.touches(x, slices.Concat(y.A, y.B)) && !(x.Kind == BadLeaf && x.Uplink && (f.touches(x, y.A) || f.touches(x, y.B)))
}

// Judged says whether each suspect of a case had two known-good partners: nodes that passed in the run and are well, as far
// from it as its group reached, with nothing wrong on the way between. Where all of two or more nodes of a leaf are bad, no job can
// tell them from a bad switch, and none of them counts as judged unless its group was inside the leaf.
func Judged(f *Fleet, c *isolate.Case) bool {
	good := map[string]bool{}
	failed := map[string][]string{}
	for _, j := range c.Screening {
		for _, n := range j.Nodes {
			if j.Verdict == v1alpha1.Pass && len(f.bad[n]) == 0 {
				good[n] = true
			}
		}
	}
	for _, j := range c.Screening {
		for _, n := range j.Nodes {
			if j.Verdict == v1alpha1.Fail && !slices.Contains(j.Borrowed, n) && (failed[n] == nil || f.reach(j.Nodes) > f.reach(failed[n])) {
				failed[n] = j.Nodes
			}
		}
	}
	for n := range failed {
		delete(good, n)
	}
	for n, group := range failed {
		if f.reach(group) < len(keys) && f.allBad(f.Place[n][1]) {
			return false
		}
		partners := 0
		for p := range good {
			between := slices.ContainsFunc(f.fabric, func(x *Fault) bool { return f.touches(x, []string{n, p}) })
			if !between && f.reach([]string{n, p}) == f.reach(group) {
				partners++
			}
		}
		if partners < 2 {
			return false
		}
	}
	return true
}

// allBad says whether a leaf has two or more nodes, each with a steady fault.
func (f *Fleet) allBad(leaf string) bool {
	nodes := f.leaf(leaf)
	for n := range nodes {
		if !slices.ContainsFunc(f.bad[n], func(x *Fault) bool { return x.Kind != Flaky }) {
			return false
		}
	}
	return len(nodes) > 1
}

// reach is how many levels nodes have in common.
func (f *Fleet) reach(nodes []string) int {
	for level := range keys {
		for _, n := range nodes[1:] {
			if f.Place[n][level] != f.Place[nodes[0]][level] {
				return level
			}
		}
	}
	return len(keys)
}
