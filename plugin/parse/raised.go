package parse

import (
	"bytes"
	"strings"
)

// Raised is how a Python program ended by itself, as it or torchrun tells.
type Raised struct {
	// Line is where it begins; 0 without.
	Line int
	// Text is the exception, or the line that tells of a signal, without control characters and at most 512 bytes.
	Text string
	// Host, Rank and ExitCode are torchrun's, of the process that failed first; empty where it does not say. The code is less
	// than 0 for a signal.
	Host, Rank, ExitCode string
}

// raising is a Python traceback, or torchrun's word on a root cause, whose lines are still to come:
//
//	Traceback (most recent call last):
//	  File "train.py", line 5, in <module>
//	ValueError: bad shard
//
//	Root Cause (first observed failure):
//	[0]:
//	  time      : 2026-11-30_07:00:00
//	  host      : node07
//	  rank      : 11 (local_rank: 3)
//	  exitcode  : -9 (pid: 222)
type raising struct {
	open bool
	root bool // it is torchrun's
	left int  // lines that may still belong to it
}

// mostOfTraceback is more lines than Python prints of one: a thousand frames of up to three lines.
const mostOfTraceback = 3000

// mostOfRoot is more lines than torchrun prints of one root cause before its exit code.
const mostOfRoot = 12

// raised reads a line that says that a Python program ends.
func (p *Parser) raised(line []byte) {
	r := &p.log.Raised
	if t := p.log.Training; r.Line == 0 || t != nil && len(t.Steps) > 0 && t.Steps[len(t.Steps)-1].Line > r.Line {
		*r = Raised{Line: p.log.Lines} // the program went on after the one before
	}
	p.log.RaisedLine = p.log.Lines
	switch {
	case bytes.Contains(line, []byte("Root Cause")):
		p.raising = raising{open: true, root: true, left: mostOfRoot}
	case bytes.Contains(line, []byte("Traceback")):
		p.raising = raising{open: true, left: mostOfTraceback}
	case r.Text == "":
		r.Text = printable(line)
	}
}

// read reads a line that may belong to what is open.
func (r *raising) read(p *Parser, line []byte) {
	if r.left--; r.left < 0 {
		r.open = false
		return
	}
	told := &p.log.Raised
	if !r.root {
		if r.open = !isException(line); !r.open && (told.Text == "" || isSummary([]byte(told.Text))) {
			told.Text = printable(line)
		}
		return
	}
	key, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return
	}
	first, _, _ := bytes.Cut(trimBlanks(value), []byte(" "))
	switch string(trimBlanks(key)) {
	case "host":
		told.Host = p.host(first)
	case "rank":
		if allDigits(first) {
			told.Rank = string(first)
		}
	case "exitcode":
		if _, ok := integer(bytes.TrimPrefix(first, []byte("-"))); ok {
			told.ExitCode = string(first)
		}
		r.open = false
	}
}

// isException reports whether a line is the last of a traceback: a dotted name that ends as those of exceptions do, and a colon or
// nothing.
func isException(line []byte) bool {
	name, _, _ := bytes.Cut(line, []byte(":"))
	for i, c := range name {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c != '.' && !isDigit(c)) {
			return false
		}
	}
	for _, end := range []string{"Error", "Exception", "Interrupt", "Exit", "Failure", "Timeout", "Expired"} {
		if strings.HasSuffix(string(name), end) {
			return true
		}
	}
	return false
}

// isSummary: torchrun's own exception says only that one of its processes had one.
func isSummary(text []byte) bool { return bytes.Contains(text, []byte("ChildFailedError")) }
