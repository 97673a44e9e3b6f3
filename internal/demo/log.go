package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	// halfBytes is the message size at which half of the best bandwidth is reached; latencyUs is the time of the smallest message.
	halfBytes = 24 << 20
	latencyUs = 21.0
	// firstBytes and lastBytes are the sizes of `-b 8 -e 8G -f 2`.
	firstBytes, lastBytes = 8, 8 << 30
	// corruptFrom is the message size from which flipped bits are seen.
	corruptFrom = 16 << 20
)

// logWriter writes the log of all_reduce_perf in the layout of nccl-tests 2.13 and later.
type logWriter struct {
	ranks int
	// best is the bus bandwidth of large messages in GB/s.
	best  float64
	wrong bool
	dice  *rand.Rand

	b    strings.Builder
	sum  float64
	rows int
	bad  int
}

func (l *logWriter) line(format string, args ...any) { fmt.Fprintf(&l.b, format+"\n", args...) }

func (l *logWriter) text(j job) string {
	l.line("# nThread 1 nGpus 1 minBytes %d maxBytes %d step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n#", firstBytes, int64(lastBytes))
	l.line("# Using devices")
	for rank := range l.ranks {
		node := j.nodes[rank/gpusPerNode]
		l.line("#  Rank %2d Group  0 Pid %6d on %10s device %2d [0x%02x] NVIDIA H100 80GB HBM3", rank, 41200+rank, node, rank%gpusPerNode, 0x19+rank%gpusPerNode)
	}
	l.line("#\n#                                                              out-of-place                       in-place")
	l.line("#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong")
	l.line("#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       ")
	for size := int64(firstBytes); size <= lastBytes; size *= 2 {
		l.row(size)
	}
	verdict := "OK"
	if l.bad > 0 {
		verdict = "FAILED"
	}
	l.line("# Out of bounds values : %d %s", l.bad, verdict)
	l.line("# Avg bus bandwidth    : %g\n#", round(l.sum/float64(l.rows), 4))
	return l.b.String()
}

func (l *logWriter) row(size int64) {
	l.b.WriteString(fmt.Sprintf("%12d  %12d     float     sum      -1", size, size/4))
	for range 2 {
		// A ring moves 2(n-1)/n of the data through each link (nccl-tests, PERFORMANCE.md): busbw = algbw * factor.
		factor := 2 * float64(l.ranks-1) / float64(l.ranks)
		us := latencyUs + (float64(size)+halfBytes*float64(size)/float64(size+halfBytes))*factor/l.best/1e3
		us *= 1 + 0.004*l.dice.NormFloat64()
		alg := float64(size) / us / 1e3
		wrong := 0
		if l.wrong && size >= corruptFrom {
			wrong = 1 + l.dice.IntN(60)
		}
		l.bad += wrong
		l.b.WriteString(fmt.Sprintf("  %7s %7.2f %7.2f %6d", timeText(us), alg, round(alg*factor, 2), wrong))
		l.sum += round(alg*factor, 2)
		l.rows++
	}
	l.b.WriteString("\n")
}

// timeText writes a time in µs with the digits that nccl-tests gives it.
func timeText(us float64) string {
	switch {
	case us < 100:
		return fmt.Sprintf("%.2f", us)
	case us < 10000:
		return fmt.Sprintf("%.1f", us)
	default:
		return fmt.Sprintf("%.0f", us)
	}
}

func round(f float64, digits int) float64 {
	var rounded float64
	_, _ = fmt.Sscanf(fmt.Sprintf("%.*f", digits, f), "%g", &rounded) // what Sprintf writes, Sscanf reads
	return rounded
}
