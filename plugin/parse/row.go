package parse

import (
	"bytes"
	"math"
)

// row reads a line that begins with a digit as a row of a table. It returns false when it is none.
func (p *Parser) row(line []byte) bool {
	if !startsRow(line) {
		return false
	}
	p.split(line)
	var r row
	if p.header != nil && p.rowBy(&r, p.header) {
		p.addRow(&r)
		return true
	}
	if h := headerless[len(p.fields)]; h != nil && p.rowBy(&r, h) {
		p.addRow(&r)
		return true
	}
	return false
}

// addRow puts a row into the test that is running.
func (p *Parser) addRow(r *row) {
	t := p.test()
	if t.Bounds != nil && t.Average != nil {
		t = p.begin() // the table of the test before has ended
	}
	for i := range r.cells {
		if c := &r.cells[i]; c.timeUs > maxMeasure || c.algGBps > maxMeasure || c.busGBps > maxMeasure {
			c.measured, c.broken = false, true
		}
	}
	before := len(t.Table.Sizes)
	if r.cells[0].broken || r.cells[1].broken || t.Table.halved(r) {
		t.spoil(r.line)
	}
	if !t.Table.add(r, p.sizes < maxSizes) {
		p.log.Truncated = true
	}
	p.sizes += len(t.Table.Sizes) - before
}

// maxMeasure is beyond what anything measures, 30 years in µs, and small enough that the sum of all rows of a log is finite.
const maxMeasure = 1e15

// startsRow is the cheap test: two numbers without a sign or a point, the size and the count (or a column that somebody
// put before them).
func startsRow(line []byte) bool {
	i := 0
	for i < len(line) && '0' <= line[i] && line[i] <= '9' {
		i++
	}
	if i == len(line) || !isBlank(line[i]) {
		return false
	}
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	return i < len(line) && '0' <= line[i] && line[i] <= '9'
}

// rowBy reads the fields by a header. Cells are counted from the end, where every layout is regular: before 2.13 the
// redop of an alltoall is blank, and some builds leave the out-of-place half blank.
func (p *Parser) rowBy(r *row, h *header) bool {
	tail := len(p.fields)
	if h.stamped {
		tail -= 2
		if tail < 0 || !isDate(p.fields[tail]) {
			return false
		}
	}
	*r = row{line: p.log.Lines, root: -1}
	switch head := tail - 2*len(h.body); {
	case head == h.head || head == h.head-1 && h.redop >= 0:
		return readCell(&r.cells[0], h.body, p.fields[head:]) && readCell(&r.cells[1], h.body, p.fields[head+len(h.body):]) &&
			p.head(r, h, head < h.head)
	case tail-len(h.body) == h.head:
		r.half = true
		return readCell(&r.cells[1], h.body, p.fields[h.head:]) && p.head(r, h, false)
	}
	return false
}

// head reads the cells before the first time. blank: the redop has no cell.
func (p *Parser) head(r *row, h *header, blank bool) bool {
	at := func(column int) []byte {
		if blank && column > h.redop {
			column--
		}
		return p.fields[column]
	}
	size, ok := integer(at(h.size))
	if _, counted := integer(at(h.count)); !ok || !counted {
		return false
	}
	dtype := at(h.dtype)
	if !isWord(dtype) || isOperation(dtype) {
		return false
	}
	r.sizeBytes, r.dtype = size, p.names.of(dtype)
	if h.redop >= 0 && !blank {
		if redop := at(h.redop); isWord(redop) {
			r.redop = p.names.of(redop)
		} else if r.root, ok = rootRank(redop); !ok || h.root >= 0 {
			// Without a header a fourth cell may be the root of a broadcast as well as an operation.
			return false
		}
	}
	if h.root >= 0 {
		if r.root, ok = rootRank(at(h.root)); !ok {
			return false
		}
	}
	return true
}

// readCell reads one placement. A value of N/A means that the placement was not measured, inf or nan that it is broken too. A difference of inf or nan
// is no check.
func readCell(c *cell, body []column, fields [][]byte) bool {
	*c = cell{measured: true}
	for i, column := range body {
		text := fields[i]
		if column == otherColumn {
			continue
		}
		if string(text) == "N/A" {
			if column == timeColumn || column == algColumn || column == busColumn {
				c.measured = false
			}
			continue
		}
		if column == wrongColumn || column == deltaColumn {
			text = bytes.TrimSuffix(text, asterisk)
		}
		v, ok := number(text)
		if !ok {
			return false
		}
		switch column {
		case timeColumn:
			c.timeUs = v
		case algColumn:
			c.algGBps = v
		case busColumn:
			c.busGBps = v
		case wrongColumn:
			// Above 999999 the count is printed as 1.04858e+06; what is no count makes the line no row.
			if !finite(v) || v != math.Trunc(v) || v > maxCount {
				return false
			}
			c.check, c.wrong = byCount, int64(v)
		case deltaColumn:
			c.check, c.broken = byDelta, !finite(v)
		case minColumn, maxColumn, p99Column, cvColumn:
			c.iterations.read(column, v)
		case otherColumn:
		}
	}
	if !finite(c.timeUs) || !finite(c.algGBps) || !finite(c.busGBps) {
		c.measured, c.broken = false, true
	}
	return true
}

// asterisk is what rccl-tests puts behind an error beyond its threshold; the footer counts them.
var asterisk = []byte("*")

// isWord reports whether text is the name of a type or an operation: float, bfloat16, fp8_e4m3, sum, none.
func isWord(text []byte) bool {
	if len(text) == 0 || len(text) > 24 || '0' <= text[0] && text[0] <= '9' {
		return false
	}
	for _, c := range text {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// isOperation reports whether text is an operation of a reduction, or none. Where one stands in place of the type, the row has lost its front.
func isOperation(text []byte) bool {
	switch string(text) {
	case "sum", "prod", "min", "max", "avg", "mulsum", "none":
		return true
	}
	return false
}

// rootRank reads the root of a collective, -1 for none.
func rootRank(text []byte) (int, bool) {
	if string(text) == "-1" {
		return -1, true
	}
	v, ok := integer(text)
	return int(v), ok && v < maxDevices
}

// isDate reports whether text looks like 2026-01-31.
func isDate(text []byte) bool {
	return len(text) == len("2006-01-02") && text[4] == '-' && text[7] == '-' && bytes.Count(text, []byte("-")) == 2
}
