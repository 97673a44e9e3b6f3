package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// chart is a drawing of lines over a plane. Places are per cent of the plane, from its left and from its top, so that the page can
// stretch the plane to any width while text keeps its size.
type chart struct {
	// Label tells what is drawn to those who do not see it.
	Label        string
	XTicks       []tick
	YTicks       []tick
	YUnit, XUnit string
	// Quiet are the lines of groups that passed, Loud those of the others.
	Quiet, Loud []curve
	// Limits are the thresholds that can be drawn.
	Limits []tick
	// Notes are sentences below the drawing.
	Notes []string
}

// tick is a place on an axis with its text. Minor ones are left out on a narrow screen.
type tick struct {
	At    float64
	Text  string
	Minor bool
}

// curve is the line of one group.
type curve struct {
	// Points is the path as SVG's polyline has it, on a plane of 1000 by 1000.
	Points string
	// Mark is a letter at the line's end; empty for quiet lines.
	Mark string
	// Left and Top are where the mark stands.
	Left, Top float64
	Text      string
	Verdict   v1alpha1.Verdict
}

const (
	// loudCurves is the number of groups that get a line and a letter of their own.
	loudCurves = 10
	// quietCurves bounds the lines of groups that passed; more would be one grey patch.
	quietCurves = 150
)

// axis maps values to per cent.
type axis struct{ from, to float64 }

func (a axis) at(v float64) float64 {
	if a.to <= a.from {
		return 0
	}
	return math.Round(10000*min(max((v-a.from)/(a.to-a.from), 0), 1)) / 100
}

// point is one value of a curve.
type point struct{ x, y float64 }

// byLoudness splits groups into those that get a curve and a letter of their own and the others: groups that did not pass, and
// groups that passed although all their nodes are under suspicion, which is what an outlier among its like is.
func byLoudness(r v1alpha1.Report) (loud, quiet []v1alpha1.GroupResult) {
	suspected := map[string]bool{}
	for _, n := range r.Nodes {
		suspected[n.Name] = n.Verdict == v1alpha1.Suspect || n.Verdict == v1alpha1.Failed
	}
	loud = notPassed(r.Groups)
	for _, g := range r.Groups {
		if g.Verdict != v1alpha1.Pass {
			continue
		}
		if len(g.Nodes) > 0 && !slices.ContainsFunc(g.Nodes, func(n string) bool { return !suspected[n] }) {
			loud = append(loud, g)
		} else {
			quiet = append(quiet, g)
		}
	}
	return loud, quiet
}

// add puts the curves of groups onto the chart, as far as there is room, and says how many there was no room for. Points are values of x and y.
func (c *chart) add(r v1alpha1.Report, x, y axis, points func(v1alpha1.GroupResult) []point) {
	loud, quiet := byLoudness(r)
	for _, kind := range []struct {
		groups []v1alpha1.GroupResult
		onto   *[]curve
		most   int
		what   string
	}{{loud, &c.Loud, loudCurves, "that did not pass"}, {quiet, &c.Quiet, quietCurves, "that passed"}} {
		hidden := 0
		for _, g := range kind.groups {
			p := points(g)
			switch {
			case len(p) == 0:
			case len(*kind.onto) == kind.most:
				hidden++
			default:
				l := draw(p, x, y)
				l.Verdict, l.Text = g.Verdict, g.Name+", "+g.Verdict.String()+": "+best(g)
				*kind.onto = append(*kind.onto, l)
			}
		}
		if hidden > 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s %s not drawn", plural(hidden, "more group"), kind.what))
		}
	}
	c.markEnds()
}

// limit draws thresholds that are a line.
func (c *chart) limit(limits []float64, y axis, what string) {
	for _, l := range limits {
		c.Limits = append(c.Limits, tick{At: 100 - y.at(l), Text: what + " " + number(l)})
	}
}

// draw makes a curve of points.
func draw(points []point, x, y axis) curve {
	var c curve
	var path strings.Builder
	for _, p := range points {
		c.Left, c.Top = x.at(p.x), 100-y.at(p.y)
		fmt.Fprintf(&path, "%g,%g ", math.Round(c.Left*100)/10, math.Round(c.Top*100)/10)
	}
	c.Points = strings.TrimSpace(path.String())
	return c
}

// markEnds letters the loud curves and keeps marks that stand beside each other apart.
func (c *chart) markEnds() {
	const across, down = 4.0, 8.0 // the room of a mark, in per cent of a narrow plane
	for i := range c.Loud {
		l := &c.Loud[i]
		l.Mark = string(rune('A' + i))
		for moved := true; moved; {
			moved = false
			for _, other := range c.Loud[:i] {
				if math.Abs(l.Left-other.Left) < across && math.Abs(l.Top-other.Top) < down-0.01 {
					l.Top, moved = other.Top+down, true
				}
			}
		}
	}
}

// rising returns an axis from 0 to a round number above top, and its ticks.
func rising(top float64) (axis, []tick) {
	const most = 6 // ticks above 0
	if top <= 0 || math.IsInf(top, 0) {
		top = 1
	}
	step := math.Pow(10, math.Floor(math.Log10(top))-1)
	for _, factor := range []float64{2, 2.5, 2, 2, 2.5, 2} { // 2, 5, 10, 20, 50, 100 times the first
		if top*1.02/step <= most {
			break
		}
		step *= factor
	}
	a := axis{0, step * math.Ceil(top*1.02/step)}
	var ticks []tick
	for v := 0.0; v <= a.to+step/2; v += step {
		ticks = append(ticks, tick{At: 100 - a.at(v), Text: fmt.Sprintf("%.4g", v)})
	}
	return a, ticks
}

// Per1000 is the place on the plane of the drawing itself.
func (t tick) Per1000() float64 { return 10 * t.At }
