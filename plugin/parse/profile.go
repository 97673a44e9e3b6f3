package parse

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Profile is a LogProfile, compiled. It may be shared by parsers.
type Profile struct {
	layout      string
	warmUp      int
	interval    int
	builtin     bool
	expressions []expression
}

// expression is one pattern. Its needle is a text that every match holds, in lower case, so that most lines are passed over
// without the expression; empty when the expression has none.
type expression struct {
	event  string
	re     *regexp.Regexp
	needle []byte
	unit   map[string]string
	at     map[string]int // by the name of a capture
}

// maxMatched bounds what an expression is tried on: the longest known line of a training has 450 bytes.
const maxMatched = 4 << 10

// NewProfile compiles a profile.
func NewProfile(p *v1alpha1.LogProfile) (*Profile, error) {
	compiled := &Profile{layout: p.Spec.Timestamp.Layout, builtin: v1alpha1.BuiltinLogProfile(p.Metadata.Name) != nil}
	if p.Spec.WarmupSteps != nil {
		compiled.warmUp = *p.Spec.WarmupSteps
	}
	if p.Spec.LogInterval != nil {
		compiled.interval = *p.Spec.LogInterval
	}
	for _, n := range p.Spec.Patterns.Named() {
		e, err := newExpression(n)
		if err != nil {
			return nil, fmt.Errorf("compiling the log profile %s: %w", p.Metadata.Name, err)
		}
		if compiled.builtin && (n.Name == bandwidthResult || n.Name == trainingStep) {
			continue // the parser reads these tables by their headers, and these steps in all their forms
		}
		compiled.expressions = append(compiled.expressions, e)
	}
	return compiled, nil
}

func newExpression(n v1alpha1.NamedPattern) (expression, error) {
	re, err := regexp.Compile(n.Pattern.Regex)
	if err != nil {
		return expression{}, fmt.Errorf("%s: %w", n.Name, err)
	}
	e := expression{event: n.Name, re: re, unit: n.Pattern.Units, at: map[string]int{}}
	for i, name := range re.SubexpNames() {
		if name != "" {
			e.at[name] = i
		}
	}
	if parsed, err := syntax.Parse(n.Pattern.Regex, syntax.Perl); err == nil {
		e.needle = []byte(needle(parsed.Simplify()))
	}
	return e, nil
}

// needle is the longest text that every match of an expression holds.
func needle(re *syntax.Regexp) string {
	switch re.Op { //nolint:exhaustive // the others promise no text
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needle(re.Sub[0])
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if text := needle(sub); len(text) > len(best) {
				best = text
			}
		}
		return best
	}
	return ""
}

// lifecycle holds the events of the built-in profiles that are not steps. They are read in every log, on lines that hold a
// word of theirs.
var lifecycle = sync.OnceValue(func() *Profile {
	all := &Profile{builtin: true}
	seen := map[string]bool{}
	for _, name := range v1alpha1.LogProfiles {
		p := v1alpha1.BuiltinLogProfile(name)
		for _, n := range p.Spec.Patterns.Named() {
			if n.Name == bandwidthResult || n.Name == trainingStep || seen[n.Pattern.Regex] {
				continue
			}
			seen[n.Pattern.Regex] = true
			if e, err := newExpression(n); err == nil {
				all.expressions = append(all.expressions, e)
			}
		}
	}
	return all
})

// timeOf reads a captured timestamp: by the profile's layout, or by one of those that the built-in profiles have.
func (p *Profile) timeOf(text []byte) time.Time {
	for _, layout := range []string{p.layout, "2006-01-02 15:04:05.999999", time.RFC3339Nano} {
		if layout == "" {
			continue
		}
		if t, err := time.Parse(layout, string(text)); err == nil {
			return t
		}
	}
	return time.Time{}
}

// match is a line that an expression fits.
type match struct {
	*expression
	line   []byte
	places []int
}

// capture is the text of a named group; nil when the expression has none or it took no part.
func (m match) capture(name string) []byte {
	i, has := m.at[name]
	if !has || m.places[2*i] < 0 {
		return nil
	}
	return m.line[m.places[2*i]:m.places[2*i+1]]
}

// measure is the number of the first of the named groups that took part, in seconds where it is a duration.
func (m match) measure(names ...string) Measure {
	for _, name := range names {
		places := 0
		switch strings.ToLower(m.unit[name]) {
		case "ms":
			places = millisecond
		case "us":
			places = microsecond
		}
		if v, ok := scaledNumber(m.capture(name), places); ok {
			return Measure{v, true}
		}
	}
	return Measure{}
}

// step is the number of a step; -1 without one.
func (m match) step() int {
	if n := m.measure("globalStep", "iteration", "step"); n.Seen {
		return stepNumber(n.Value)
	}
	return -1
}

// unread reports whether the expression captured a value of a step that is none: no number, or no duration or throughput, such as
// inf. A loss may be any number, which is looked at elsewhere.
func (m match) unread() bool {
	captured := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return len(m.capture(name)) > 0 })
	}
	seconds, tflops := m.measure("stepTiming", "elapsedTime"), m.measure("tflops")
	return captured("globalStep", "iteration", "step") && m.step() < 0 ||
		captured("stepTiming", "elapsedTime") && !(seconds.Seen && isMeasured(seconds.Value)) ||
		captured("tflops") && !(tflops.Seen && isMeasured(tflops.Value)) ||
		captured("loss") && !m.measure("loss").Seen
}
