package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// proof is what a test shows about how many ranks took part.
type proof uint8

const (
	unproven proof = iota // nothing shows more than one
	single                // one
	several               // more than one
)

// ranks is the number of ranks, nil when the log does not say or says two things, and whether there were several.
//
// The device list says it: the highest rank plus one. When the list has gaps, as an excerpt has, the quotient of bus and
// algorithm bandwidth must confirm it; whatever contradicts it makes it nil.
func ranks(t *parse.Test) (*int, proof) {
	q, measured := quotient(t)
	n, gaps, sound := listed(t)
	together := n / groups(t) // how many communicate with each other
	switch {
	case measured && q.alone():
		if sound && n == 1 {
			return &n, single
		}
		return nil, single
	case sound && measured && !q.fits(t, together):
		sound = false
	case sound && gaps:
		sound = measured && q.confirms(t, together)
	}
	switch {
	case sound && n == 1:
		return &n, single
	case sound:
		return &n, several
	case measured && q.shared(t):
		return nil, several
	}
	return nil, unproven
}

// ranksProblem says how a whole device list and the bandwidths contradict each other; "" when they do not. An excerpt's list
// has gaps, or ends within a process.
func ranksProblem(t *parse.Test) string {
	q, measured := quotient(t)
	n, gaps, sound := listed(t)
	if !measured || !sound || gaps || q.fits(t, n/groups(t)) {
		return ""
	}
	return fmt.Sprintf("%d ranks are listed, but a bus bandwidth of %.3g to %.3g times the algorithm bandwidth is not theirs", n, q.low, q.high)
}

// groups is how many communicators the ranks are split into (NCCL_TESTS_SPLIT): each measures by itself, and the tool prints the
// bandwidth of one. It is 1 unless the groups are of one size.
func groups(t *parse.Test) int {
	size := map[int]int{}
	for _, d := range t.Devices {
		size[d.Group]++
	}
	for _, n := range size {
		if n*len(size) != len(t.Devices) {
			return 1
		}
	}
	return max(1, len(size))
}

// listed is the highest rank of the device list plus one. It is sound when no rank stands there twice and the list is
// made of whole processes.
func listed(t *parse.Test) (n int, gaps, sound bool) {
	if len(t.Devices) == 0 {
		return 0, false, false
	}
	seen := make([]int, 0, len(t.Devices))
	for _, d := range t.Devices {
		seen = append(seen, d.Rank)
	}
	slices.Sort(seen)
	n = seen[len(seen)-1] + 1
	gaps = len(seen) != n
	if len(slices.Compact(seen)) != len(t.Devices) {
		return n, gaps, false
	}
	if len(t.Configs) > 0 {
		c := t.Configs[0]
		if perProcess := c.Threads * c.GPUs; perProcess > 0 && n%perProcess != 0 {
			return n, gaps, false // the list ends within a process
		}
	}
	return n, gaps, true
}

// ratio is the quotient of bus and algorithm bandwidth, between two bounds that come from the decimals printed. It is
// fixed by the number of ranks n (NVIDIA's PERFORMANCE.md): all_reduce 2(n-1)/n; all_gather, reduce_scatter, alltoall,
// gather and scatter (n-1)/n; broadcast, reduce and sendrecv 1, whatever n is.
type ratio struct{ low, high float64 }

// quotient takes the size with the largest algorithm bandwidth, where the printed decimals weigh least. It is not
// measured when every value is too small to tell.
func quotient(t *parse.Test) (ratio, bool) {
	var alg, bus float64
	for i := range t.Table.Sizes {
		for _, p := range [...]parse.Sum{t.Table.Sizes[i].OutOfPlace, t.Table.Sizes[i].InPlace} {
			if p.Rows == 0 {
				continue
			}
			if a := p.AlgGBps / float64(p.Rows); a > alg {
				alg, bus = a, p.BusGBps/float64(p.Rows)
			}
		}
	}
	const enough = 0.1 // GB/s: below, a printed 0.00 may be anything
	if alg < enough {
		return ratio{}, false
	}
	da, db := halfDigit(alg), halfDigit(bus)
	return ratio{low: max(0, bus-db) / (alg + da), high: (bus + db) / (alg - da)}, true
}

// halfDigit is half of the last printed decimal: two decimals in the six places of a bandwidth, fewer when they do not fit.
func halfDigit(v float64) float64 {
	switch {
	case v < 1000:
		return 0.0051
	case v < 10000:
		return 0.051
	}
	return v * 0.0051
}

func (r ratio) holds(q float64) bool { return r.low <= q && q <= r.high }

// alone: the bus bandwidth is 0 and the algorithm bandwidth is not, which n = 1 gives.
func (r ratio) alone() bool { return r.low == 0 && r.high < 0.1 }

// fits reports whether n ranks may give this quotient in some collective, or in the one that the log names.
func (r ratio) fits(t *parse.Test, n int) bool {
	if n < 2 {
		return r.alone() || constant(t) && r.holds(1)
	}
	return r.confirms(t, n) || constant(t) && r.holds(1)
}

// confirms reports whether the quotient speaks for n and not for any number.
func (r ratio) confirms(t *parse.Test, n int) bool {
	if n < 2 {
		return false
	}
	part := float64(n-1) / float64(n)
	switch t.Name {
	case "all_reduce":
		return r.holds(2 * part)
	case "all_gather", "reduce_scatter", "alltoall", "gather", "scatter":
		return r.holds(part)
	case "":
		return r.holds(2*part) || r.holds(part)
	}
	return false
}

// constant: the collective's quotient is 1 for any number of ranks, or the log does not say which collective it is.
func constant(t *parse.Test) bool {
	switch t.Name {
	case "all_reduce", "all_gather", "reduce_scatter", "alltoall", "gather", "scatter":
		return false
	}
	return true
}

// shared reports whether the quotient alone shows that several ranks took part: it is neither 0, nor the constant 1 of
// collectives that do not look at n. Two ranks of an all_reduce give 1 as well; that they are a reduction without a root
// shows in the table.
func (r ratio) shared(t *parse.Test) bool {
	if r.alone() {
		return false
	}
	if !r.holds(1) || !constant(t) {
		return true
	}
	for i := range t.Table.Sizes {
		if s := &t.Table.Sizes[i]; s.Root >= 0 || s.RedOp == "" || s.RedOp == "none" {
			return false
		}
	}
	return math.Abs(r.high-r.low) < 0.1
}
