package parse

import "bytes"

// maxPrefixes bounds how many prefixes one line may carry: kubectl's, the kubelet's, the container runtime's, mpirun's,
// torchrun's and a lost comment sign are six.
const maxPrefixes = 8

// strip takes off what other programs put before and into a line, in any order: colours, timestamps, tags, labels, and
// the comment sign of the tool itself, which chat and markdown like to lose. Blanks at both ends go too.
func (p *Parser) strip(line []byte) []byte {
	if bytes.IndexByte(line, escape) >= 0 {
		p.scratch = appendWithoutEscapes(p.scratch[:0], line)
		line = p.scratch
	}
	line = trimBlanks(line)
	for range maxPrefixes {
		n := prefix(line)
		if n == 0 {
			break
		}
		switch digit := isDigit(line[0]); {
		case digit && n >= shortestStamp:
			p.stamp, p.stamped = line[:n], true
		case digit, line[0] == '[' && !bytes.HasPrefix(line, podTag): // the pods of a job may each run a test of their own
			p.label = line[:n]
		}
		line = trimLeft(line[n:])
	}
	return line
}

// prefix returns the length of the prefix with which line begins, 0 without one.
func prefix(line []byte) int {
	if len(line) == 0 {
		return 0
	}
	switch c := line[0]; {
	case c == '#' || c == '>':
		return 1
	case c == '[':
		return tag(line)
	case c == 's' && isStream(line):
		return len("stdout F")
	case '0' <= c && c <= '9':
		return max(timestamp(line), label(line))
	}
	return 0
}

// shortestStamp is longer than any label.
const shortestStamp = len("2006-01-02T15:04:05Z")

// timestamp measures an RFC 3339 time with a blank after it, as the kubelet and container runtimes write it, with any
// number of decimals and any offset: 2026-02-05T16:17:20.615110976Z, 2026-02-05T16:17:20+05:30.
func timestamp(line []byte) int {
	const shortest, longest = shortestStamp, len("2006-01-02T15:04:05.999999999+05:30")
	if len(line) < shortest || line[4] != '-' || line[7] != '-' || line[10] != 'T' || line[13] != ':' || line[16] != ':' {
		return 0
	}
	end := bytes.IndexByte(line[:min(len(line), longest+1)], ' ')
	if end < 0 {
		end = len(line)
	}
	if end < shortest || end > longest {
		return 0
	}
	return end
}

// label measures the label of srun: `12: `.
func label(line []byte) int {
	const longest = 7
	for i, c := range line[:min(len(line), longest)] {
		switch {
		case '0' <= c && c <= '9':
		case c == ':' && (i+1 == len(line) || line[i+1] == ' '):
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// tag measures a tag in brackets: mpirun's `[1,0]<stdout>:` and `[job@1,0]<stderr>: `, torchrun's `[rank0]:`, kubectl's
// `[pod/name/container] `. Any other bracket belongs to the line.
func tag(line []byte) int {
	const longest = 600 // kubectl: pod and container names of 253 and 63 bytes, and mpirun's job name
	end := bytes.IndexByte(line[:min(len(line), longest)], ']')
	if end < 0 {
		return 0
	}
	inside, rest := line[1:end], line[end+1:]
	switch {
	case bytes.HasPrefix(rest, []byte("<std")):
		// <stdout>: <stderr>: <stddiag>:
		if n := bytes.Index(rest[:min(len(rest), 16)], []byte(">:")); n > 0 {
			return end + 1 + n + 2
		}
	case bytes.HasPrefix(line, podTag):
		return end + 1
	case len(rest) > 0 && rest[0] == ':' && isRankName(inside):
		return end + 2
	}
	return 0
}

var podTag = []byte("[pod/")

// isRankName reports whether name is a word and a number, such as rank0 and default3.
func isRankName(name []byte) bool {
	letters := 0
	for letters < len(name) && 'a' <= name[letters] && name[letters] <= 'z' {
		letters++
	}
	return letters > 0 && letters < len(name) && allDigits(name[letters:])
}

// isStream reports whether line begins with what a container runtime writes after its timestamp: `stdout F `.
func isStream(line []byte) bool {
	return bytes.HasPrefix(line, []byte("stdout F ")) || bytes.HasPrefix(line, []byte("stderr F "))
}

const escape = 0x1b

// appendWithoutEscapes appends text without terminal escape sequences: colours, cursor movements, titles.
func appendWithoutEscapes(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, escape)
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i+1+escapeLen(text[i+1:]):]
	}
}

// escapeLen measures what follows an escape byte (ECMA-48): a control sequence up to its final byte, an operating system
// command up to its terminator, else one byte.
func escapeLen(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '[':
		for i, c := range text[1:] {
			if 0x40 <= c && c <= 0x7e {
				return i + 2
			}
		}
		return len(text)
	case ']':
		for i, c := range text[1:] {
			if c == 0x07 {
				return i + 2
			}
			if c == escape {
				return i + 1
			}
		}
		return len(text)
	}
	return 1
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func trimLeft(line []byte) []byte {
	for len(line) > 0 && isBlank(line[0]) {
		line = line[1:]
	}
	return line
}

func trimRight(line []byte) []byte {
	for len(line) > 0 && isBlank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

func trimBlanks(line []byte) []byte { return trimRight(trimLeft(line)) }
