package report

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// bandwidthChart draws bus bandwidth over message size, one line a group; nil without a table.
func bandwidthChart(r v1alpha1.Report) *chart {
	c := &chart{Label: "Bus bandwidth over message size, one line a group", YUnit: "GB/s"}
	smallest, largest, top := math.Inf(1), 0.0, 0.0
	limits := limitsOf(r.Thresholds, v1alpha1.KeyBusBandwidth)
	for _, l := range limits {
		top = max(top, l)
	}
	for _, g := range r.Groups {
		for _, p := range busbwOf(g) {
			smallest, largest, top = min(smallest, p.x), max(largest, p.x), max(top, p.y)
		}
	}
	if largest <= 0 {
		return nil
	}
	x := axis{math.Log2(smallest), math.Log2(largest)}
	if x.to == x.from {
		x = axis{x.from - 1, x.to + 1}
	}
	var y axis
	y, c.YTicks = rising(top)
	c.XTicks = sizeTicks(x)
	c.add(r, x, y, func(g v1alpha1.GroupResult) []point {
		points := busbwOf(g)
		for i := range points {
			points[i].x = math.Log2(points[i].x)
		}
		return points
	})
	c.limit(limits, y, "threshold")
	return c
}

// busbwOf is a group's table by the rule of thresholds: out of place where there is one, else in place.
func busbwOf(g v1alpha1.GroupResult) []point {
	if g.Bandwidth == nil {
		return nil
	}
	var points []point
	for _, s := range g.Bandwidth.Results {
		at := s.OutOfPlace
		if at == nil {
			at = s.InPlace
		}
		if at != nil && s.SizeBytes > 0 {
			points = append(points, point{float64(s.SizeBytes), at.BusGBps})
		}
	}
	return points
}

// bound is an expression that says no more than that the value lies above or below a number.
var bound = regexp.MustCompile(`^\s*(?:value\s*)?[<>]=?\s*([0-9][0-9.]*(?:[eE][+-]?[0-9]+)?)\s*$`)

// limitsOf are the numbers of a key's thresholds that can be drawn as a line; an expression that says more has none.
func limitsOf(thresholds []v1alpha1.ThresholdResult, key string) []float64 {
	var all []float64
	for _, t := range thresholds {
		m := bound.FindStringSubmatch(t.Expression)
		if t.Key != key || m == nil {
			continue
		}
		if v, err := strconv.ParseFloat(m[1], 64); err == nil && !math.IsInf(v, 0) {
			all = append(all, v)
		}
	}
	return all
}

// sizeTicks marks powers of two, every third on a narrow screen.
func sizeTicks(x axis) []tick {
	first, last := math.Ceil(x.from), math.Floor(x.to)
	step := max(1, math.Ceil((last-first)/10))
	var ticks []tick
	for i, v := 0, first; v <= last; i, v = i+1, v+step {
		ticks = append(ticks, tick{At: x.at(v), Text: sizeText(v), Minor: i%3 != 0})
	}
	return ticks
}

// sizeText writes 2^exponent bytes as nccl-tests' users say it: 8 B, 4 KiB, 1 GiB.
func sizeText(exponent float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	unit := min(max(int(exponent)/10, 0), len(units)-1)
	return fmt.Sprintf("%g %s", math.Exp2(exponent-float64(10*unit)), units[unit])
}
