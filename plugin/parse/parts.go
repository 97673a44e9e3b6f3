package parse

import "bytes"

// part takes a part of a line that a container runtime cut in several, each with a timestamp, its stream and P, the last with F. It
// returns the whole line with its last part, and the line itself when it is none of such. ok is false while parts are to come.
func (p *Parser) part(line []byte, whole bool) (joined []byte, unbroken, ok bool) {
	n := 0
	if len(line) > shortestStamp && isDigit(line[0]) {
		n = timestamp(line)
	}
	if n == 0 || len(line) < n+len(" stdout P ") || !bytes.HasPrefix(line[n:], []byte(" std")) {
		return line, whole, true
	}
	mark := n + len(" stdout ")
	kept := &p.parts[0]
	switch string(line[n : mark+2]) {
	case " stderr P ", " stderr F ":
		kept = &p.parts[1]
	case " stdout P ", " stdout F ":
	default:
		return line, whole, true
	}
	last, begin := line[mark] == 'F', mark+2
	if len(*kept) == 0 {
		if last {
			return line, whole, true
		}
		begin = 0
	}
	if rest := line[begin:]; len(*kept)+len(rest) <= maxLine {
		*kept = append(*kept, rest...)
	} else {
		p.partsCut = true
	}
	if begin == 0 {
		(*kept)[mark] = 'F' // as a line in one part has
	}
	if !last {
		return nil, false, false
	}
	joined, unbroken = *kept, whole && !p.partsCut
	if p.partsCut && p.rowsDue() {
		p.test().spoil(p.log.Lines)
	}
	*kept, p.partsCut = (*kept)[:0], false
	return joined, unbroken, true
}

// finishParts reads what has lost its last part.
func (p *Parser) finishParts() {
	for i := range p.parts {
		if len(p.parts[i]) > 0 {
			p.text(p.drawn(p.parts[i]), false)
		}
	}
}
