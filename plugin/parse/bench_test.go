package parse

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// noiseLog is NCCL_DEBUG=INFO output of size bytes, tagged by mpirun, with a table of rows in it.
func noiseLog(size, rows int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	every := size
	if rows > 0 {
		every = size / rows
	}
	for next := every; b.Len() < size; {
		fmt.Fprintf(&b, "[1,%d]<stdout>:node-%d:%d:%d [%d] NCCL INFO Channel %02d/%d : %d[%d] -> %d[%d] [send] via NET/IB/%d/GDRDMA\n",
			random.IntN(64), random.IntN(8), 1000+random.IntN(9000), 1000+random.IntN(9000), random.IntN(8),
			random.IntN(32), random.IntN(4), random.IntN(64), random.IntN(8), random.IntN(64), random.IntN(8), random.IntN(8))
		if rows > 0 && b.Len() >= next {
			next += every
			n := int64(8) << random.IntN(30)
			fmt.Fprintf(&b, "[1,0]<stdout>:%12d  %12d     float     sum      -1   %6.2f  %6.2f  %6.2f       0   %6.2f  %6.2f  %6.2f       0\n",
				n, n/4, 10+random.Float64()*900, random.Float64()*400, random.Float64()*400, 10+random.Float64()*900, random.Float64()*400, random.Float64()*400)
		}
	}
	return b.Bytes()
}

// lineKinds are lines of the kinds that a log may be full of, the cheapest to read and the dearest.
var lineKinds = []struct{ name, line string }{
	{"row", strings.Split(good, "\n")[13]},
	{"device", strings.Split(good, "\n")[6]},
	{"prose", "2026-02-05T16:17:20.615110976Z a line of a program that says nothing about a benchmark, step or failure"},
	{"failure", "node-7: Test NCCL failure common.cu:1204 'unhandled cuda error (run with NCCL_DEBUG=INFO for details) / '"},
	{"warning", "node02:25146:25854 [0] ib_plugin.c:1105 NCCL WARN NET/IB : Got completion from peer 192.0.2.1<49189> with error 4"},
	{"json", `{"time":"2026-02-05T16:17:20.615110976Z","level":"INFO","msg":"# Using devices\nnothing here","n":5}`},
	{"colour", "\x1b[32m2026-02-05 16:17:20\x1b[0m \x1b[1mINFO\x1b[0m a line of a program that says nothing much at all"},
	{"megatron", " [2024-04-06 02:59:36] iteration       43/     100 | consumed samples:        11008 | elapsed time per iteration (ms): 5444.9 | throughput per GPU (TFLOP/s/GPU): 239.8 | learning rate: 1.000000E-05 | global batch size:   256 | lm loss: 1.825991E+00 | loss scale: 1.0 | grad norm: 3.201 | number of skipped iterations:   0 | number of nan iterations:   0 |"},
	{"bar", "\r  1%|1         | 10/1000 [00:10<16:30,  1.00it/s]\r  1%|1         | 11/1000 [00:11<16:29,  1.00it/s]"},
}

// BenchmarkParser reads logs of the kinds that matter for speed. MB/s is by the clock on the wall, MB/cpu-s by the time
// that the process had a processor, which other work on the machine does not lower.
func BenchmarkParser(b *testing.B) {
	bench := func(name string, text func() []byte) {
		b.Run(name, func(b *testing.B) {
			text := text()
			b.SetBytes(int64(len(text)))
			var p Parser
			begin := processorTime(b)
			for b.Loop() {
				_, _ = p.Write(text)
			}
			spent := processorTime(b) - begin
			b.ReportMetric(float64(len(text))*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
		})
	}
	bench("info", func() []byte { return noiseLog(16<<20, 76) }) // 1,212 rows in 256 MiB
	bench("mix", func() []byte {
		var b bytes.Buffer
		for b.Len() < 4<<20 {
			for _, kind := range lineKinds {
				b.WriteString(kind.line + "\n")
			}
		}
		return b.Bytes()
	})
	for _, kind := range lineKinds {
		bench("only "+kind.name, func() []byte { return bytes.Repeat([]byte(kind.line+"\n"), 1<<14) })
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
