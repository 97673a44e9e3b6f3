package score

import (
	"math"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// bandwidth is what the tests of a log measured. With several tests it is their sum: the best of them, all their wrong
// values, complete and checked only when each is, and no single average, name or rank count unless they agree.
func bandwidth(tests []parse.Test) *v1alpha1.Bandwidth {
	b := &v1alpha1.Bandwidth{Checked: len(tests) > 0, Complete: len(tests) > 0, Custom: custom(tests), Results: []v1alpha1.BandwidthSize{}}
	for i := range tests {
		t := &tests[i]
		n, _ := ranks(t)
		if i == 0 {
			b.Test, b.Ranks = t.Name, n
		} else {
			b.Test, b.Ranks = agree(b.Test, t.Name), agreeRanks(b.Ranks, n)
		}
		if t.Average != nil && len(tests) == 1 {
			b.AvgBusGBps = &t.Average.GBps
		}
		if p := t.Table.Peak; p != nil && (b.PeakBusGBps == nil || p.GBps > *b.PeakBusGBps) {
			b.PeakBusGBps, b.PeakSizeBytes = &p.GBps, &p.SizeBytes
		}
		if w := wrong(t); w != nil {
			if b.Wrong != nil {
				*w += *b.Wrong
			}
			b.Wrong = w
		}
		_, unchecked := neverChecked(t)
		b.Checked = b.Checked && !unchecked
		_, unread := unreadable(t)
		_, torn := contradicted(t)
		b.Complete = b.Complete && t.Custom || b.Complete && t.Bounds != nil && t.Average != nil && !unread && !torn
		b.RanksProblem = firstText(b.RanksProblem, ranksProblem(t))
		b.Results = append(b.Results, results(t)...)
		b.Stragglers = append(b.Stragglers, stragglers(t)...)
	}
	see(b)
	return b
}

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func agree(a, b string) string {
	if a == b {
		return a
	}
	return ""
}

func agreeRanks(a, b *int) *int {
	if a != nil && b != nil && *a == *b {
		return a
	}
	return nil
}

// wrong is the sum over the rows, else the footer's count when it is not 0; nil when nobody counted.
func wrong(t *parse.Test) *int64 {
	switch {
	case t.Table.Counts:
		w := t.Table.Wrong
		return &w
	case t.Table.Rows == 0 && t.Bounds != nil && t.Bounds.Count > 0:
		w := t.Bounds.Count
		return &w
	}
	return nil
}

// results are the sizes of a test, in the order of the log.
func results(t *parse.Test) []v1alpha1.BandwidthSize {
	sizes := make([]v1alpha1.BandwidthSize, 0, len(t.Table.Sizes))
	for i := range t.Table.Sizes {
		s := &t.Table.Sizes[i]
		sizes = append(sizes, v1alpha1.BandwidthSize{SizeBytes: s.SizeBytes, DType: s.DType, RedOp: s.RedOp,
			OutOfPlace: mean(s.OutOfPlace), InPlace: mean(s.InPlace), Samples: s.Rows})
	}
	return sizes
}

// mean is nil for a placement that no row measured.
func mean(s parse.Sum) *v1alpha1.Placement {
	if s.Rows == 0 {
		return nil
	}
	n := float64(s.Rows)
	p := &v1alpha1.Placement{TimeUs: round(s.TimeUs / n), AlgGBps: round(s.AlgGBps / n), BusGBps: round(s.BusGBps / n)}
	if s.Counted > 0 {
		w := s.Wrong
		p.Wrong = &w
	}
	if it := s.Iterations; it != nil {
		p.Iterations = &v1alpha1.Iterations{MinUs: it.MinUs, MaxUs: it.MaxUs, P99Us: it.P99Us, CVPercent: it.CVPercent}
	}
	return p
}

// round drops what floating point adds to a mean of decimals: the tools print two, a mean of many rows needs a few more.
func round(v float64) float64 {
	const places = 1e6
	if r := math.Round(v*places) / places; r != 0 || v == 0 {
		return r
	}
	return v
}

// see fills what a threshold sees: the maximum over sizes of the per-size mean, out-of-place where it exists; and the
// same at the largest size, which the report shows beside it.
func see(b *v1alpha1.Bandwidth) {
	largest := int64(-1)
	for i := range b.Results {
		p := b.Results[i].OutOfPlace
		if p == nil {
			p = b.Results[i].InPlace
		}
		if p == nil {
			continue
		}
		b.BusBandwidthGBps = higher(b.BusBandwidthGBps, p.BusGBps)
		b.AlgBandwidthGBps = higher(b.AlgBandwidthGBps, p.AlgGBps)
		if size := b.Results[i].SizeBytes; size >= largest {
			largest = size
			b.LargestSizeBusGBps = &p.BusGBps
		}
	}
}

func higher(best *float64, v float64) *float64 {
	if best == nil || v > *best {
		return &v
	}
	return best
}
