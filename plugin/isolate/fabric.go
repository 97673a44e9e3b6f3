package isolate

import (
	"slices"
	"strings"
)

// depth is how many domains, from the outermost on, all nodes share. It tells how much of the fabric a job spans: the deeper,
// the less. Without places it is 0.
func (c *Case) depth(nodes []string) int {
	if len(nodes) == 0 {
		return 0
	}
	first := c.Place[nodes[0]]
	depth := len(first)
	for _, n := range nodes[1:] {
		place := c.Place[n]
		depth = min(depth, len(place))
		for i := range depth {
			if place[i] != first[i] {
				depth = i
				break
			}
		}
	}
	return depth
}

// domain is the path of a node's domain at a level; "" where it is not known.
func (c *Case) domain(node string, level int) string {
	place := c.Place[node]
	if level >= len(place) {
		return ""
	}
	return strings.Join(place[:level+1], "/")
}

// innermost is the path of the smallest domain that a node is in.
func (c *Case) innermost(node string) string { return strings.Join(c.Place[node], "/") }

// levels is the number of levels that are known.
func (c *Case) levels() int {
	for _, place := range c.Place {
		return len(place)
	}
	return 0
}

// region is a domain with the nodes of it that were in any job.
type region struct {
	path string
	// place is its place, of as many levels as it has.
	place []string
	nodes []string
	// out says whether any job has passed that has nodes inside and outside of it.
	out bool
}

// divide returns the domains that hold at least two nodes of the run and not all of them, outermost first.
func (c *Case) divide(nodes []string) []*region {
	var all []*region
	for level := range c.levels() {
		at := map[string]*region{}
		for _, n := range nodes {
			path := c.domain(n, level)
			if at[path] == nil {
				at[path] = &region{path: path, place: c.Place[n][:level+1]}
				all = append(all, at[path])
			}
			at[path].nodes = append(at[path].nodes, n)
		}
	}
	return slices.DeleteFunc(all, func(r *region) bool { return len(r.nodes) < 2 || len(r.nodes) == len(nodes) })
}

// holds says whether a node is in a region.
func (k *knowledge) holds(r *region, n string) bool {
	place := k.c.Place[n]
	return len(place) >= len(r.place) && slices.Equal(place[:len(r.place)], r.place)
}

// leaves says whether a job has nodes inside a region and outside of it.
func (k *knowledge) leaves(j *Job, r *region) bool {
	in := 0
	for _, n := range j.Nodes {
		if k.holds(r, n) {
			in++
		}
	}
	return in > 0 && in < len(j.Nodes)
}

// way is a way through the fabric: out of a region, or between two of one level.
type way struct{ from, to *region }

// leads says whether a job of both nodes needs the way.
func (k *knowledge) leads(w *way, a, b string) bool {
	if w.to == nil {
		return k.holds(w.from, a) != k.holds(w.from, b)
	}
	return k.holds(w.from, a) && k.holds(w.to, b) || k.holds(w.from, b) && k.holds(w.to, a)
}

// needs says whether a job needs the way.
func (k *knowledge) needs(j *Job, w *way) bool {
	if w.to == nil {
		return k.leaves(j, w.from)
	}
	in := func(r *region) bool {
		return slices.ContainsFunc(j.Nodes, func(n string) bool { return k.holds(r, n) })
	}
	return in(w.from) && in(w.to)
}

// passes says whether any job has passed that needs the way.
func (k *knowledge) passesBy(w *way) bool {
	return slices.ContainsFunc(k.passed, func(j *Job) bool { return k.needs(j, w) })
}

// String names the way in a sentence that nothing passes it.
func (w *way) String() string {
	if w.to == nil {
		return "out of " + w.from.path
	}
	return "between " + w.from.path + " and " + w.to.path
}

// doubtful returns a way that may be at fault instead of a suspect, since nearly all pairs in which it failed led there and no job
// has been seen to pass; nil when there is none, or nobody else to show whether one does.
func (k *knowledge) doubtful(n string, against map[string]int) *way {
	// Two judges that are sure, and one that is not, are two judges still: what is left over has to be a sure one.
	explains := func(is func(p string) bool) bool {
		left := 0
		for p := range against {
			if !is(p) {
				left += k.worth(p)
			}
		}
		return left < solid
	}
	for _, from := range k.regions {
		if !k.holds(from, n) {
			if !from.out && explains(func(p string) bool { return k.holds(from, p) }) && k.shows(from, n) {
				return &way{from, nil}
			}
			continue
		}
		if !slices.ContainsFunc(from.nodes, func(m string) bool { return m != n && !k.named[m] }) {
			continue
		}
		if out := (&way{from, nil}); !from.out && explains(func(p string) bool { return k.leads(out, n, p) }) {
			return out
		}
		for _, to := range k.regions {
			w := &way{from, to}
			if to != from && len(to.place) == len(from.place) && explains(func(p string) bool { return k.holds(to, p) }) && !k.passesBy(w) {
				return w
			}
		}
	}
	return nil
}

// shows says whether anybody can still show that the way out of a region works which the judges of n are in: a good node outside
// of it, or one that n has not met.
func (k *knowledge) shows(r *region, n string) bool {
	return slices.ContainsFunc(k.nodes, func(m string) bool {
		return m != n && !k.holds(r, m) && (k.good[m] || k.undecided(n, m))
	})
}

// undecided says whether a suspect has not met n, and may well pass with it.
func (k *knowledge) undecided(n, m string) bool {
	return k.suspect[m] && !k.named[m] && !k.met[[2]string{n, m}] && (len(k.passes[m]) > 0 || k.weight(k.against(m)) < enough)
}

// behind returns the way out of the dark region that a node is in; nil when it is in none.
func (k *knowledge) behind(n string) *way {
	for _, w := range k.dark {
		if w.to == nil && k.holds(w.from, n) {
			return w
		}
	}
	return nil
}

// darkBetween says whether a pair needs a dark way.
func (k *knowledge) darkBetween(a, b string) bool {
	return slices.ContainsFunc(k.dark, func(w *way) bool { return k.leads(w, a, b) })
}
