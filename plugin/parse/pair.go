package parse

import "math"

// pair makes one step of two lines that stand beside each other, of which one has the number and the other the throughput. It
// returns true when the step stands already. Megatron-Bridge prints
//
//	Step Time : 9.09s GPU utilization: 663.5MODEL_TFLOP/s/GPU
//	 [2025-12-22 15:18:33] iteration       50/      50 | consumed samples: 25600 | elapsed time per iteration (ms): 9089.0 | lm loss: 8.1E+00 |
func (t *trainer) pair(tr *Training, s *Step) bool {
	n := len(tr.Steps) - 1
	if n < t.base || len(t.recent) == 0 {
		return false
	}
	switch last := &tr.Steps[n]; {
	case (s.Number < 0) == (last.Number < 0) || !sameTime(s.TimeSec, last.TimeSec):
	case last.Number < 0 && last.TFLOPs.Seen:
		if !s.TFLOPs.Seen {
			s.TFLOPs = last.TFLOPs
		}
		tr.Steps, t.recent = tr.Steps[:n], t.recent[:len(t.recent)-1]
	case s.Number < 0 && s.TFLOPs.Seen && !last.TFLOPs.Seen:
		t.merge(last, n, *s)
		last.TFLOPs = s.TFLOPs
		return true
	}
	return false
}

// sameTime reports whether two durations may be one, of which one is rounded to hundredths of a second. One that a line does
// not hold says nothing against it.
func sameTime(a, b Measure) bool {
	const rounded = 0.01
	return !a.Seen || !b.Seen || math.Abs(a.Value-b.Value) <= rounded
}
