package score

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// stragglerRatio is from where on a process took longer than the others: each waits for all in every iteration, so that their
// times are close together, whatever the fabric is.
const stragglerRatio = 1.1

// maxStragglers is how many of a test are told: two nodes of eight processes.
const maxStragglers = 16

// stragglers are the processes of a test that took longer than the median one, the slowest first.
func stragglers(t *parse.Test) []v1alpha1.Straggler {
	var slow []v1alpha1.Straggler
	for i, p := range t.Processes {
		if p.Rows == 0 || p.Relative/float64(p.Rows) < stragglerRatio {
			continue
		}
		s := v1alpha1.Straggler{Process: i, Ratio: round(p.Relative / float64(p.Rows)), WorstRatio: round(p.Worst), WorstSizeBytes: p.WorstSize}
		if i < len(t.Devices) {
			s.Host = t.Devices[i].Host // the JSON names one device for each process
		}
		slow = append(slow, s)
	}
	slices.SortStableFunc(slow, func(a, b v1alpha1.Straggler) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return slow[:min(len(slow), maxStragglers)]
}

// StragglerText says what a straggler is in a few words.
func StragglerText(s v1alpha1.Straggler) string {
	who := fmt.Sprintf("process %d", s.Process)
	if s.Host != "" {
		who += " on " + s.Host
	}
	return fmt.Sprintf("%s took %.3g times as long as the median one, up to %.3g times at %d B", who, s.Ratio, s.WorstRatio, s.WorstSizeBytes)
}

// slowIteration is from where on a single iteration stands out from the mean of its row.
const slowIteration = 1.5

// SlowestIteration is how many times the mean the slowest single iteration took, and at which message size; not ok when none
// stands out, or the log does not tell of iterations.
func SlowestIteration(b *v1alpha1.Bandwidth) (ratio float64, size int64, ok bool) {
	for i := range b.Results {
		for _, p := range [...]*v1alpha1.Placement{b.Results[i].OutOfPlace, b.Results[i].InPlace} {
			if p == nil || p.Iterations == nil || p.TimeUs <= 0 {
				continue
			}
			if r := p.Iterations.MaxUs / p.TimeUs; r >= slowIteration && r > ratio {
				ratio, size = r, b.Results[i].SizeBytes
			}
		}
	}
	return ratio, size, ratio > 0
}
