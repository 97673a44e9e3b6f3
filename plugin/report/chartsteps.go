package report

import "github.com/seed-95c1acfe/seatrial/api/v1alpha1"

// stepPoints bounds the points of a line. Of the steps that share a point the slowest is drawn, so that no spike is lost.
const stepPoints = 300

// stepChart draws the time of each training step, one line a group; nil when no group trained.
func stepChart(r v1alpha1.Report) *chart {
	longest, top := 0, 0.0
	for _, g := range r.Groups {
		if g.Training == nil {
			continue
		}
		longest = max(longest, len(g.Training.StepTimesSec))
		for _, s := range g.Training.StepTimesSec {
			top = max(top, s)
		}
	}
	if longest == 0 {
		return nil
	}
	c := &chart{Label: "Time of each training step, one line a group", YUnit: "s", XUnit: "step"}
	limits := limitsOf(r.Thresholds, v1alpha1.KeyStepTime)
	for _, l := range limits {
		top = max(top, l)
	}
	var y axis
	y, c.YTicks = rising(top)
	x := axis{0, float64(max(longest-1, 1))}
	for i := 0; i <= 4; i++ {
		v := x.to * float64(i) / 4
		c.XTicks = append(c.XTicks, tick{At: x.at(v), Text: number(float64(int(v) + 1)), Minor: i%2 != 0})
	}
	c.add(r, x, y, func(g v1alpha1.GroupResult) []point {
		if g.Training == nil {
			return nil
		}
		return slowest(g.Training.StepTimesSec)
	})
	c.limit(limits, y, "threshold for the mean")
	return c
}

// slowest thins out a list of times.
func slowest(times []float64) []point {
	every := max(1, (len(times)+stepPoints-1)/stepPoints)
	var points []point
	for i := 0; i < len(times); i += every {
		p := point{float64(i), times[i]}
		for _, t := range times[i:min(i+every, len(times))] {
			p.y = max(p.y, t)
		}
		points = append(points, p)
	}
	return points
}
