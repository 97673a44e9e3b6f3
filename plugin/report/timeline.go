package report

import (
	"slices"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// timeline shows when each group ran. A lane holds groups that ran one after the other, so that the lanes are what ran at once.
type timeline struct {
	Lanes [][]span
	Ticks []tick
	// Hidden is the number of groups for which there was no lane.
	Hidden int
}

// span is one group on its lane; Left and Width are per cent of the whole time.
type span struct {
	Left, Width float64
	Label, Text string
	Verdict     v1alpha1.Verdict
	// Narrow: there is no room for a label.
	Narrow bool
}

// maxLanes bounds the height of the drawing.
const maxLanes = 40

// timelineOf is nil when no group says when it started.
func timelineOf(r v1alpha1.Report) *timeline {
	var ran []v1alpha1.GroupResult
	var from, to time.Time
	groups := r.Groups
	if r.Isolation != nil {
		groups = slices.Concat(groups, r.Isolation.Groups)
	}
	for _, g := range groups {
		if g.Started == nil || g.DurationSec <= 0 {
			continue
		}
		ran = append(ran, g)
		if from.IsZero() || g.Started.Before(from) {
			from = *g.Started
		}
		if e := endOf(g); e.After(to) {
			to = e
		}
	}
	if len(ran) == 0 {
		return nil
	}
	if r.Started != nil && r.Started.Before(from) {
		from = *r.Started
	}
	slices.SortStableFunc(ran, func(a, b v1alpha1.GroupResult) int { return a.Started.Compare(*b.Started) })
	whole := axis{0, to.Sub(from).Seconds()}
	label := shortName(ran)
	t := &timeline{}
	var free []time.Time // when each lane's last group ended
	for _, g := range ran {
		lane := slices.IndexFunc(free, func(end time.Time) bool { return !g.Started.Before(end) })
		if lane < 0 && len(free) == maxLanes {
			t.Hidden++
			continue
		}
		if lane < 0 {
			lane = len(free)
			free, t.Lanes = append(free, time.Time{}), append(t.Lanes, nil)
		}
		free[lane] = endOf(g)
		left := whole.at(g.Started.Sub(from).Seconds())
		s := span{Left: left, Width: max(whole.at(endOf(g).Sub(from).Seconds())-left, 0.3), Label: label(g.Name), Verdict: g.Verdict,
			Text: g.Name + ", " + g.Verdict.String() + ", " + tookOf(g)}
		s.Narrow = s.Width < 8
		t.Lanes[lane] = append(t.Lanes[lane], s)
	}
	for i := 0; i <= 4; i++ {
		t.Ticks = append(t.Ticks, tick{At: float64(25 * i), Text: length(to.Sub(from) * time.Duration(i) / 4), Minor: i%2 != 0})
	}
	return t
}

// shortName is a group's number where the names of all differ in nothing else, with the round before it in isolation, and the whole
// name where they do.
func shortName(groups []v1alpha1.GroupResult) func(string) string {
	first := ""
	for _, g := range groups {
		if strings.HasPrefix(g.Name, isolating) {
			continue
		}
		stem, digits := stemAndDigits(g.Name)
		if digits == "" || first != "" && stem != first {
			return func(name string) string { return name }
		}
		first = stem
	}
	return func(name string) string { return strings.TrimPrefix(strings.TrimPrefix(name, isolating), first) }
}

// isolating begins the names of the groups of isolation: isolate-<round>-<number>.
const isolating = "isolate-"

func endOf(g v1alpha1.GroupResult) time.Time {
	return g.Started.Add(time.Duration(g.DurationSec * float64(time.Second)))
}
