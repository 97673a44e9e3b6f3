package parse

import (
	"bytes"
	"slices"
)

// header says where the columns of a table are. Layouts changed with the version and, before 2.13, with the collective,
// so that a row is read by the names above it.
type header struct {
	size, count, dtype, redop, root int // cell of a row, -1 when the table has no such column
	// head is the number of cells before the first time.
	head int
	// body is what one placement prints, in order; there are two placements.
	body []column
	// stamped: the row ends with a date and a time of day (-S 1).
	stamped bool
}

// column is a measured value of one placement.
type column uint8

const (
	otherColumn column = iota // one that is not read, whatever it holds
	timeColumn
	algColumn
	busColumn
	wrongColumn // a count of wrong values
	deltaColumn // the largest difference, of which the tool itself judged whether it is too large
	minColumn   // and three more of the single iterations (-I 1)
	maxColumn
	p99Column
	cvColumn
)

// maxColumns is beyond the widest known row: with single iterations, repeated results (#bitdiff) and what NCCL chose for each
// operation it has 39 cells, and a date.
const maxColumns = 48

// readHeader reads the line with the names of the columns, `size count type redop root time algbw busbw #wrong …`.
// It returns nil for any other line.
func readHeader(line []byte) *header {
	names := bytes.Fields(line)
	if len(names) > maxColumns {
		return nil
	}
	h := &header{size: -1, count: -1, dtype: -1, redop: -1, root: -1}
	i := 0
	for ; i < len(names) && !isTime(names[i]); i++ {
		switch string(names[i]) {
		case "size", "bytes":
			h.size = i
		case "count", "N", "elements":
			h.count = i
		case "type":
			h.dtype = i
		case "redop", "op":
			h.redop = i
		case "root":
			h.root = i
		}
	}
	h.head = i
	for ; i < len(names); i++ {
		if isTime(names[i]) && len(h.body) > 0 {
			break
		}
		h.body = append(h.body, columnNamed(names[i]))
	}
	h.stamped = len(names) > 0 && string(names[len(names)-1]) == "timestamp"
	if h.size < 0 || h.count < 0 || h.dtype < 0 || !h.measures() {
		return nil
	}
	return h
}

// measures reports whether a placement has the three values without which a row says nothing.
func (h *header) measures() bool {
	return slices.Contains(h.body, timeColumn) && slices.Contains(h.body, algColumn) && slices.Contains(h.body, busColumn)
}

func isTime(name []byte) bool { return string(name) == "time" || string(name) == "cputime" }

func columnNamed(name []byte) column {
	switch string(name) {
	case "time", "cputime":
		return timeColumn
	case "algbw":
		return algColumn
	case "busbw":
		return busColumn
	case "#wrong", "wrong":
		return wrongColumn
	case "error", "res":
		return deltaColumn
	case "i_min":
		return minColumn
	case "i_max":
		return maxColumn
	case "i_p99":
		return p99Column
	case "i_cv%":
		return cvColumn
	}
	return otherColumn
}

// Layouts of tables whose header is not in the log, by the number of cells of a row.
var (
	countBody  = []column{timeColumn, algColumn, busColumn, wrongColumn}
	iterBody   = []column{timeColumn, algColumn, busColumn, wrongColumn, minColumn, maxColumn, p99Column, cvColumn}
	deltaBody  = []column{timeColumn, algColumn, busColumn, deltaColumn}
	headerless = map[int]*header{
		13: {size: 0, count: 1, dtype: 2, redop: 3, root: 4, head: 5, body: countBody},                // since 2.13
		15: {size: 0, count: 1, dtype: 2, redop: 3, root: 4, head: 5, body: countBody, stamped: true}, // 2.17.6 with -S 1
		21: {size: 0, count: 1, dtype: 2, redop: 3, root: 4, head: 5, body: iterBody},                 // 2.19.2 with -I 1
		23: {size: 0, count: 1, dtype: 2, redop: 3, root: 4, head: 5, body: iterBody, stamped: true},  // both
		12: {size: 0, count: 1, dtype: 2, redop: 3, root: -1, head: 4, body: deltaBody},               // 2.0 to 2.11, reductions
		11: {size: 0, count: 1, dtype: 2, redop: -1, root: -1, head: 3, body: deltaBody},              // 2.0 to 2.11, all_gather
	}
)
