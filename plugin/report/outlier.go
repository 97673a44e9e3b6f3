package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

const (
	// leastLike is the number of like groups from which on one of them can be called different.
	leastLike = 5
	// outlying is the robust z-score beyond which a value is an outlier (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993).
	outlying = 3.5
	// outlyingBy is how far a value has to be from the median as well, as a share of it: among values that are all but equal any one stands out.
	outlyingBy = 0.1
	// toSigma makes a standard deviation of a median absolute deviation, for normally distributed values.
	toSigma = 1.4826
)

// suspectOutliers makes suspects of nodes that passed in a group that did much worse than groups like it: of the same number of
// nodes and domains. It is never a fail: nobody asked for a value, and the others may be the lucky ones. A node that passed in
// another group as well stays as it is. With thresholds the run has said what is good enough, and nothing is added to that.
func suspectOutliers(nodes []v1alpha1.NodeResult, groups []v1alpha1.GroupResult, thresholds []Threshold) {
	if len(thresholds) > 0 {
		return
	}
	reasons := map[string]string{} // by group
	for _, m := range []measure{busbw, stepTime} {
		like := map[[2]int][]*v1alpha1.GroupResult{}
		for i := range groups {
			if g := &groups[i]; g.Verdict == v1alpha1.Pass && m.value(g) != nil {
				key := [2]int{len(g.Nodes), strings.Count(g.Domain, ",")}
				like[key] = append(like[key], g)
			}
		}
		for _, some := range like {
			m.outliers(some, reasons)
		}
	}
	for i := range nodes {
		n := &nodes[i]
		if n.Verdict != v1alpha1.Passed || len(n.Groups) == 0 {
			continue
		}
		if !slices.ContainsFunc(n.Groups, func(g string) bool { return reasons[g] == "" }) {
			n.Verdict, n.Reason = v1alpha1.Suspect, reasons[n.Groups[0]]
		}
	}
}

// measure is a value by which groups are compared.
type measure struct {
	name, unit string
	value      func(*v1alpha1.GroupResult) *float64
	// worse is -1 where less is worse, 1 where more is.
	worse float64
}

var (
	busbw = measure{"bus bandwidth", "GB/s", func(g *v1alpha1.GroupResult) *float64 {
		if g.Bandwidth == nil {
			return nil
		}
		return finitePointer(g.Bandwidth.BusBandwidthGBps)
	}, -1}
	stepTime = measure{"step time", "s", func(g *v1alpha1.GroupResult) *float64 {
		if g.Training == nil {
			return nil
		}
		return finitePointer(g.Training.AvgStepTimeSec)
	}, 1}
)

// outliers adds a reason for each group that is much worse than the others.
func (m measure) outliers(groups []*v1alpha1.GroupResult, reasons map[string]string) {
	if len(groups) < leastLike {
		return
	}
	values := make([]float64, len(groups))
	for i, g := range groups {
		values[i] = *m.value(g)
	}
	middle := median(values)
	off := make([]float64, len(values))
	for i, v := range values {
		off[i] = math.Abs(v - middle)
	}
	sigma := toSigma * median(off)
	for i, g := range groups {
		by := m.worse * (values[i] - middle)
		if by <= outlyingBy*math.Abs(middle) || by <= outlying*sigma || reasons[g.Name] != "" {
			continue
		}
		text := fmt.Sprintf("%s: its %s is %s %s, the median of %d groups like it %s", g.Name, m.name, number(values[i]), m.unit, len(groups), number(middle))
		if sigma > 0 {
			text += fmt.Sprintf(" (robust z-score %.1f)", by/sigma)
		}
		reasons[g.Name] = text
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return sorted[n/2-1]/2 + sorted[n/2]/2
}
