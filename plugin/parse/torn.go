package parse

import "bytes"

// torn reports whether a line holds the beginning of a row and no measured value of it: a size and a count that fit each other, and
// behind them the type, or a line of NCCL's that came between. place is where the size begins, field what follows the count.
func torn(line []byte, place int, field []byte) bool {
	size, rest := leadingInteger(line[place:])
	count, _ := leadingInteger(trimLeft(rest))
	if count < 1 || size < count || size%count != 0 {
		return false
	}
	return isType(field) || processHost(field) != nil && !bytes.Contains(line[:place], infoMark)
}

// leadingInteger is the integer with which text begins, and what follows it; -1 when it is none.
func leadingInteger(text []byte) (v int64, rest []byte) {
	end := 0
	for end < len(text) && !isBlank(text[end]) {
		end++
	}
	v, ok := integer(text[:end])
	if !ok {
		v = -1
	}
	return v, text[end:]
}

// isType reports whether text is a type of nccl-tests or rccl-tests.
func isType(text []byte) bool {
	switch string(text) {
	case "int8", "uint8", "int32", "uint32", "int64", "uint64", "half", "float", "double", "bfloat16", "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2":
		return true
	}
	return false
}

// processHost is the host of what NCCL begins its lines with, host:pid:tid; nil when text is none.
func processHost(text []byte) []byte {
	tid := bytes.LastIndexByte(text, ':')
	if tid <= 0 || !allDigits(text[tid+1:]) {
		return nil
	}
	pid := bytes.LastIndexByte(text[:tid], ':')
	if pid <= 0 || !allDigits(text[pid+1:tid]) {
		return nil
	}
	return text[:pid]
}

// rowEnd looks for the end of a row that has lost its beginning to another line: a whole placement at least. What it counts as wrong
// still counts.
func (p *Parser) rowEnd(line []byte) bool {
	const most = 320 // bytes of the widest placements
	line = bytes.Trim(line[max(0, len(line)-most):], " \t\r\"'`,")
	body := countBody
	if h := p.header; h != nil {
		body = h.body
	}
	fields := p.split(line)
	if h := p.header; h != nil && h.stamped && len(fields) > 2 && isDate(fields[len(fields)-2]) {
		fields = fields[:len(fields)-2]
	}
	if len(fields) > maxColumns || !placed(body, fields) {
		return false
	}
	t := p.test()
	t.spoil(p.log.Lines)
	at := len(fields) - len(body)
	t.lost(p.log.Lines, body, fields[at:], true)
	if placed(body, fields[:at]) {
		t.lost(p.log.Lines, body, fields[at-len(body):at], false)
	}
	return true
}

// placed reports whether fields end with a placement: bandwidths have decimals.
func placed(body []column, fields [][]byte) bool {
	if len(fields) < len(body) {
		return false
	}
	fields = fields[len(fields)-len(body):]
	for i, column := range body {
		if (column == algColumn || column == busColumn) && !bytes.ContainsAny(fields[i], ".e") {
			return false
		}
	}
	var c cell
	return readCell(&c, body, fields)
}

// lost counts the wrong values of a placement whose size is not known.
func (t *Test) lost(line int, body []column, fields [][]byte, inPlace bool) {
	for i, column := range body {
		if n, ok := wrongCount(fields[i]); ok && n > 0 && column == wrongColumn {
			t.Table.addWrong(WrongCell{Line: line, SizeBytes: -1, InPlace: inPlace, Count: n})
		}
	}
}
