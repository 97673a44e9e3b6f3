package parse

import "bytes"

// maxLine bounds the memory for one line. The longest line of the public samples has 614 bytes, and a device list of
// 1,440 ranks is 125 KB over as many lines; what is longer is read up to here, and its rest is skipped.
const maxLine = 64 << 10

// Parser reads a log that arrives in pieces. How the text is split into pieces changes nothing.
// The zero Parser is ready to use.
type Parser struct {
	// Profile adds patterns to what is read; nil for none. It must be set before the first Write.
	Profile *Profile

	stamp    []byte    // the timestamp that a kubelet put before the line; empty without one
	stamped  bool      // some line had one
	label    []byte    // the tag or label that says which process wrote the line; empty without one
	current  []byte    // the line that is read, without what stands around it
	partial  []byte    // a line whose end has not come yet
	cut      bool      // partial has lost its end, because it is longer than maxLine
	counted  bool      // partial is the last part of a line whose earlier parts have been read
	parts    [2][]byte // of a line of either stream, which a container runtime cut; empty outside
	partsCut bool      // one of them has lost some, being longer than maxLine
	stream   bool      // but what follows it goes into result

	log            Log
	result         *result // an object that is open; nil outside
	header         *header // the last table header; nil without one
	trainer        trainer
	raising        raising
	failures       map[failureKey]int // where a failure stands in the log
	failuresBefore int                // failures before the running test
	stepEnded      bool               // Slurm ends what still runs
	sizes, devices int                // kept in all tests
	names          interner

	scratch  []byte            // for a line that must be rewritten before it is read
	unpacked [maxNested][]byte // for the texts of a JSON object, and of those within it
	nested   int               // how many objects the present one is within
	fields   [][]byte
}

// Write reads more text. It never fails.
func (p *Parser) Write(text []byte) (int, error) {
	n := len(text)
	for {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			p.keep(text)
			return n, nil
		}
		if len(p.partial) == 0 && end <= maxLine {
			p.line(text[:end], true)
		} else {
			p.keep(text[:end])
			p.endLine()
		}
		text = text[end+1:]
	}
}

// Finish ends the text and returns what it held. A last line without an end may have been cut in the middle of a number
// or a word: it can still show a failure, but no row, no footer and no device. Write must not be called after it.
func (p *Parser) Finish() Log {
	if len(p.partial) > 0 && !p.stream {
		p.line(p.partial, false)
	}
	p.partial = nil
	p.finishParts()
	p.dropResult()
	p.trainer.finish(&p.log)
	if t := p.log.Training; t != nil && p.Profile != nil {
		t.WarmUpSteps, t.Interval = p.Profile.warmUp, p.Profile.interval
	}
	return p.log
}

// Text reads a whole text.
func Text(text []byte) Log {
	var p Parser
	_, _ = p.Write(text) // Write never fails
	return p.Finish()
}

// keep appends to the partial line what fits. The rest is dropped, but for that of a result, which may be long.
func (p *Parser) keep(text []byte) {
	var rest []byte
	for {
		rest = text[min(len(text), maxLine-len(p.partial)):]
		p.partial = append(p.partial, text[:len(text)-len(rest)]...)
		if len(rest) == 0 {
			return
		}
		if p.cut || !p.readDrawings() {
			break
		}
		text = rest
	}
	if !p.cut {
		p.cut = true
		p.startStream()
	}
	if p.stream && p.result != nil {
		p.feedResult(rest)
	}
}

// readDrawings makes room in a line that is too long by reading what a progress bar has drawn over: such a bar may write
// for hours without a line's end. It returns false when there is none.
func (p *Parser) readDrawings() bool {
	end := bytes.LastIndexByte(p.partial, '\r')
	if end < 0 || p.result != nil {
		return false
	}
	p.line(p.partial[:end+1], true)
	p.counted = true
	p.partial = append(p.partial[:0], p.partial[end+1:]...)
	return true
}

// startStream begins to read a line whose end has not come yet, when it is a result's.
func (p *Parser) startStream() {
	line := p.strip(p.partial)
	if p.result == nil && startsResult(line) {
		p.beginResult()
	}
	if p.result == nil {
		return
	}
	p.log.Lines++ // of which its facts are
	if p.stream = p.feedResult(line); !p.stream {
		p.log.Lines--
	}
}

// endLine reads the partial line, whose end has come.
func (p *Parser) endLine() {
	if !p.stream {
		if p.cut && p.rowsDue() {
			p.test().spoil(p.log.Lines + 1) // a row may stand in what was not read
		}
		p.line(p.partial, !p.cut)
	}
	p.partial, p.cut, p.stream, p.counted = p.partial[:0], false, false, false
}

// line reads one line. whole is false when the line has lost its end.
func (p *Parser) line(line []byte, whole bool) {
	if !p.counted {
		p.log.Lines++
	}
	line, whole, ok := p.part(line, whole)
	if !ok {
		return
	}
	if noise(line) {
		p.amid(line)
		return
	}
	p.text(p.drawn(line), whole)
}

// drawn reads what a progress bar drew over, and returns its last drawing: it ends each with a bare carriage return.
func (p *Parser) drawn(line []byte) []byte {
	for {
		end := bytes.IndexByte(line, '\r')
		if end < 0 {
			return line
		}
		p.text(line[:end], true)
		line = line[end+1:]
	}
}

// text reads one line without its end: stages 3 to 5 of the package.
func (p *Parser) text(line []byte, whole bool) {
	p.stamp, p.label = nil, nil
	line = p.strip(line)
	p.current = line
	if p.raising.open && whole {
		p.raising.read(p, line)
	}
	if p.result != nil && p.feedResult(line) || len(line) == 0 {
		return
	}
	switch first := line[0]; {
	case !whole || first == '{':
	case '0' <= first && first <= '9':
		if p.row(line) || p.profiledRow(line) {
			return
		}
		if !p.glued(line) {
			p.badRow(line)
		}
	default:
		if p.glued(line) {
			return
		}
	}
	if len(line) > 1 && line[0] == '[' && line[1] == '{' {
		line = line[1:] // a list of objects begins
	}
	found := scan(line)
	if found == 0 && line[0] != '{' && (p.Profile == nil || p.Profile.builtin) {
		return
	}
	p.read(line, found, whole)
}

// profiledRow tries a line that begins as a row by a user's own expressions.
func (p *Parser) profiledRow(line []byte) bool {
	p.trainer.place = -1
	return p.Profile != nil && !p.Profile.builtin && p.profiled(line, 0)
}

// noise reports whether a line is NCCL's own INFO, which makes up nearly all of a log with NCCL_DEBUG=INFO. It is
// decided within the first 200 bytes, before any prefix is taken off. A JSON logger's line may hold much else.
func noise(line []byte) bool {
	const window = 200
	if len(line) > window {
		line = line[:window]
	}
	return bytes.Contains(line, infoMark) && line[0] != '{'
}

var infoMark = []byte("NCCL INFO ")
