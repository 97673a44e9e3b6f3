// Command bench measures Seatrial and writes docs/performance.md: `make bench`.
//
//  1. The families of benchmarks, one for each thing that takes time, are data (families.go).
//  2. Each runs some times through `go test`, and grep and mawk beside the parser on the same bytes (measure.go, peers.go).
//  3. The medians become one table; where a benchmark has sizes, the growth from each to the next (table.go).
//
// It runs from the folder test/bench, with the repository above it.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

const root = "../.."

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := Main(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}

// Main measures and writes the page. It returns the exit status: 0 done, 1 a benchmark failed, 2 the command line is wrong.
func Main(ctx context.Context, args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	count := flags.Int("count", 5, "how often each benchmark runs; the median is shown")
	benchtime := flags.String("benchtime", "1s", "how long each of them runs, as go test has it")
	out := flags.String("out", filepath.Join(root, "docs/performance.md"), "page to write")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 || *count < 1 {
		return 2
	}
	var rows []row
	var host machine
	for _, f := range families {
		_, _ = fmt.Fprintln(stderr, "measuring", f.what)
		results, seen, err := f.run(ctx, *count, *benchtime)
		if err != nil {
			_, _ = fmt.Fprintln(stderr, "bench:", err)
			return 1
		}
		host = seen
		rows = append(rows, f.rows(results)...)
	}
	peers, err := besidePeers(ctx, *count)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	probes, why := besideKeyscan(ctx, *count)
	var page bytes.Buffer
	write(&page, host, *count, rows, append(peers, probes...), why)
	if err := os.WriteFile(*out, page.Bytes(), 0o644); err != nil { //nolint:gosec // a page that everybody reads
		_, _ = fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}
