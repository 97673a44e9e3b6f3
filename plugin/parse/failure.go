package parse

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// failure reads a message of nccl-tests, NCCL, CUDA or the kernel about something that went wrong.
func (p *Parser) failure(line []byte, found signals) {
	why, known := classify(found)
	f := Failure{Cause: why.cause, Strength: why.strength}
	switch {
	case found.has(testTimeout):
		f.Cause, f.Strength, f.Host = v1alpha1.CauseHang, Specific, p.testHost(line)
	case found.has(storeTimeout):
		f.Host, f.Launch = p.named(line, "connect to ("), true
	case found.has(watchdog):
		f.Cause, f.Strength = v1alpha1.CauseHang, Specific
	case found.has(ncclWarning):
		// Most warnings tell of something that NCCL works around; only those with a known reason are failures, and those
		// about a call of CUDA.
		if !known && !found.has(libFailure) {
			return
		}
		if !known {
			f.Cause, f.Strength = v1alpha1.CauseCUDAError, Specific
		}
		f.Warning = true
		f.Host = p.warningHost(line)
		if found.has(unreachable|timedOut|refused) && !found.has(ibFault) {
			if peer := p.peer(line); peer != "" {
				f.Host = peer // who does not answer, not who asked
			}
		}
	case found.has(libFailure):
		f.Host = p.testHost(line)
		if !known {
			f.Cause, f.Strength = unknownFailure(line)
		}
		f.Warning = f.Host == "" && p.lastError(line)
	case found.has(testFailure):
		f.Cause, f.Strength, f.Host = "", Echo, p.testHost(line)
	case !known: // a message of the CUDA runtime with another text
		f.Cause, f.Strength = v1alpha1.CauseCUDAError, Specific
	}
	if found.has(testFailure) {
		p.unglue(f.Host)
	}
	p.fail(f, line)
}

// unglue gives the host of an earlier failure its own name: nccl-tests writes a failure behind the last cell of a row that it did not finish,
// without a line end between them, and the next line has the name alone.
func (p *Parser) unglue(host string) {
	for i := range p.log.Failures {
		f := &p.log.Failures[i]
		cell, is := strings.CutSuffix(f.Host, host)
		if !is || host == "" || cell == "" || strings.Trim(cell, "0123456789.") != "" {
			continue
		}
		delete(p.failures, failureKey{f.Cause, f.Strength, f.Host, f.Launch})
		f.Host = host
		p.failures[failureKey{f.Cause, f.Strength, f.Host, f.Launch}] = i
	}
}

// lastError reports whether a message is the last of NCCL's, which nccl-tests repeats behind its footer as it was: a warning that
// the library may have worked around long before (2.13.4 and later).
func (p *Parser) lastError(line []byte) bool {
	if len(p.log.Tests) == 0 {
		return false
	}
	t := p.test()
	line = bytes.TrimPrefix(line, []byte("error: "))
	return t.Bounds != nil && t.Average != nil && bytes.HasPrefix(line, []byte("Cuda failure "))
}

// unknownFailure is the reason of a failed call whose text is not in the list: CUDA's texts are reasons, NCCL's classes.
func unknownFailure(line []byte) (v1alpha1.Cause, Strength) {
	for _, library := range []string{"CUDA failure ", "Cuda failure ", "HIP failure "} {
		if bytes.Contains(line, []byte(library)) {
			return v1alpha1.CauseCUDAError, Specific
		}
	}
	return v1alpha1.CauseSystemError, Generic
}

// failureKey is what makes two failures the same: a crash repeats itself for every process of a host.
type failureKey struct {
	cause    v1alpha1.Cause
	strength Strength
	host     string
	launch   bool
}

// fail keeps a failure, or counts it when it was seen before.
func (p *Parser) fail(f Failure, line []byte) {
	key := failureKey{f.Cause, f.Strength, f.Host, f.Launch}
	if i, ok := p.failures[key]; ok {
		p.log.Failures[i].Count++
		// A failed call proves more than a warning about it.
		p.log.Failures[i].Warning = p.log.Failures[i].Warning && f.Warning
		return
	}
	if len(p.log.Failures) == maxFailures {
		p.log.MoreFailures++
		return
	}
	if p.failures == nil {
		p.failures = make(map[failureKey]int)
	}
	p.failures[key] = len(p.log.Failures)
	f.Line, f.Count, f.Text = p.log.Lines, 1, printable(line)
	p.log.Failures = append(p.log.Failures, f)
}

// failures counts every failure seen.
func (l *Log) failures() int {
	n := l.MoreFailures
	for i := range l.Failures {
		n += l.Failures[i].Count
	}
	return n
}

// testHost is the host of `HOST: Test NCCL failure …` and of ` .. HOST pid 15: Test failure …`; empty without one.
func (p *Parser) testHost(line []byte) string {
	end := bytes.Index(line, []byte(": Test "))
	if end < 0 {
		return ""
	}
	words := p.split(line[:end])
	switch {
	case len(words) == 0:
		return ""
	case string(words[0]) == ".." && len(words) > 1:
		return p.host(words[1])
	case string(words[0]) == "..":
		return ""
	}
	return p.host(words[len(words)-1])
}

// warningHost is the host of `node02:25146:25854 [0] file.cc:1105 NCCL WARN …`, with or without a time before it.
func (p *Parser) warningHost(line []byte) string {
	for len(line) > 0 {
		line = trimLeft(line)
		end := bytes.IndexByte(line, ' ')
		if end < 0 {
			return ""
		}
		word := line[:end]
		if host := processHost(word); host != nil {
			return p.host(host)
		}
		line = line[end:]
	}
	return ""
}

// peer is the address in front of a port in angle brackets, as NCCL prints it: 192.0.2.1<49189>.
func (p *Parser) peer(line []byte) string {
	for {
		open := bytes.IndexByte(line, '<')
		if open < 0 {
			return ""
		}
		name := line[bytes.LastIndexByte(line[:open], ' ')+1 : open]
		line = line[open+1:]
		if shut := bytes.IndexByte(line, '>'); shut > 0 && allDigits(line[:shut]) && len(name) > 0 {
			return p.host(name)
		}
	}
}

// host returns name when it can be the name or the address of a host, else "".
func (p *Parser) host(name []byte) string {
	if !hostName(name) {
		return ""
	}
	return p.names.of(name)
}

func hostName(name []byte) bool {
	if len(name) == 0 || len(name) > maxName {
		return false
	}
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-', c == '.', c == '_', c == ':', c == '%':
		default:
			return false
		}
	}
	return name[0] != '-' && name[0] != '.' && name[0] != ':'
}

// printable returns text that is safe to show in one line: no control characters, no direction marks, no secrets.
func printable(text []byte) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	return Mask(strings.Map(visible, strings.ToValidUTF8(string(text), "")))
}

// visible drops what moves a cursor or turns the direction of the text, and makes a blank of a tab.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == utf8.RuneError, r == '\u2028', r == '\u2029':
		return -1
	}
	return r
}
