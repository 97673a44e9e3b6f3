package isolate

import "slices"

// controlled says whether pairs that span as much of the fabric are known to pass, so that one that fails says something of its
// nodes. Where no two other nodes span as much, or only such that a dark way is between, n is all that there is to ask.
func (k *knowledge) controlled(n string, depth int) bool {
	return k.pairsPass(depth) || !k.others(n, depth)
}

// pairsPass says whether any pair has passed that spans as much of the fabric.
func (k *knowledge) pairsPass(depth int) bool {
	return slices.ContainsFunc(k.passed, func(j *Job) bool { return len(j.Nodes) == pairSize && k.c.depth(j.Nodes) == depth })
}

// others says whether two nodes other than n span as much of the fabric as depth says, with no dark way between them.
func (k *knowledge) others(n string, depth int) bool {
	if depth == 0 && k.c.levels() == 0 {
		return len(k.nodes) > pairSize
	}
	type inside struct {
		path  string
		nodes []string // two of them are enough
	}
	at := map[string]*inside{}
	var domains []*inside
	for _, m := range k.nodes {
		if m == n || k.named[m] {
			continue
		}
		path := k.c.innermost(m)
		if at[path] == nil {
			at[path] = &inside{path: path}
			domains = append(domains, at[path])
		}
		if d := at[path]; len(d.nodes) < pairSize {
			d.nodes = append(d.nodes, m)
		}
	}
	for i, a := range domains {
		if depth == k.c.levels() {
			if len(a.nodes) == pairSize {
				return true
			}
			continue
		}
		for _, b := range domains[i+1:] {
			if k.pairable(a.nodes[0], b.nodes[0], depth) {
				return true
			}
		}
	}
	return false
}

// unproven counts the regions around a node, but not around n, out of which no job has been seen to pass: a pair of the two that fails
// may fail by any of them.
func (k *knowledge) unproven(p, n string) int {
	count := 0
	for _, r := range k.around[p] {
		if !r.out && !k.holds(r, n) {
			count++
		}
	}
	return count
}

// vouches says whether a pair of p and a node of r that fails says something of r: each of p's own ways out works, or nobody
// outside of r could tell.
func (k *knowledge) vouches(p string, r *region) bool {
	return !slices.ContainsFunc(k.around[p], func(q *region) bool {
		return !q.out && !k.holds(q, r.nodes[0]) && len(k.nodes) > len(q.nodes)+len(r.nodes)
	})
}
