package score

import (
	"fmt"
	"math"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// contradicted: the footer's average is the plain mean over every row and placement (nccl-tests' common.cu), so that a table
// which lost none must give it. Another number shows that rows were lost, or that the footer is another run's. An excerpt
// whose rows were left out is not held to it, but for an average above its best row.
func contradicted(t *parse.Test) (finding, bool) {
	if t.Average == nil || t.Bounds == nil || t.Table.Peak == nil {
		return finding{}, false
	}
	sum, n := 0.0, 0
	for i := range t.Table.Sizes {
		for _, p := range [...]parse.Sum{t.Table.Sizes[i].OutOfPlace, t.Table.Sizes[i].InPlace} {
			sum, n = sum+p.BusGBps, n+p.Rows
		}
	}
	mean, said := sum/float64(n), t.Average.GBps
	// Every row is printed to half a digit, and the average with six of them (%g).
	slack := halfDigit(t.Table.Peak.GBps) + 1e-5*said
	f := finding{cause: v1alpha1.CauseIncomplete, weight: incomplete, line: t.Average.Line}
	switch {
	case said > t.Table.Peak.GBps+slack:
		f.reason = fmt.Sprintf("line %d: the average of %g GB/s is above the best row, %g GB/s: the footer is not this table's", t.Average.Line, said, t.Table.Peak.GBps)
	case uncut(t) && math.Abs(said-mean) > slack:
		f.reason = fmt.Sprintf("line %d: the average of %g GB/s contradicts the rows, whose mean is %.6g GB/s: rows are lost, or the footer is not theirs", t.Average.Line, said, mean)
	default:
		return finding{}, false
	}
	return f, true
}

// uncut reports whether a table shows that no row was left out: it has as many as its parameters give, in one cycle or
// several; it is an object that has its end; or its lines follow each other from the header to the footer, with sizes that grow by one factor.
func uncut(t *parse.Test) bool {
	if n := sizes(t); n > 0 && t.Table.Rows%n == 0 || t.Structured && t.EndLine > 0 && bothPlacements(t) {
		return true
	}
	const unitLines = 2 // the line of units stands between the header and the first row
	first, last := t.Table.FirstLine, t.Table.LastLine
	if t.Headers != 1 || first-t.HeaderLine > unitLines || last-first+1 != t.Table.Rows || t.Bounds.Line != last+1 {
		return false
	}
	return t.Table.Rows == len(t.Table.Sizes) && oneFactor(t.Table.Sizes)
}

func bothPlacements(t *parse.Test) bool {
	for i := range t.Table.Sizes {
		if s := &t.Table.Sizes[i]; s.OutOfPlace.Rows != s.Rows || s.InPlace.Rows != s.Rows {
			return false
		}
	}
	return true
}

// sizes is how many sizes a cycle of the test has by its parameters, 0 when they do not say or two processes print some.
func sizes(t *parse.Test) int {
	if len(t.Configs) != 1 {
		return 0
	}
	return t.Configs[0].Sizes
}

// lacking reports whether a table has fewer rows than its parameters give, or a size less often than another. An excerpt lacks some as
// well as a table whose rows another writer tore.
func lacking(t *parse.Test) bool {
	type kind struct {
		dtype, redop string
		root         int
	}
	of := map[kind]int{}
	for i := range t.Table.Sizes {
		s := &t.Table.Sizes[i]
		of[kind{s.DType, s.RedOp, s.Root}]++
		if s.Rows != t.Table.Sizes[0].Rows {
			return true
		}
	}
	for _, n := range of {
		if n < sizes(t) {
			return true
		}
	}
	return false
}

func oneFactor(sizes []parse.Size) bool {
	if len(sizes) < 3 || sizes[0].SizeBytes <= 0 {
		return false
	}
	factor := sizes[1].SizeBytes / sizes[0].SizeBytes
	for i := 1; i < len(sizes); i++ {
		before := sizes[i-1].SizeBytes
		if factor < 2 || before > math.MaxInt64/factor || sizes[i].SizeBytes != before*factor {
			return false
		}
	}
	return true
}
