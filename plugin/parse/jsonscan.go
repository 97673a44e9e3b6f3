package parse

import (
	"bytes"
	"unicode/utf8"
)

// jsonScanner reads one JSON value that arrives in pieces, in flat memory: a result of nccl-tests with a time for every
// iteration of a thousand processes has tens of megabytes in one line. It keeps the path to where it is and no value.
type jsonScanner struct {
	sink  jsonSink
	state jsonState
	stack []jsonFrame
	text  []byte // of the string or word that is being read, at most maxJSONText
	hex   []byte // of a \u escape
	key   bool   // the string is a key
}

// jsonSink takes what a jsonScanner finds. path holds the containers that are open, the outermost first; a value's own
// key is that of the last of them. The memory of text is used again.
type jsonSink interface {
	open(path []jsonFrame)
	shut(path []jsonFrame)
	value(path []jsonFrame, text []byte)
}

// jsonFrame is an open container: an object with the key that was read last, or a list.
type jsonFrame struct {
	list bool
	key  string
}

type jsonState uint8

const (
	jsonValue    jsonState = iota // a value must come
	jsonFirst                     // a value or the end of the list
	jsonKeyOrEnd                  // a key or the end of the object
	jsonKeyOnly                   // a key
	jsonColon                     // the colon behind a key
	jsonNext                      // a comma or the end of the container
	jsonString                    // within a string
	jsonEscape                    // behind a backslash
	jsonHex                       // within \u0000
	jsonWord                      // within a number, true, false or null
	jsonDone                      // the value has ended
	jsonBroken                    // what came is no JSON
)

const (
	maxJSONDepth = 32
	maxJSONText  = 2 << 10 // nccl-tests cuts its own strings there
)

// feed reads a piece. It returns false once the text is no JSON. What follows the end of the value is not read.
func (s *jsonScanner) feed(text []byte) bool {
	for i := 0; i < len(text) && s.state != jsonDone; {
		if s.state == jsonString {
			i += s.inString(text[i:])
			continue
		}
		c := text[i]
		switch s.state {
		case jsonEscape:
			s.escaped(c)
		case jsonHex:
			s.hexDigit(c)
		case jsonWord:
			if isJSONWord(c) {
				s.keep(c)
				break
			}
			s.sink.value(s.stack, s.text)
			s.ended()
			continue // c belongs to what comes next
		default:
			if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
				s.step(c)
			}
		}
		if s.state == jsonBroken {
			return false
		}
		i++
	}
	return s.state != jsonBroken
}

// step reads a byte between values.
func (s *jsonScanner) step(c byte) {
	switch {
	case c == '"' && (s.state == jsonValue || s.state == jsonFirst):
		s.state, s.key, s.text = jsonString, false, s.text[:0]
	case c == '"' && (s.state == jsonKeyOrEnd || s.state == jsonKeyOnly):
		s.state, s.key, s.text = jsonString, true, s.text[:0]
	case c == ':' && s.state == jsonColon:
		s.state = jsonValue
	case c == ',' && s.state == jsonNext && s.inList():
		s.state = jsonValue
	case c == ',' && s.state == jsonNext:
		s.state = jsonKeyOnly
	case (c == '{' || c == '[') && (s.state == jsonValue || s.state == jsonFirst):
		s.enter(c == '[')
	case c == '}' && !s.inList() && len(s.stack) > 0 && (s.state == jsonKeyOrEnd || s.state == jsonNext),
		c == ']' && s.inList() && (s.state == jsonFirst || s.state == jsonNext):
		s.sink.shut(s.stack)
		s.stack = s.stack[:len(s.stack)-1]
		s.ended()
	case isJSONWord(c) && len(s.stack) > 0 && (s.state == jsonValue || s.state == jsonFirst):
		s.state, s.text = jsonWord, append(s.text[:0], c)
	default:
		s.state = jsonBroken
	}
}

func (s *jsonScanner) inList() bool { return len(s.stack) > 0 && s.stack[len(s.stack)-1].list }

func (s *jsonScanner) enter(list bool) {
	if len(s.stack) == maxJSONDepth {
		s.state = jsonBroken
		return
	}
	s.stack = append(s.stack, jsonFrame{list: list})
	s.sink.open(s.stack)
	s.state = jsonKeyOrEnd
	if list {
		s.state = jsonFirst
	}
}

// ended: a value is complete.
func (s *jsonScanner) ended() {
	s.state = jsonNext
	if len(s.stack) == 0 {
		s.state = jsonDone
	}
}

// inString reads within a string and returns how many bytes it took.
func (s *jsonScanner) inString(text []byte) int {
	i := bytes.IndexAny(text, `"\`)
	if i < 0 {
		s.keep(text...)
		return len(text)
	}
	s.keep(text[:i]...)
	switch {
	case text[i] == '\\':
		s.state = jsonEscape
	case s.key:
		s.stack[len(s.stack)-1].key = string(s.text)
		s.state = jsonColon
	default:
		s.sink.value(s.stack, s.text)
		s.ended()
	}
	return i + 1
}

func (s *jsonScanner) escaped(c byte) {
	if c == 'u' {
		s.state, s.hex = jsonHex, s.hex[:0]
		return
	}
	s.keep(unescaped(c))
	s.state = jsonString
}

func (s *jsonScanner) hexDigit(c byte) {
	s.hex = append(s.hex, c)
	if len(s.hex) < 4 {
		return
	}
	r, _ := hexRune(s.hex)
	s.keep(utf8.AppendRune(nil, r)...)
	s.state = jsonString
}

// keep appends to the text what fits.
func (s *jsonScanner) keep(text ...byte) {
	s.text = append(s.text, text[:min(len(text), maxJSONText-len(s.text))]...)
}

func isJSONWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '+' || c == '.'
}
