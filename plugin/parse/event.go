package parse

import (
	"bytes"
	"time"
)

// The names of a profile's patterns, which are those of the events that they tell.
const (
	trainingStep      = "trainingStep"
	CheckpointSave    = "checkpointSave"
	CheckpointDone    = "checkpointDone"
	CheckpointRestore = "checkpointRestore"
	CheckpointLoaded  = "checkpointLoaded"
	ApplicationStart  = "applicationStart"
	warmupStep        = "warmupStep"
	bandwidthResult   = "bandwidthResult"
)

// Event is something that happened around the steps of a training.
type Event struct {
	Line int
	// Kind is the name of the pattern that told it: ApplicationStart, CheckpointSave, CheckpointDone, CheckpointRestore or
	// CheckpointLoaded.
	Kind string
	// At is the zero time when the line has none.
	At time.Time
	// Step is -1 when the line has none.
	Step int
	// Seconds is how long it took, where the line says so.
	Seconds Measure
}

// maxEvents bounds the events of a log. A NeMo log starts its application anew in every line, of which only the first after a
// step is kept.
const maxEvents = 1 << 14

// profiled reads a line by the expressions of the profile, or by those of every log. It returns true when the line told
// something.
func (p *Parser) profiled(line []byte, found signals) bool {
	profile := p.Profile
	switch {
	case profile != nil && !profile.builtin:
	case !found.has(lifecycleWord):
		return false
	case profile == nil:
		profile = lifecycle()
	}
	if len(line) > maxMatched {
		return false
	}
	told := false
	for i := range profile.expressions {
		e := &profile.expressions[i]
		// The first event ends the line, as the format's other readers have it; but an application may start beside another, and
		// a step may be one of warm-up.
		if told && e.event != warmupStep || !bytes.Contains(line, e.needle) {
			continue
		}
		places := e.re.FindSubmatchIndex(line)
		if places == nil {
			continue
		}
		p.told(profile, match{e, line, places})
		told = told || e.event != ApplicationStart
	}
	return told
}

// told keeps what a line told.
func (p *Parser) told(profile *Profile, m match) {
	switch m.event {
	case trainingStep:
		p.trainer.told(&p.log, m, p.at(profile, m.capture("timestamp")))
	case warmupStep:
		if s := p.trainer.touched(&p.log); s != nil {
			s.WarmUp = true
		}
	case bandwidthResult:
		p.measuredBy(m)
		return
	default:
		if m.event == ApplicationStart && p.trainer.started {
			return // only the first after a step tells when the application began
		}
		p.trainer.started = p.trainer.started || m.event == ApplicationStart
		p.trainer.anew = p.trainer.anew || m.event == ApplicationStart || m.event == CheckpointRestore || m.event == CheckpointLoaded
		if step := m.step(); step > 0 && (m.event == CheckpointSave || m.event == CheckpointDone) {
			p.trainer.saved = step
		}
		p.addEvent(Event{Line: p.log.Lines, Kind: m.event, At: p.at(profile, m.capture("timestamp")), Step: m.step(), Seconds: m.measure("saveDuration")})
	}
}

func (p *Parser) addEvent(e Event) {
	if len(p.log.Events) == maxEvents {
		p.log.Truncated = true
		return
	}
	p.log.Events = append(p.log.Events, e)
}

// at is the time of the line: the kubelet's when it stands before the line, else what the line says itself. A program may
// write local time, so that the two are never mixed.
func (p *Parser) at(profile *Profile, captured []byte) time.Time {
	if p.stamped && len(p.stamp) == 0 {
		return time.Time{}
	}
	if p.stamped {
		t, _ := time.Parse(time.RFC3339Nano, string(trimBlanks(p.stamp))) // the zero time for none
		return t.UTC()
	}
	if len(captured) == 0 {
		return time.Time{}
	}
	return profile.timeOf(captured).UTC()
}

// dated gives the step that a line told its time, when the line has one: the kubelet's, or one in brackets at its beginning.
func (p *Parser) dated(line []byte) {
	s := p.trainer.touched(&p.log)
	if s == nil {
		return
	}
	p.trainer.started = false
	if !s.At.IsZero() {
		return
	}
	s.At = p.at(&Profile{}, inBrackets(line))
}

// inBrackets is what the brackets hold with which a line begins; nil without them.
func inBrackets(line []byte) []byte {
	if len(line) == 0 || line[0] != '[' {
		return nil
	}
	return line[1:max(1, bytes.IndexByte(line, ']'))]
}

// measuredBy keeps a row that a user's own expression read, or that there was one which it captured and nobody can read.
func (p *Parser) measuredBy(m match) {
	size, ok := integer(m.capture("size"))
	alg, algOK := number(m.capture("algBW"))
	bus, busOK := number(m.capture("busBW"))
	if ok && algOK && busOK && isMeasured(alg) && isMeasured(bus) {
		r := row{line: p.log.Lines, sizeBytes: size, root: -1}
		r.cells[0] = cell{measured: true, algGBps: alg, busGBps: bus}
		p.addRow(&r)
	} else {
		p.test().spoil(p.log.Lines)
	}
	if t := p.test(); t.Headers == 0 {
		t.Custom = true
	}
}

// isMeasured: less than nothing is no measurement.
func isMeasured(v float64) bool { return finite(v) && v >= 0 }
