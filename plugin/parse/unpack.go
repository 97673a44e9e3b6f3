package parse

import (
	"bytes"
	"unicode/utf8"
)

// unpack reads every text of a JSON object as lines of the log, all under the number of the line that they came in. It
// takes an object that has lost its end, as loggers and people cut them; whole is false for its last text then.
func (p *Parser) unpack(line []byte, whole bool) {
	for {
		open := bytes.IndexByte(line, '"')
		if open < 0 {
			return
		}
		var (
			text   []byte
			closed bool
		)
		text, line, closed = p.unquoted(line[open+1:])
		for len(text) >= shortestText {
			end := bytes.IndexByte(text, '\n')
			if end < 0 {
				// A logger's message is a whole line; a long text whose end was cut is not.
				p.inner(text, closed && whole)
				break
			}
			p.inner(text[:end], true)
			text = text[end+1:]
		}
	}
}

// shortestText is the length below which a text cannot be a row, a footer or a message: names and levels of a logger.
const shortestText = 12

// unquoted is the JSON string that begins text (after its quote), what follows it, and whether it has its end.
func (p *Parser) unquoted(text []byte) (unquoted, rest []byte, closed bool) {
	if end := bytes.IndexByte(text, '"'); end >= 0 && bytes.IndexByte(text[:end], '\\') < 0 {
		return text[:end], text[end+1:], true
	}
	buffer := &p.unpacked[p.nested]
	*buffer, rest, closed = unquote((*buffer)[:0], text)
	return *buffer, rest, closed
}

// maxNested bounds how deep a record may be packed: a program's own, within a container runtime's, within a collector's.
const maxNested = 4

// inner reads a line from within an object.
func (p *Parser) inner(line []byte, whole bool) {
	if noise(line) {
		p.amid(line)
		return
	}
	if bytes.IndexByte(line, escape) >= 0 {
		// It had been escaped as \u001b and stands in p.unpacked, so that it can be changed in place; strip's own buffer
		// may hold the object.
		line = appendWithoutEscapes(line[:0], line)
	}
	line = trimBlanks(bytes.TrimRight(p.strip(line), "\r"))
	if len(line) == 0 {
		return
	}
	if line[0] == '{' {
		p.within(line, whole)
		return
	}
	if '0' <= line[0] && line[0] <= '9' && whole {
		if p.row(line) {
			return
		}
		if !p.glued(line) {
			p.badRow(line)
		}
	} else if whole && p.glued(line) {
		return
	}
	if found := scan(line); found != 0 {
		p.read(line, found, whole)
	}
}

// within reads an object that is a text of another.
func (p *Parser) within(line []byte, whole bool) {
	if p.nested+1 == maxNested {
		return
	}
	p.nested++
	p.object(line, scan(line), whole)
	p.nested--
	p.dropResult() // which does not go on in the next text
}

// unquote appends the JSON string that begins text (after its quote) to dst, and returns what follows the closing quote.
// closed is false when there is none.
func unquote(dst, text []byte) (unquoted, rest []byte, closed bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return dst, text[i+1:], true
		case '\\':
			i++
			if i == len(text) {
				return dst, nil, false
			}
			if text[i] == 'u' {
				r, n := hexRune(text[i+1:])
				dst = utf8.AppendRune(dst, r)
				i += n
				continue
			}
			dst = append(dst, unescaped(text[i]))
		default:
			dst = append(dst, c)
		}
	}
	return dst, nil, false
}

// unescaped is what a character means after a backslash.
func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b', 'f':
		return ' '
	}
	return c
}

// hexRune reads four hexadecimal digits; half of a surrogate pair is no rune of its own.
func hexRune(text []byte) (rune, int) {
	if len(text) < 4 {
		return utf8.RuneError, len(text)
	}
	var r rune
	for _, c := range text[:4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return utf8.RuneError, 0
		}
	}
	return r, 4
}
