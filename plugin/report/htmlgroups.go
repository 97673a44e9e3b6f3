package report

import (
	"fmt"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// htmlGroup is what the page shows of one group.
type htmlGroup struct {
	ID, Name, Nodes, Domain, Cause, Message string
	Verdict                                 v1alpha1.Verdict
	// Best is the group's number, Largest the one at the largest size, each with its unit; Took is how long it ran.
	Best, Largest, Took string
	// Bar is the length of a bar for Best in per cent of the best group's; 0 for none.
	Bar      float64
	Facts    []fact
	Log      *v1alpha1.FailureLog
	LogLines int
}

func groupView(id string, g v1alpha1.GroupResult, r v1alpha1.Report) htmlGroup {
	v := htmlGroup{
		ID: id, Name: g.Name, Nodes: NodeList(g.Nodes), Domain: g.Domain, Cause: string(g.Cause), Message: whyNot(g),
		Verdict: g.Verdict, Best: best(g), Took: tookOf(g),
	}
	if g.Bandwidth != nil && g.Bandwidth.BusBandwidthGBps != nil {
		v.Best = number(*g.Bandwidth.BusBandwidthGBps) + " GB/s"
		if top := bestBusbw(r.Groups); top > 0 {
			v.Bar = 100 * *g.Bandwidth.BusBandwidthGBps / top
		}
		if g.Bandwidth.LargestSizeBusGBps != nil {
			v.Largest = number(*g.Bandwidth.LargestSizeBusGBps) + " GB/s"
		}
	}
	if id == "" {
		return v
	}
	v.Facts = facts(g)
	if g.FailureLog != nil && g.FailureLog.Tail != "" {
		v.Log, v.LogLines = g.FailureLog, len(logLinesOf(g.FailureLog.Tail))
	}
	return v
}

// tookOf says how long a group ran, and in how many tries.
func tookOf(g v1alpha1.GroupResult) string {
	took := "not run"
	if g.DurationSec > 0 {
		took = length(time.Duration(g.DurationSec * float64(time.Second)))
	}
	if g.Attempts > 1 {
		took += fmt.Sprintf(", %d tries", g.Attempts)
	}
	return took
}

// bestBusbw is the largest number that a threshold sees, in GB/s; 0 without one.
func bestBusbw(groups []v1alpha1.GroupResult) float64 {
	top := 0.0
	for _, g := range groups {
		if g.Bandwidth != nil && g.Bandwidth.BusBandwidthGBps != nil {
			top = max(top, *g.Bandwidth.BusBandwidthGBps)
		}
	}
	return top
}
