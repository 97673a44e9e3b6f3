package steps

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"math"
	"time"

	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// logReader reads a log that carries the kubelet's timestamp before each line, and may be opened again in the middle: a kubelet
// ends a stream when it rotates the log, and keeps only the newest file. The timestamps, in nanoseconds, tell which lines have
// been read, so that none is lost and none counts twice.
type logReader struct {
	parser *parse.Parser
	tail   *parse.Tail

	line []byte // the line whose end has not come yet
	long bool   // its beginning has been passed on already

	first  int64        // the time of the first line; 0 while there is none
	seen   marks        // of the last lines
	again  map[mark]int // the lines that the reopened stream may repeat, and how often; nil in a first reading
	oldest int64        // lines before that time have been read
}

// longLine is beyond what a parser keeps of a line. What is longer is passed on as it comes.
const longLine = 128 << 10

// Write takes more of the stream. It never fails.
func (l *logReader) Write(text []byte) (int, error) {
	n := len(text)
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			l.line = append(l.line, text...)
			if l.long || len(l.line) > longLine {
				l.pass(l.line, !l.long)
				l.line, l.long = l.line[:0], true
			}
			return n, nil
		}
		l.line = append(l.line, text[:end+1]...)
		l.pass(l.line, !l.long)
		l.line, l.long = l.line[:0], false
		text = text[end+1:]
	}
	return n, nil
}

// pass gives a line, or a part of a long one, to the parser and the tail. begins: it has the line's beginning.
func (l *logReader) pass(line []byte, begins bool) {
	text := line
	if begins {
		at, stamp := stampOf(line)
		if at != 0 {
			m := mark{at, crc32.ChecksumIEEE(line)}
			if l.read(m) {
				return
			}
			if l.seen.n == 0 {
				l.first = at
			}
			l.seen.add(m)
			text = line[stamp:]
		}
	}
	_, _ = l.parser.Write(line) // neither of them ever fails
	_, _ = l.tail.Write(text)
}

// read says whether a line has been read before.
func (l *logReader) read(m mark) bool {
	switch {
	case l.again == nil:
		return false
	case l.again[m] > 0:
		l.again[m]--
		return true
	}
	return m.At < l.oldest
}

// finish ends the stream: a last line may have no end.
func (l *logReader) finish() {
	if len(l.line) > 0 {
		l.pass(l.line, !l.long)
	}
	l.line, l.long = l.line[:0], false
}

// since is the time from which on a stream has what has not been read. It is the zero time when no line had a timestamp: then the
// log is read anew from its beginning.
func (l *logReader) since() time.Time {
	if l.seen.n == 0 {
		return time.Time{}
	}
	oldest := int64(math.MaxInt64)
	for _, m := range l.seen.all() {
		oldest = min(oldest, m.At)
	}
	return time.Unix(0, oldest)
}

// reopen makes ready for a stream that begins at the time since or later.
func (l *logReader) reopen() {
	if l.long {
		_, _ = l.Write([]byte("\n")) // its rest comes as a line that has been read
	}
	l.line, l.long = l.line[:0], false
	if l.seen.n == 0 {
		l.parser, l.tail = &parse.Parser{Profile: l.parser.Profile}, &parse.Tail{}
		return
	}
	l.again, l.oldest = map[mark]int{}, l.since().UnixNano()
	for _, m := range l.seen.all() {
		l.again[m]++
	}
}

// stampOf returns the kubelet's time with which a line begins, in nanoseconds, and its length with the blank behind it.
func stampOf(line []byte) (at int64, length int) {
	end := bytes.IndexByte(line[:min(len(line), len("2006-01-02T15:04:05.999999999+05:30")+1)], ' ')
	if end < 0 {
		return 0, 0
	}
	t, err := time.Parse(time.RFC3339Nano, string(line[:end]))
	if err != nil {
		return 0, 0
	}
	return t.UnixNano(), end + 1
}

// mark tells a line from others: its time in nanoseconds and a sum over its text, since two lines may have the same time.
type mark struct {
	At  int64  `json:"at"`
	Sum uint32 `json:"sum"`
}

// marks are those of the last lines. Two streams of a container may be written a little out of order, so that the very last
// one does not tell enough.
type marks struct {
	ring [256]mark
	n    int // ever added
}

func (s *marks) add(m mark) {
	s.ring[s.n%len(s.ring)] = m
	s.n++
}

func (s *marks) all() []mark {
	if s.n <= len(s.ring) {
		return s.ring[:s.n]
	}
	first := s.n % len(s.ring)
	return append(append(make([]mark, 0, len(s.ring)), s.ring[first:]...), s.ring[:first]...)
}

// progress is what the run record keeps of a reading, so that another process can go on with it when the log has been
// rotated meanwhile.
type progress struct {
	First  int64           `json:"first"`
	Seen   []mark          `json:"seen"`
	Parser json.RawMessage `json:"parser"`
}

// save returns the progress; nil where the reading cannot be gone on with.
func (l *logReader) save() json.RawMessage {
	state, ok := l.parser.Snapshot()
	if !ok || l.long || l.seen.n == 0 {
		return nil
	}
	text, err := json.Marshal(progress{First: l.first, Seen: l.seen.all(), Parser: state})
	if err != nil {
		return nil
	}
	return text
}

// restore goes on with a progress. It returns false, and changes nothing, when it cannot be read.
func (l *logReader) restore(saved json.RawMessage) bool {
	var p progress
	parser := &parse.Parser{Profile: l.parser.Profile}
	if json.Unmarshal(saved, &p) != nil || len(p.Seen) == 0 || parser.Restore(p.Parser) != nil {
		return false
	}
	l.parser, l.first = parser, p.First
	for _, m := range p.Seen {
		l.seen.add(m)
	}
	return true
}
