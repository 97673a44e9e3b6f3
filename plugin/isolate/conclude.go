package isolate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Finding is what the isolation says of one suspect.
type Finding struct {
	Node string
	// Verdict is Failed, Suspect or Passed.
	Verdict v1alpha1.NodeVerdict
	// Reason is the evidence in one line.
	Reason string
}

// Fault is a fault of the fabric: nodes pass, and what is between them does not.
type Fault struct {
	// Domain is the part of the fabric that fails as a whole, as its path; "" for a link.
	Domain string
	// A and B are the nodes on the two sides of a link, which fail only together; nil for a domain.
	A, B []string
	// Reason is the evidence in one line.
	Reason string
}

// Conclusion is what is known after the rounds so far.
type Conclusion struct {
	// Findings are those of all suspects, by name.
	Findings []Finding
	Faults   []Fault
}

// Conclude gives every suspect its verdict. A suspect that was not settled stays one, with the reason.
func (c *Case) Conclude() Conclusion {
	k := c.know()
	var all Conclusion
	groups := map[string][]inquiry{}
	links := map[string]string{} // by node
	for _, w := range k.dark {
		f := Fault{Domain: w.from.path, Reason: k.darkness(w)}
		if w.to != nil {
			f = Fault{A: w.from.nodes, B: w.to.nodes, Reason: f.Reason}
		}
		all.Faults = append(all.Faults, f)
	}
	for i := range c.Screening {
		g := &c.Screening[i]
		if g.Verdict != v1alpha1.Fail {
			continue
		}
		q := k.inquire(g)
		for _, n := range g.Nodes {
			groups[n] = append(groups[n], q)
		}
		if q.link != nil {
			f := Fault{A: q.link.a, B: q.link.b}
			f.Reason = fmt.Sprintf("%s fails again, each of its nodes passes, and %s and %s fail only together", g.Name, c.side(f.A, f.B), c.side(f.B, f.A))
			all.add(f)
			for _, n := range slices.Concat(f.A, f.B) {
				links[n] = "a link: " + f.Reason
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(k.suspect)) {
		f := Finding{Node: n, Verdict: v1alpha1.Suspect}
		switch k.state[n] {
		case bad:
			f.Verdict, f.Reason = v1alpha1.Failed, "fails with "+k.witnesses(k.fails[n], n)+", which pass with others"+k.alone(n)
		case behind:
			f.Reason = "cannot be told from its switch: " + k.darkness(k.behind(n))
		case linked:
			p := slices.Sorted(maps.Keys(k.against(n)))[0]
			link := Fault{A: []string{n}, B: []string{p}, Reason: fmt.Sprintf("%s and %s fail together each time (%s), and pass with others (%s)",
				n, p, names(k.ran[set([]string{n, p})]), names(k.passes[n]))}
			all.add(link)
			f.Reason = "a link: " + link.Reason
		case unsteady:
			f.Reason = "not steady: fails with " + k.witnesses(k.fails[n], n) + ", passes in " + names(k.passes[n])
		case open:
			f.Reason = k.unsettled(n)
		case cleared:
			f.Verdict, f.Reason = v1alpha1.Passed, "passes in "+names(k.passes[n])
			if w := k.behind(n); w != nil {
				f.Verdict, f.Reason = v1alpha1.Suspect, "behind a bad switch: "+k.darkness(w)
			}
			for _, q := range groups[n] {
				switch {
				case links[n] != "":
					f.Verdict, f.Reason = v1alpha1.Suspect, links[n]
				case q.vanished:
					f.Verdict, f.Reason = v1alpha1.Suspect, q.group.Name+" failed, and passed when it ran again: something in it is not steady"
				case len(q.dark) > 0 && k.beside(q.dark, n):
					f.Verdict, f.Reason = v1alpha1.Suspect, q.group.Name+" needs a way that fails: "+k.darkness(q.dark[0])
				case !q.explained && !q.likely:
					f.Verdict, f.Reason = v1alpha1.Suspect, q.group.Name+" failed, each node that was tried passes, and the rounds were over"
				}
			}
		}
		all.Findings = append(all.Findings, f)
	}
	return all
}

// add keeps a fault once.
func (a *Conclusion) add(f Fault) {
	key := func(f Fault) string {
		sides := []string{set(f.A), set(f.B)}
		slices.Sort(sides)
		return strings.Join(sides, "\n\n")
	}
	if !slices.ContainsFunc(a.Faults, func(o Fault) bool { return o.Domain == "" && key(o) == key(f) }) {
		a.Faults = append(a.Faults, f)
	}
}

// side names one side of a link: its domain where all of it is in one and the other side in another, else its nodes.
func (c *Case) side(nodes, other []string) string {
	within := func(nodes []string) bool { return c.levels() > 0 && c.depth(nodes) == c.levels() }
	if within(nodes) && within(other) && c.innermost(nodes[0]) != c.innermost(other[0]) && len(nodes)+len(other) > 2 {
		return c.innermost(nodes[0])
	}
	return list(nodes)
}

func list(nodes []string) string {
	const most = 4
	if len(nodes) <= most {
		return strings.Join(nodes, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(nodes[:most], ", "), len(nodes)-most)
}

// witnesses lists the partners of a node's failed pairs, each with the job.
func (k *knowledge) witnesses(jobs []*Job, n string) string {
	var parts []string
	for _, j := range jobs {
		if p := partner(j, n); p != "" && k.good[p] {
			parts = append(parts, p+" ("+j.Name+")")
		}
	}
	return strings.Join(parts, " and ")
}

func names(jobs []*Job) string {
	parts := make([]string, len(jobs))
	for i, j := range jobs {
		parts[i] = j.Name
	}
	return strings.Join(parts, ", ")
}

// beside says whether a node is on a side of one of the ways between two regions.
func (k *knowledge) beside(ways []*way, n string) bool {
	return slices.ContainsFunc(ways, func(w *way) bool { return w.to != nil && (k.holds(w.from, n) || k.holds(w.to, n)) })
}

func (k *knowledge) darkness(w *way) string {
	var failing []string
	for _, n := range w.from.nodes {
		if slices.ContainsFunc(k.fails[n], func(j *Job) bool { return w.to == nil || k.needs(j, w) }) {
			failing = append(failing, n)
		}
	}
	return fmt.Sprintf("nothing passes %s; %d of the %d nodes of %s failed there (%s)", w, len(failing), len(w.from.nodes), w.from.path, list(failing))
}
