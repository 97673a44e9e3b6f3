package parse

import (
	"bytes"
	"path"
)

// result is a JSON object that nccl-tests wrote with -J (schema 1 to 3) and that somebody printed into the log: in one
// line, which is read piece by piece when it is longer than maxLine, or laid out over many lines.
//
// Booleans in it are the texts "true", "false" and "unchecked", a NaN is the text "nan"; the list env is the whole
// environment of the process and is not kept.
type result struct {
	scanner jsonScanner
	p       *Parser
	version bool           // the object begins with a version
	begun   bool           // its test is the last of the log
	other   bool           // it is something else
	rccl    *rcclPlacement // it is one of rccl-tests; nil otherwise
	row     row
	cell    *cell // the placement that is being read; nil outside
	sized   bool  // the row has a size and a type
	device  Device

	iterations *Iterations // the single iterations of a placement that are being read; nil outside
	processes  processTimes
}

// startsResult reports whether a line begins such an object: `{"version":3,…`, or `{` alone.
func startsResult(line []byte) bool {
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	rest := trimLeft(line[1:])
	return len(rest) == 0 || bytes.HasPrefix(rest, []byte(`"version"`))
}

// beginResult makes a result of what follows.
func (p *Parser) beginResult() {
	p.result = &result{p: p}
	p.result.scanner.sink = p.result
}

// feedResult gives a piece of the log to the object that is open. It returns false when the piece is none of its own; the
// object is given up then.
func (p *Parser) feedResult(piece []byte) bool {
	r := p.result
	ok := r.scanner.feed(piece)
	ok = ok && !r.other
	if !ok || r.scanner.state == jsonDone {
		p.dropResult()
	}
	return ok
}

// dropResult ends the object that is open, if one is. A placement without its end is a row that cannot be read.
func (p *Parser) dropResult() {
	if r := p.result; r != nil && r.rccl != nil && r.scanner.state != jsonDone {
		p.test().spoil(p.log.Lines)
	}
	p.result = nil
}

func (r *result) open(at []jsonFrame) {
	switch {
	case isResultsEntry(at):
		r.row, r.sized = row{line: r.p.log.Lines, root: -1}, false
	case len(at) == 4 && at[0].key == "results":
		r.openPlacement(at[2].key)
	case len(at) == 6 && r.iterations != nil && at[3].key == processRows && at[4].list && at[5].list:
		r.processes.process()
	case isDevicesEntry(at):
		r.device = Device{Line: r.p.log.Lines, Rank: -1}
	}
}

// openPlacement begins what an entry tells of a placement: its values, or those of its single iterations.
func (r *result) openPlacement(key string) {
	switch key {
	case "out_of_place":
		r.cell = &r.row.cells[0]
	case "in_place":
		r.cell = &r.row.cells[1]
	case "out_of_place_per_iter":
		r.iterations = &r.row.cells[0].iterations
	case "in_place_per_iter":
		r.iterations = &r.row.cells[1].iterations
	}
	if r.cell != nil {
		r.cell.measured = true
	}
	r.processes.begin()
}

func (r *result) shut(at []jsonFrame) {
	switch {
	case r.rccl != nil:
		if len(at) == 1 && !r.p.addPlacement(r.rccl) {
			r.p.test().spoil(r.p.log.Lines)
		}
	case len(at) == 4 && at[0].key == "results":
		if means := r.processes.means(); r.iterations != nil && r.sized && means != nil {
			r.p.addProcesses(r.test(), r.row.sizeBytes, means)
		}
		r.cell, r.iterations = nil, nil
	case isResultsEntry(at) && r.sized:
		r.test()
		r.p.addRow(&r.row)
	case isResultsEntry(at):
		r.test().spoil(r.row.line)
	case isDevicesEntry(at) && r.device.Rank >= 0:
		r.test()
		r.p.addDevice(r.device)
	case len(at) == 2 && at[0].key == "config":
		r.fillProcesses()
	case len(at) == 1 && r.begun:
		r.test().EndLine = r.p.log.Lines
	case len(at) == 1:
		r.other = true // a version and nothing of a test: a logger's record
	}
}

// test is the test that the object describes; the first call begins it.
func (r *result) test() *Test {
	t := r.p.test()
	if !r.begun && !t.empty() {
		t = r.p.begin()
	}
	r.begun = true
	if t.StartLine == 0 {
		t.StartLine, t.Structured = r.p.log.Lines, true
	}
	if len(t.Configs) == 0 {
		t.Configs = append(t.Configs, Config{Line: r.p.log.Lines})
	}
	return t
}

// isResultsEntry: an object of the list results.
func isResultsEntry(at []jsonFrame) bool {
	return len(at) == 3 && at[0].key == "results" && at[1].list && !at[2].list
}

// isDevicesEntry: an object of the list config.devices.
func isDevicesEntry(at []jsonFrame) bool {
	return len(at) == 4 && at[0].key == "config" && at[1].key == "devices" && at[2].list && !at[3].list
}

func (r *result) value(at []jsonFrame, text []byte) {
	key := at[len(at)-1].key
	switch {
	case r.rccl != nil:
		if len(at) == 1 {
			r.rccl.value(key, text)
		}
	case !r.version && beginsPlacement(at):
		r.rccl = &rcclPlacement{}
		r.rccl.value(key, text)
	case !r.version:
		r.version = len(at) == 1 && key == "version" && allDigits(text)
		r.other = !r.version
	case r.cell != nil && len(at) == 4:
		r.measured(key, text)
	case r.iterations != nil:
		r.iteration(at, text)
	case isResultsEntry(at):
		r.entry(key, text)
	case isDevicesEntry(at):
		r.listed(key, text)
	case len(at) == 1:
	case at[0].key == "config" && len(at) == 2:
		r.config(key, text)
	case at[0].key == "out_of_bounds" && len(at) == 2:
		r.bounds(key, text)
	case at[0].key == "bitwise_mismatches" && len(at) == 2:
		r.repeats(key, text)
	case at[0].key == "average_bus_bandwidth" && len(at) == 2:
		r.average(key, text)
	case at[0].key == "args" && len(at) == 2:
		if t := r.test(); t.Name == "" {
			t.Name = r.p.collective([]byte(path.Base(string(text))))
		}
	case at[0].key == "errors":
		r.failure(text)
	}
}
