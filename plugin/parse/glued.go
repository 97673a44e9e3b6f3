package parse

import "bytes"

// rowsDue reports whether a row may come: the table has begun and its footer is not whole. A row that is dropped without a
// word would take its wrong values with it.
func (p *Parser) rowsDue() bool {
	if len(p.log.Tests) == 0 {
		return false
	}
	t := &p.log.Tests[len(p.log.Tests)-1]
	return (t.Headers > 0 || t.Table.Rows > 0) && (t.Bounds == nil || t.Average == nil)
}

// glued reads a row that shares its line with another writer's text: two processes wrote at once. It returns true when there
// is one. A row with text behind it may have lost its last digits to it, so that it is a row that cannot be read.
func (p *Parser) glued(line []byte) bool {
	if !p.rowsDue() || !numbersApart(line) {
		return false
	}
	return p.rowAmid(line) || p.rowEnd(line)
}

// rowAmid looks for a row, or the beginning of one, anywhere in a line.
func (p *Parser) rowAmid(line []byte) bool {
	line = bytes.Trim(line, " \t\r\"'`,") // people and loggers put quotation marks around lines
	numbers, first, second := 0, 0, 0     // how many integers came just before, and where the last two begin
	for i := 0; i < len(line); {
		for i < len(line) && isBlank(line[i]) {
			i++
		}
		begin := i
		for i < len(line) && !isBlank(line[i]) {
			i++
		}
		switch field := line[begin:i]; {
		case allDigits(field):
			numbers, first, second = numbers+1, second, begin
		case numbers >= 2 && isWord(field) && p.rowWithin(line[first:]):
			return true
		case numbers >= 2 && torn(line, first, field):
			p.test().spoil(p.log.Lines)
			return true
		default:
			numbers = 0
		}
	}
	return false
}

// amid looks at a line of NCCL's among the rows.
func (p *Parser) amid(line []byte) {
	if !p.rowsDue() {
		return
	}
	if t := p.test(); t.Table.Rows > 0 {
		t.Table.Amid++
	}
	if len(line) < shortestGlued {
		line = line[:bytes.Index(line, infoMark)]
	}
	p.glued(line)
}

// shortestGlued is below a row of 95 bytes, as the tool prints its shortest, and the shortest beginning of an INFO line. What is
// shorter can only hold the front of a row, before NCCL's own mark.
const shortestGlued = 95 + 17

// measuresAt reports whether a time and a bandwidth, which has decimals, stand at a place.
func measuresAt(fields [][]byte, at int) bool {
	if len(fields) < at+2 {
		return false
	}
	_, timed := number(fields[at])
	_, measured := number(fields[at+1])
	return timed && measured && bytes.ContainsAny(fields[at+1], ".e")
}

// rowWithin reads text that begins as a row does: a size, a count, a type. It returns false when no measured values follow.
func (p *Parser) rowWithin(text []byte) bool {
	if p.row(text) {
		return true
	}
	fields := p.split(text)
	if !measuresAt(fields, 3) && !measuresAt(fields, 4) && !measuresAt(fields, 5) {
		return false // a sentence with two numbers in it
	}
	t := p.test()
	t.spoil(p.log.Lines)
	if h := p.header; h != nil {
		p.fields = fields[:min(len(fields), h.head+2*len(h.body))]
		p.salvage(t, h)
	}
	return true
}
