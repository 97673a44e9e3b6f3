package parse

// Iterations is how far apart the single iterations of a placement lie, as nccl-tests 2.19.2 and later tell with -I 1. The time
// of an iteration is that of the process that took longest.
type Iterations struct {
	// Rows counts the rows that tell of them.
	Rows int
	// MinUs and MaxUs are the shortest and the longest iteration of all rows; P99Us and CVPercent, the 99th percentile and the
	// standard deviation in per cent of the mean, are those of the worst row.
	MinUs, MaxUs, P99Us, CVPercent float64
}

// read takes a value of one row. What is no finite number tells nothing.
func (it *Iterations) read(column column, v float64) {
	if !finite(v) {
		return
	}
	it.Rows = 1
	switch column { //nolint:exhaustive // the others are not about iterations
	case minColumn:
		it.MinUs = v
	case maxColumn:
		it.MaxUs = v
	case p99Column:
		it.P99Us = v
	case cvColumn:
		it.CVPercent = v
	}
}

func (it *Iterations) add(row *Iterations) {
	if it.Rows == 0 || row.MinUs < it.MinUs {
		it.MinUs = row.MinUs
	}
	it.Rows++
	it.MaxUs = max(it.MaxUs, row.MaxUs)
	it.P99Us = max(it.P99Us, row.P99Us)
	it.CVPercent = max(it.CVPercent, row.CVPercent)
}
