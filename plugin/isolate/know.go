package isolate

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// state is what is known of a suspect.
type state uint8

const (
	// open: too little ran to say.
	open state = iota
	// cleared: it passes, and what failed with it is explained.
	cleared
	// bad: it fails with two different good partners, and with one more where there is one.
	bad
	// linked: it passes, and fails again and again with one partner.
	linked
	// unsteady: it failed and passed with nothing to tell the two apart.
	unsteady
	// behind: its whole domain fails, and nothing tells it from its switch.
	behind
)

// timesLinked is how often a pair has to fail, of nodes that pass with others, to be called a link: a node that fails every
// other time does so twice too easily.
const timesLinked = 3

// knowledge is what follows from all jobs of a case.
type knowledge struct {
	c *Case
	// nodes are all nodes of the run, by name.
	nodes []string
	named map[string]bool
	// suspect are those of failed groups; good are those that passed: in the run when they are no suspects, else in isolation.
	suspect, good map[string]bool
	// passed are all jobs that passed; fails are the failed ones of the isolation by node, but for those that name somebody.
	passed []*Job
	// screened counts the groups of the run in which a node passed.
	screened map[string]int
	passes   map[string][]*Job
	fails    map[string][]*Job
	state    map[string]state
	// regions are the parts of the fabric, dark the ways between them that fail as such.
	regions []*region
	dark    []*way
	// span is how much of the fabric each suspect's group spanned; of two that failed, the one that spanned less.
	span map[string]int
	// around are the regions that a node is in.
	around map[string][]*region
	// ran are the isolation's jobs by their nodes; met are the pairs of them that said something.
	ran map[string][]*Job
	met map[[2]string]bool
}

func (c *Case) know() *knowledge {
	k := &knowledge{c: c, named: map[string]bool{}, good: map[string]bool{}, passes: map[string][]*Job{}, fails: map[string][]*Job{},
		state: map[string]state{}, ran: map[string][]*Job{}, met: map[[2]string]bool{}, screened: map[string]int{}, span: map[string]int{}, around: map[string][]*region{}}
	screening, jobs := pointers(c.Screening), pointers(c.jobs())
	// 1. Who is named, suspect, good.
	all := map[string]bool{}
	for _, j := range slices.Concat(screening, jobs) {
		for _, n := range j.Nodes {
			all[n] = true
		}
		switch j.Verdict {
		case v1alpha1.Fail:
			for _, n := range j.Named {
				k.named[n] = true
			}
		case v1alpha1.Pass:
			k.passed = append(k.passed, j)
		case v1alpha1.Unknown: // says nothing
		}
	}
	k.nodes = slices.Sorted(maps.Keys(all))
	k.suspect = c.suspects(k.named)
	for _, j := range screening {
		for _, n := range j.Nodes {
			if j.Verdict == v1alpha1.Pass {
				k.screened[n]++
				k.good[n] = !k.suspect[n] && !k.named[n]
			}
			if j.Verdict == v1alpha1.Fail && k.suspect[n] {
				k.span[n] = max(k.span[n], c.depth(j.Nodes))
			}
		}
	}
	// 2. What each job of the isolation says. One that names a node says nothing of the others.
	for _, j := range jobs {
		k.ran[set(j.Nodes)] = append(k.ran[set(j.Nodes)], j)
		for _, n := range j.Nodes {
			if p := partner(j, n); p != "" && j.Verdict != v1alpha1.Unknown {
				k.met[[2]string{n, p}] = true
			}
			switch {
			case j.Verdict == v1alpha1.Pass && !k.named[n]:
				k.passes[n] = append(k.passes[n], j)
				k.good[n] = true
			case j.Verdict == v1alpha1.Fail && len(j.Named) == 0:
				k.fails[n] = append(k.fails[n], j)
			}
		}
	}
	// 3. The fabric, then the nodes.
	k.regions = c.divide(k.nodes)
	for _, r := range k.regions {
		r.out = k.passesBy(&way{r, nil})
		for _, n := range r.nodes {
			k.around[n] = append(k.around[n], r)
		}
	}
	k.darken()
	for n := range k.suspect {
		k.state[n] = k.judge(n)
	}
	return k
}

func pointers(jobs []Job) []*Job {
	all := make([]*Job, len(jobs))
	for i := range jobs {
		all[i] = &jobs[i]
	}
	return all
}

// set is a key for a set of nodes.
func set(nodes []string) string {
	return strings.Join(slices.Sorted(slices.Values(nodes)), "\n")
}

// judge says what the isolation's jobs say of a suspect.
func (k *knowledge) judge(n string) state {
	against := k.against(n)
	switch {
	case len(k.passes[n]) == 0 && k.weight(against) >= enough && k.doubtful(n, against) == nil:
		return bad
	case len(k.passes[n]) == 0 && k.behind(n) != nil:
		return behind
	case len(k.passes[n]) == 0:
		return open
	case len(against) == 0:
		return cleared
	case len(against) >= 2:
		return unsteady
	}
	for p, fails := range against {
		switch {
		case slices.ContainsFunc(k.passes[n], func(j *Job) bool { return partner(j, n) == p }):
			return unsteady
		case fails >= timesLinked:
			return linked
		}
	}
	return open // until the pair that failed has run again
}

// against returns the good partners with which a node failed as a pair, and how often. A pair that needs a dark way is
// explained by that, and where no other pair that spans as much of the fabric ever passes, pairs prove nothing.
func (k *knowledge) against(n string) map[string]int {
	partners := map[string]int{}
	for _, j := range k.fails[n] {
		if p := partner(j, n); p != "" && k.good[p] && !k.darkBetween(n, p) && k.controlled(n, k.c.depth(j.Nodes)) {
			partners[p]++
		}
	}
	return partners
}

const (
	// solid is the weight of a judge that passed in the run and was never a suspect, or that passed twice and failed with nobody
	// else. Any other judge weighs less: a node that fails every other time passes once, too.
	solid, unproven = 3, 2
	// enough is the weight of two solid judges, or of three others.
	enough = 2 * solid
)

// weight adds up what the partners are worth with which a node failed.
func (k *knowledge) weight(against map[string]int) int {
	sum := 0
	for p := range against {
		sum += k.worth(p)
	}
	return sum
}

// worth is the weight of a judge.
func (k *knowledge) worth(p string) int {
	if !k.suspect[p] || len(k.passes[p])+k.screened[p] >= 2 && len(k.fails[p]) < 2 {
		return solid
	}
	return unproven
}

// partner is the other node of a pair; "" for any other job.
func partner(j *Job, n string) string {
	switch {
	case len(j.Nodes) != pairSize:
		return ""
	case j.Nodes[0] == n:
		return j.Nodes[1]
	}
	return j.Nodes[0]
}

// uncontrolled returns how much of the fabric those failed pairs span that prove nothing; -1 when there are none.
func (k *knowledge) uncontrolled(n string) int {
	for _, j := range k.fails[n] {
		if p := partner(j, n); p != "" && k.good[p] && !k.controlled(n, k.c.depth(j.Nodes)) {
			return k.c.depth(j.Nodes)
		}
	}
	return -1
}
