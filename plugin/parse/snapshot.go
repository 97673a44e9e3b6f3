package parse

import (
	"encoding/json"
	"fmt"
)

// snapshot is the state of a Parser between two lines.
type snapshot struct {
	Log            Log          `json:"log"`
	Tables         []rowsState  `json:"tables,omitempty"` // what a Table keeps for itself, test by test
	Header         *headState   `json:"header,omitempty"`
	FailuresBefore int          `json:"failuresBefore,omitempty"`
	Sizes          int          `json:"sizes,omitempty"`
	Devices        int          `json:"devices,omitempty"`
	StepEnded      bool         `json:"stepEnded,omitempty"`
	Stamped        bool         `json:"stamped,omitempty"`
	Wrapped        bool         `json:"wrapped,omitempty"`
	Started        bool         `json:"started,omitempty"`
	Anew           bool         `json:"anew,omitempty"`
	Base           int          `json:"base,omitempty"`
	Counted        bool         `json:"counted,omitempty"`
	Raising        raisingState `json:"raising"`
	Saved          int          `json:"saved,omitempty"`
	Epoch          int          `json:"epoch,omitempty"`
	Recent         []rankState  `json:"recent,omitempty"`
}

type rowsState struct {
	Halves int `json:"halves,omitempty"`
	Last   int `json:"last,omitempty"`
}

type headState struct {
	Places  [6]int `json:"places"` // size, count, type, redop, root, head
	Body    []int  `json:"body"`
	Stamped bool   `json:"stamped,omitempty"`
}

type raisingState struct {
	Open, Root bool `json:",omitempty"`
	Left       int  `json:",omitempty"`
}

type rankState struct {
	Step   int       `json:"step"`
	TFLOPs []float64 `json:"tflops,omitempty"`
}

// Snapshot is the state of the parser as JSON, with which Restore goes on in another process. It is not ok within a line
// or an object of several lines: the next line's end may do.
func (p *Parser) Snapshot() (state []byte, ok bool) {
	if len(p.partial) > 0 || len(p.parts[0]) > 0 || len(p.parts[1]) > 0 || p.result != nil {
		return nil, false
	}
	t := &p.trainer
	s := snapshot{
		Log: p.log, FailuresBefore: p.failuresBefore, StepEnded: p.stepEnded, Sizes: p.sizes, Devices: p.devices, Stamped: p.stamped,
		Wrapped: t.wrapped, Started: t.started, Anew: t.anew, Base: t.base, Counted: t.counted, Saved: t.saved, Epoch: t.epoch,
		Raising: raisingState{p.raising.open, p.raising.root, p.raising.left},
	}
	for i := range p.log.Tests {
		s.Tables = append(s.Tables, rowsState{p.log.Tests[i].Table.halves, p.log.Tests[i].Table.last})
	}
	if h := p.header; h != nil {
		s.Header = &headState{Places: [6]int{h.size, h.count, h.dtype, h.redop, h.root, h.head}, Stamped: h.stamped}
		for _, c := range h.body {
			s.Header.Body = append(s.Header.Body, int(c))
		}
	}
	for _, r := range t.recent {
		s.Recent = append(s.Recent, rankState{r.step, r.tflops})
	}
	state, err := json.Marshal(s)
	return state, err == nil
}

// Restore makes the parser one that has read what another had when its Snapshot was taken. The Profile is not part of it.
func (p *Parser) Restore(state []byte) error {
	var s snapshot
	if err := json.Unmarshal(state, &s); err != nil {
		return fmt.Errorf("reading a parser's state: %w", err)
	}
	if err := s.sound(); err != nil {
		return fmt.Errorf("reading a parser's state: %w", err)
	}
	*p = Parser{Profile: p.Profile, log: s.Log, failuresBefore: s.FailuresBefore, stepEnded: s.StepEnded, sizes: s.Sizes, devices: s.Devices, stamped: s.Stamped}
	p.trainer = trainer{wrapped: s.Wrapped, started: s.Started, anew: s.Anew, base: s.Base, counted: s.Counted, saved: s.Saved, epoch: s.Epoch}
	p.raising = raising{s.Raising.Open, s.Raising.Root, s.Raising.Left}
	for _, r := range s.Recent {
		p.trainer.recent = append(p.trainer.recent, rankValues{r.Step, r.TFLOPs})
	}
	for i, rows := range s.Tables {
		t := &p.log.Tests[i].Table
		t.halves, t.last = rows.Halves, rows.Last
		for k := range t.Sizes {
			if t.index == nil {
				t.index = make(map[sizeKey]int)
			}
			t.index[t.Sizes[k].key()] = k
		}
	}
	if h := s.Header; h != nil {
		p.header = &header{size: h.Places[0], count: h.Places[1], dtype: h.Places[2], redop: h.Places[3], root: h.Places[4], head: h.Places[5], stamped: h.Stamped}
		for _, c := range h.Body {
			p.header.body = append(p.header.body, column(c))
		}
	}
	for i, f := range p.log.Failures {
		if p.failures == nil {
			p.failures = make(map[failureKey]int)
		}
		p.failures[failureKey{f.Cause, f.Strength, f.Host, f.Launch}] = i
	}
	return nil
}

// sound refuses a state that would make the parser reach beyond what it holds: it comes from a ConfigMap.
func (s *snapshot) sound() error {
	if len(s.Tables) != len(s.Log.Tests) {
		return fmt.Errorf("it has %d tables for %d tests", len(s.Tables), len(s.Log.Tests))
	}
	for i, rows := range s.Tables {
		if n := len(s.Log.Tests[i].Table.Sizes); rows.Last < 0 || rows.Last >= max(n, 1) {
			return fmt.Errorf("its last size is %d of %d", rows.Last, n)
		}
	}
	steps := 0
	if s.Log.Training != nil {
		steps = len(s.Log.Training.Steps)
	}
	if len(s.Recent) > recentSteps {
		return fmt.Errorf("it has %d last steps", len(s.Recent))
	}
	for i, r := range s.Recent {
		if r.Step != steps-len(s.Recent)+i || r.Step < 0 {
			return fmt.Errorf("it has a step %d of %d", r.Step, steps)
		}
	}
	if s.Base < 0 {
		return fmt.Errorf("its base is %d", s.Base)
	}
	if h := s.Header; h != nil {
		for _, place := range h.Places {
			if place < -1 || place > maxColumns {
				return fmt.Errorf("its header has a column %d", place)
			}
		}
		most := h.Places[5]
		for _, place := range h.Places[:5] {
			if place >= most {
				return fmt.Errorf("its header has a column %d of %d", place, most)
			}
		}
		if h.Places[0] < 0 || h.Places[1] < 0 || h.Places[2] < 0 || len(h.Body) == 0 || len(h.Body) > maxColumns {
			return fmt.Errorf("its header names no row")
		}
	}
	return nil
}
