package parse

import "bytes"

// badRow marks the running test when a line stands where a row must and begins as one, but cannot be read: a row that is
// dropped without a word would take its wrong values with it. Before a table, and after a whole footer, there are no rows.
func (p *Parser) badRow(line []byte) {
	if len(p.log.Tests) == 0 {
		return
	}
	t := p.test()
	if t.Custom { // whose rows are what its expression captures
		return
	}
	if t.Headers == 0 && t.Table.Rows == 0 || !beginsWithNumber(line) {
		return
	}
	fields := p.split(line)
	if !likeRow(fields) {
		return
	}
	h := p.header
	if h == nil {
		h = headerless[len(fields)]
	}
	if t.Bounds != nil && t.Average != nil {
		if h == nil || len(fields) < h.head+len(h.body) {
			return // a number that begins any other line
		}
		t = p.begin()
	}
	t.spoil(p.log.Lines)
	if h != nil {
		p.salvage(t, h)
	}
}

// spoil notes the first row that cannot be read.
func (t *Test) spoil(line int) {
	if t.BadRow == 0 {
		t.BadRow = line
	}
}

// beginsWithNumber: the first field is digits and nothing else.
func beginsWithNumber(line []byte) bool {
	i := 0
	for i < len(line) && isDigit(line[i]) {
		i++
	}
	return i > 0 && (i == len(line) || isBlank(line[i]))
}

// likeRow: a size, and nothing or another number behind it. A sentence that begins with a number is no row.
func likeRow(fields [][]byte) bool {
	if len(fields) == 1 {
		return true
	}
	c := bytes.TrimLeft(fields[1], "+-")
	if len(c) > 0 && (c[0] == '#' || c[0] == '(') {
		return false // the line of units, behind a number that somebody put before every line
	}
	return len(c) > 0 && '0' <= c[0] && c[0] <= '9' || len(fields) >= len(countBody)*2
}

// salvage counts the wrong values of a row that cannot be read, where its columns are in their places: the row has all of
// its cells, or lost only its end.
func (p *Parser) salvage(t *Test, h *header) {
	tail := len(p.fields)
	if h.stamped && tail > 2 && isDate(p.fields[tail-2]) {
		tail -= 2
	}
	head, whole := h.head, h.head+2*len(h.body)
	switch {
	case tail == whole:
	case tail > head && tail < whole && p.frontStands(h, false):
	case tail == whole-1 && h.redop >= 0 && p.frontStands(h, true):
		head--
	default:
		return
	}
	size, _ := integer(p.fields[h.size])
	for i := head; i < tail; i++ {
		column := h.body[(i-head)%len(h.body)]
		if n, ok := wrongCount(p.fields[i]); ok && n > 0 && column == wrongColumn {
			t.Table.addWrong(WrongCell{Line: p.log.Lines, SizeBytes: size, InPlace: i-head >= len(h.body), Count: n})
		}
	}
}

// frontStands reports whether every cell before the first time is what its column says, so that those behind it have not
// moved. blank: the redop has no cell.
func (p *Parser) frontStands(h *header, blank bool) bool {
	var r row
	return p.head(&r, h, blank)
}

// wrongCount reads a count of wrong values. Above 999999 it is printed as 1.04858e+06; what is beyond the whole numbers of
// a double counts as the last of them, and is no count that a row could be read with.
func wrongCount(text []byte) (int64, bool) {
	v, ok := number(text)
	switch {
	case !ok || !finite(v), bytes.IndexByte(text, '.') >= 0 && bytes.IndexByte(text, 'e') < 0:
		return 0, false // 26.00 is a bandwidth that has moved
	case v > maxCount:
		return maxCount, true
	}
	return int64(v), v == float64(int64(v))
}

// maxCount is the largest count that a double holds exactly, with all those below it.
const maxCount = 1 << 53
