package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/plugin/report"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

const (
	// tickEvery is how often the time on a live line moves on.
	tickEvery = time.Second
	// barColumns is the length of a progress bar.
	barColumns = 20
	// eraseLine goes to the first column and clears the line (ECMA-48: CR, EL 2).
	eraseLine = "\r\x1b[2K"
)

// progress shows where a run is. On a terminal it is one line that moves, and stays behind as what was last seen of a phase when the next
// begins. Elsewhere it is a plain line whenever something changes, and every 15 s besides.
type progress struct {
	a     *app
	began time.Time
	live  bool
	// phase and text are what was shown last, at saidAt.
	phase, text string
	saidAt      time.Time
}

func (a *app) newProgress(began time.Time) *progress {
	return &progress{a: a, began: began, live: a.terminal(a.stderr), saidAt: began}
}

// at shows where a run is. phase is a word for what goes on.
func (p *progress) at(now time.Time, phase, text string) {
	if !p.live {
		if text != p.text || now.Sub(p.saidAt) >= sayEvery {
			p.a.note("%7s  %s", p.since(now), text)
			p.text, p.saidAt = text, now
		}
		return
	}
	if p.phase != "" && phase != p.phase {
		p.leave()
	}
	p.phase, p.text = phase, text
	p.draw(now)
}

// tick moves the time of a live line on.
func (p *progress) tick(now time.Time) {
	if p.live && p.phase != "" {
		p.draw(now)
	}
}

// leave ends a live line, so that what follows has a line of its own.
func (p *progress) leave() {
	if p.live && p.phase != "" {
		p.a.note("")
		p.phase = ""
	}
}

func (p *progress) draw(now time.Time) {
	line := plain.Fit(fmt.Sprintf("%7s  %s", p.since(now), p.text), report.Terminal-1)
	_, _ = fmt.Fprint(p.a.stderr, eraseLine+line) // nothing can be done when even that fails
}

func (p *progress) since(now time.Time) time.Duration { return now.Sub(p.began).Round(time.Second) }

// bar draws how far the groups are: [####----------------].
func (t tally) bar() string {
	done := 0
	if t.Total > 0 {
		done = t.Done * barColumns / t.Total
	}
	return "[" + strings.Repeat("#", done) + strings.Repeat("-", barColumns-done) + "]"
}

// whereabouts is the phase of a run as its user sees it, and a line about it for a terminal.
func (s state) whereabouts() (phase, line string) {
	t := s.tally()
	switch {
	case s.over():
		return "over", s.progress()
	case s.workflow.Phase == "" || s.workflow.Phase == "Pending":
		return "waiting", "waiting for Argo" + s.why()
	case t.Total == 0:
		return "planning", "planning" + s.soFar()
	case s.workflow.Shutdown != "":
		return "stopping", "stopping  groups " + t.String()
	case t.Done+t.EndedEarly < t.Total:
		return "testing", "testing " + t.bar() + " " + t.String()
	default:
		return "finishing", "finishing  groups " + t.String()
	}
}

// soFar is what is known of a workflow without groups.
func (s state) soFar() string {
	for _, r := range s.runs {
		if r.planned {
			return fmt.Sprintf("  %d nodes, no groups yet", len(r.plan.Nodes))
		}
	}
	return s.why()
}

// why is Argo's message on the workflow.
func (s state) why() string {
	if s.workflow.Message == "" {
		return ""
	}
	return "  " + plain.Line(s.workflow.Message)
}
