package parse

import (
	"bytes"
	"strings"
)

// fact reads the lines around a table. It returns false when the line only looks like one.
func (p *Parser) fact(line []byte, found signals) bool {
	switch {
	case found.has(boundsLine):
		return p.bounds(line)
	case found.has(averageLine):
		return p.average(line)
	case found.has(repeatsLine):
		return p.repeats(line)
	case found.has(headerLine):
		return p.tableHeader(line)
	case found.has(deviceLine):
		if d, ok := p.device(line); ok {
			p.addDevice(d)
			return true
		}
	case found.has(configLine):
		return p.config(line)
	case found.has(startLine):
		t := p.test()
		if !t.empty() {
			t = p.begin()
		}
		t.StartLine = p.log.Lines
		t.Name = p.collective(after(line, "starting:"))
		return true
	case found.has(endLine):
		t := p.test()
		t.EndLine = p.log.Lines
		if t.Name == "" {
			t.Name = p.collective(after(line, "concluded:"))
		}
		return true
	}
	return false
}

// test returns the test that is running, or begins the first.
func (p *Parser) test() *Test {
	if len(p.log.Tests) == 0 {
		return p.begin()
	}
	return &p.log.Tests[len(p.log.Tests)-1]
}

// begin begins another test. Beyond the bound the last test goes on, and the log is marked as truncated.
func (p *Parser) begin() *Test {
	if len(p.log.Tests) == maxTests {
		p.log.Truncated = true
		return p.test()
	}
	p.log.Tests = append(p.log.Tests, Test{Line: p.log.Lines})
	p.failuresBefore, p.stepEnded = p.log.failures(), false
	return p.test()
}

// empty reports whether nothing of the test has been seen.
func (t *Test) empty() bool {
	return t.StartLine == 0 && t.EndLine == 0 && len(t.Configs) == 0 && len(t.Devices) == 0 && t.Headers == 0 &&
		t.Table.Rows == 0 && !t.footed()
}

// footed reports whether a line of the footer has been seen.
func (t *Test) footed() bool { return t.Bounds != nil || t.Average != nil || t.EndLine != 0 }

// config reads `nThread 1 nGpus 8 minBytes … validation: 1`. Processes that each believe to be alone print it one after
// the other, so that a second one begins a test only after rows, a footer or a failure.
func (p *Parser) config(line []byte) bool {
	words := p.split(fromWord(line, "nThread "))
	if len(words) < 4 || string(words[0]) != "nThread" || string(words[2]) != "nGpus" {
		return false
	}
	c := Config{Line: p.log.Lines, Writer: p.names.of(p.label), Threads: smallInt(words[1]), GPUs: smallInt(words[3]), Sizes: sizesOf(words)}
	for i, w := range words[:len(words)-1] {
		if string(w) == "validation:" {
			on := string(words[i+1]) != "0"
			c.Validation = &on
		}
	}
	t := p.test()
	if t.Table.Rows > 0 || t.footed() || p.log.failures() > p.failuresBefore && !t.empty() {
		t = p.begin()
	}
	if len(t.Configs) < maxWrong {
		t.Configs = append(t.Configs, c)
	}
	return true
}

// sizesOf counts the sizes of `minBytes 8 maxBytes 1048576 step: 2(factor)` or `step: 1048576(bytes)`; 0 when it cannot.
func sizesOf(words [][]byte) int {
	const minAt, maxAt, stepAt = 5, 7, 9
	if len(words) <= stepAt || string(words[minAt-1]) != "minBytes" || string(words[maxAt-1]) != "maxBytes" || string(words[stepAt-1]) != "step:" {
		return 0
	}
	least, ok1 := integer(words[minAt])
	most, ok2 := integer(words[maxAt])
	number, unit, ok3 := bytes.Cut(words[stepAt], []byte("("))
	step, ok4 := integer(number)
	if !ok1 || !ok2 || !ok3 || !ok4 || least < 1 || most < least {
		return 0
	}
	n := 1
	switch string(unit) {
	case "factor)":
		for ; step > 1 && least <= most/step; n++ {
			least *= step
		}
	case "bytes)":
		if step > 0 && (most-least)/step < maxSizes {
			n += int((most - least) / step)
		}
	default:
		return 0
	}
	return n
}

// device reads `Rank 3 Group 0 Pid 1888 on node-1 device 1 [0x91] NVIDIA H100`; group and pid came with later versions.
func (p *Parser) device(line []byte) (Device, bool) {
	words := p.split(fromWord(line, "Rank "))
	if len(words) < 6 || string(words[0]) != "Rank" || !allDigits(words[1]) {
		return Device{}, false
	}
	d := Device{Line: p.log.Lines, Rank: smallInt(words[1])}
	for i := 2; i+1 < len(words); i += 2 {
		switch string(words[i]) {
		case "Group":
			d.Group = smallInt(words[i+1])
		case "Pid":
			d.Pid = smallInt(words[i+1])
		case "on":
			d.Host = p.names.of(words[i+1])
			ok := i+3 < len(words) && string(words[i+2]) == "device" && allDigits(words[i+3])
			return d, ok && hostName(words[i+1])
		default:
			return Device{}, false
		}
	}
	return Device{}, false
}

func (p *Parser) addDevice(d Device) {
	t := p.test()
	if t.footed() {
		t = p.begin()
	}
	if p.devices == maxDevices {
		p.log.Truncated = true
		return
	}
	p.devices++
	t.Devices = append(t.Devices, d)
}

func (p *Parser) tableHeader(line []byte) bool {
	h := readHeader(line)
	if h == nil {
		return false
	}
	p.header = h
	t := p.test()
	if t.Bounds != nil && t.Average != nil {
		t = p.begin()
	}
	t.Headers, t.HeaderLine = t.Headers+1, p.log.Lines
	return true
}

// bounds reads `Out of bounds values : 248 FAILED`.
func (p *Parser) bounds(line []byte) bool {
	b := p.countOf(line, "values")
	if b == nil {
		return false
	}
	t := p.test()
	if t.Bounds != nil {
		t = p.begin()
	}
	t.Bounds = b
	return true
}

// repeats reads `Bitwise mismatches   : 3 FAILED`, which stands between the two other lines of the footer.
func (p *Parser) repeats(line []byte) bool {
	b := p.countOf(line, "mismatches")
	if t := p.test(); b != nil && (t.Repeats == nil || t.Repeats.OK) {
		t.Repeats = b
	}
	return b != nil
}

// countOf reads a line of the footer with a count and OK or FAILED; nil when it is none.
func (p *Parser) countOf(line []byte, mark string) *Bounds {
	words := p.afterColon(line, mark)
	if len(words) < 2 {
		return nil
	}
	count, ok := integer(words[0])
	if !ok {
		return nil
	}
	verdict := string(words[1])
	if verdict != "OK" && verdict != "FAILED" {
		return nil // a shell or a person repeats the line within another
	}
	return &Bounds{Line: p.log.Lines, Count: count, OK: verdict == "OK"}
}

// average reads `Avg bus bandwidth    : 373.187`, with OK or FAILED behind it when NCCL_TESTS_MIN_BW is set.
func (p *Parser) average(line []byte) bool {
	words := p.afterColon(line, "bandwidth")
	if len(words) < 1 {
		return false
	}
	v, ok := number(words[0])
	if !ok || !finite(v) {
		return false
	}
	t := p.test()
	if t.Average != nil {
		t = p.begin()
	}
	t.Average = &Average{Line: p.log.Lines, GBps: v, BelowMinimum: len(words) > 1 && string(words[1]) == "FAILED"}
	return true
}

// afterColon is the words behind a mark and a colon, without the quotation marks that people and loggers put around lines.
// A mark at the end alone belongs to a quotation within another line, such as a shell's echo.
func (p *Parser) afterColon(line []byte, mark string) [][]byte {
	rest := trimLeft(after(line, mark))
	if len(rest) == 0 || rest[0] != ':' {
		return nil
	}
	rest = rest[1:]
	if bytes.IndexByte([]byte("\"'`"), line[0]) >= 0 {
		rest = bytes.TrimRight(rest, "\"'`,")
	}
	return p.split(rest)
}

// collective is the name of a test without the program's ending: all_reduce for all_reduce_perf_mpi.
func (p *Parser) collective(text []byte) string {
	words := p.split(text)
	if len(words) == 0 || !isWord(words[0]) {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(p.names.of(words[0]), "_mpi"), "_perf")
}

// after returns what follows the first mark in line; nil without one.
func after(line []byte, mark string) []byte {
	i := bytes.Index(line, []byte(mark))
	if i < 0 {
		return nil
	}
	return line[i+len(mark):]
}

// smallInt reads a count of processes, devices or threads; 0 when it is none.
func smallInt(text []byte) int {
	v, ok := integer(text)
	if !ok || v > 1<<31-1 {
		return 0
	}
	return int(v)
}

// fromWord is a line from a word on that stands by itself, behind whatever a logger of its own wrote before it; the whole line
// when the word is not there.
func fromWord(line []byte, word string) []byte {
	if i := bytes.Index(line, []byte(word)); i > 0 && (isBlank(line[i-1]) || line[i-1] == '#') {
		return line[i:]
	}
	return line
}
