package parse

import (
	"bytes"
	"strings"
)

// Bounds of a Tail, from docs of the report: at most 200 lines and 32 KiB.
const (
	tailLines = 200
	tailBytes = 32 << 10
	tailLine  = 4 << 10 // of one line; what is longer keeps its beginning, where the message is
)

// Tail keeps the end of a log, to be shown with a failure. It is written to as the Parser is; how the text is split into
// pieces changes nothing, and its memory is flat. The zero Tail is ready to use.
type Tail struct {
	ring [tailLines][]byte // raw; their memory is used again
	n    int               // lines ever seen; the last is ring[(n-1)%tailLines]
	open bool              // the last line's end has not come yet
	cut  [tailLines]bool   // the line was longer than is kept
}

// Write reads more text. It never fails.
func (t *Tail) Write(text []byte) (int, error) {
	n := len(text)
	for len(text) > 0 {
		piece, ended := text, false
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			piece, text, ended = text[:end], text[end+1:], true
		} else {
			text = nil
		}
		if !t.open {
			t.n++
			t.ring[t.at()], t.cut[t.at()] = t.ring[t.at()][:0], false
		}
		i := t.at()
		if room := tailLine - len(t.ring[i]); len(piece) > room {
			piece, t.cut[i] = piece[:room], true
		}
		t.ring[i] = append(t.ring[i], piece...)
		t.open = !ended
	}
	return n, nil
}

// at is the place of the last line.
func (t *Tail) at() int { return (t.n - 1) % tailLines }

// String is the end of the log: whole lines, at most 200 and 32 KiB, without control characters and escape sequences,
// with secrets masked. Each line ends with a line feed; an empty log is "".
func (t *Tail) String() string {
	kept := min(t.n, tailLines)
	lines := make([]string, 0, kept)
	for k := t.n - kept; k < t.n; k++ {
		i := k % tailLines
		line := show(t.ring[i])
		if t.cut[i] {
			line += "…"
		}
		lines = append(lines, line)
	}
	hideKeys(lines)

	size, first := 0, len(lines)
	for first > 0 && size+len(lines[first-1])+1 <= tailBytes {
		first--
		size += len(lines[first]) + 1
	}
	var b strings.Builder
	b.Grow(size)
	for _, line := range lines[first:] {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// show is a line as a terminal would leave it, made safe: what a bare carriage return had drawn over is gone.
func show(line []byte) string {
	line = bytes.TrimRight(line, "\r")
	if i := bytes.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	if bytes.IndexByte(line, escape) >= 0 {
		line = appendWithoutEscapes(nil, line)
	}
	return Mask(strings.Map(visible, strings.ToValidUTF8(string(line), "")))
}

// hideKeys hides the lines of private keys in PEM form, of one whose beginning has left the tail as well.
func hideKeys(lines []string) {
	inside, seen := false, false
	for i, line := range lines {
		switch {
		case strings.Contains(line, "-----BEGIN ") && strings.Contains(line, "PRIVATE KEY"):
			inside, seen = true, true
		case strings.Contains(line, "-----END ") && strings.Contains(line, "PRIVATE KEY"):
			if !seen {
				for j := range i {
					lines[j] = hidden
				}
			}
			inside, seen = false, true
		case inside:
			lines[i] = hidden
		}
	}
}
