package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// logBytes is the size of the log that the programs read.
const logBytes = 64 << 20

// besidePeers times `seatrial score` beside grep and mawk on one log of NCCL_DEBUG=INFO with a table in it.
func besidePeers(ctx context.Context, count int) ([]row, error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	seatrial, log := filepath.Join(dir, "seatrial"), filepath.Join(dir, "log")
	build := exec.CommandContext(ctx, "go", "build", "-o", seatrial, "./cmd/seatrial") //nolint:gosec // our own words
	build.Dir, build.Stderr = filepath.Clean(root), os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building seatrial: %w", err)
	}
	if err := os.WriteFile(log, noise(logBytes), 0o600); err != nil {
		return nil, fmt.Errorf("writing the log: %w", err)
	}
	var rows []row
	for _, p := range [][]string{
		{seatrial, "score", log},
		{"grep", "-c", "busbw", log},
		{"grep", "-c", "float", log},
		{"mawk", `$4 == "float" && $8 > m { m = $8 } END { print m }`, log},
	} {
		values, err := times(ctx, count, p)
		if err != nil {
			return nil, err
		}
		name := strings.Join(append([]string{filepath.Base(p[0])}, p[1:len(p)-1]...), " ")
		if p[0] == "mawk" {
			name = "mawk, the best busbw of the rows"
		}
		middle, _ := samples{values: map[string][]float64{"": values}}.median("")
		rows = append(rows, row{what: "`" + name + "`", size: size(logBytes), took: duration(middle), spread: spread(values), rate: significant(logBytes/middle/1e6) + " MB/s"})
	}
	return rows, nil
}

// times runs a program and returns the seconds of each run. Its output goes to a file: grep stops at the first match when that is
// /dev/null. An exit status is no matter here, since a verdict is one.
func times(ctx context.Context, count int, argv []string) ([]float64, error) {
	var all []float64
	for range count {
		out, err := os.CreateTemp("", "bench-")
		if err != nil {
			return nil, fmt.Errorf("making a file: %w", err)
		}
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // our own words
		cmd.Stdout = out
		began := time.Now()
		err = cmd.Run()
		all = append(all, time.Since(began).Seconds())
		_ = out.Close()
		_ = os.Remove(out.Name())
		if cmd.ProcessState == nil {
			return nil, fmt.Errorf("running %s: %w", argv[0], err)
		}
	}
	return all, nil
}

// noise is a log as NCCL_DEBUG=INFO makes it, with the rows of a sweep far apart in it.
func noise(bytesOf int) []byte {
	random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // nothing is kept secret by it
	var b bytes.Buffer
	b.Grow(bytesOf + 4096)
	b.WriteString("# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n")
	for r := range 16 {
		fmt.Fprintf(&b, "#  Rank %2d Group  0 Pid %6d on node-%d device %2d [0000:%02x:00] NVIDIA H100\n", r, 1000+r, r/8, r%8, r)
	}
	b.WriteString("#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n")
	const sizes = 31
	for e := range sizes {
		for b.Len() < bytesOf*(e+1)/(sizes+1) {
			fmt.Fprintf(&b, "[1,%d]<stdout>:node-%d:%d:%d [%d] NCCL INFO Channel %02d/%d : %d[%d] -> %d[%d] [send] via NET/IB/%d/GDRDMA\n",
				random.IntN(64), random.IntN(8), 1000+random.IntN(9000), 1000+random.IntN(9000), random.IntN(8), random.IntN(32), random.IntN(4),
				random.IntN(64), random.IntN(8), random.IntN(64), random.IntN(8), random.IntN(8))
		}
		n := float64(uint64(8) << e)
		t := 10 + n/4e5
		a := n / t / 1000
		fmt.Fprintf(&b, "%12.0f  %12.0f     float     sum      -1   %6.2f  %6.2f  %6.2f       0   %6.2f  %6.2f  %6.2f       0\n", n, n/4, t, a, a*1.875, t, a, a*1.875)
	}
	b.WriteString("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 100\n#\n")
	return b.Bytes()
}

// besideKeyscan times the probe beside ssh-keyscan on 32 real sshd, where there is a root folder with OpenSSH (docs/probing.md). Where
// there is none, or it cannot be entered, why says so.
func besideKeyscan(ctx context.Context, count int) (rows []row, why string) {
	folder := os.Getenv("SEATRIAL_SSHD_ROOT")
	if folder == "" {
		return nil, "ssh-keyscan was not measured in this run: `SEATRIAL_SSHD_ROOT=$(test/sshd.sh) make bench` does that, as root; docs/probing.md has figures."
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-tags", "sshd", "-run", "^$", "-bench", "^BenchmarkBesideKeyscan$", //nolint:gosec // our own words
		"-count", fmt.Sprint(count), "-benchtime", "1x", "./plugin/probe")
	cmd.Dir, cmd.Stderr = filepath.Clean(root), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, "ssh-keyscan was not measured in this run: its benchmark failed."
	}
	all, _, err := read(bytes.NewReader(text))
	if err != nil {
		return nil, "ssh-keyscan was not measured in this run: " + err.Error() + "."
	}
	for _, p := range [][2]string{{"`seatrial probe`, without its start", "probe-ms"}, {"`ssh-keyscan -t ed25519`", "keyscan-ms"}} {
		middle, _ := all[0].median(p[1])
		rows = append(rows, row{what: p[0], size: "32 real sshd", took: duration(middle / 1000), spread: spread(all[0].values[p[1]])})
	}
	return rows, ""
}
