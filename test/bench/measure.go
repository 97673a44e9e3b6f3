package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// machine is where a benchmark ran, as go test tells it.
type machine struct{ goos, goarch, cpu string }

// samples are the results of one size: each metric's values, by unit (sec/op, B/op, allocs/op, and the benchmark's own).
type samples struct {
	// size is the last number of the name, 0 where there is none.
	size   int
	values map[string][]float64
}

// median returns the median of a metric, and whether there is any.
func (s samples) median(unit string) (float64, bool) {
	all := slices.Sorted(slices.Values(s.values[unit]))
	if len(all) == 0 {
		return 0, false
	}
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2, true
}

// run runs a family's benchmark and returns its sizes in their order.
func (f family) run(ctx context.Context, count int, benchtime string) ([]samples, machine, error) {
	var pattern []string
	for part := range strings.SplitSeq("Benchmark"+f.bench, "/") {
		pattern = append(pattern, "^"+part+"$")
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", strings.Join(pattern, "/"), "-benchmem", //nolint:gosec // our own words
		"-count", strconv.Itoa(count), "-benchtime", benchtime, "./"+f.folder)
	cmd.Dir = filepath.Clean(root)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, machine{}, fmt.Errorf("running Benchmark%s of %s: %w\n%s", f.bench, f.folder, err, text)
	}
	return read(bytes.NewReader(text))
}

// read reads the output of go test. No result at all is an error: a benchmark that was renamed is not one that takes no time.
func read(r io.Reader) ([]samples, machine, error) {
	var all []samples
	var host machine
	reader := benchfmt.NewReader(r, "go test")
	for reader.Scan() {
		result, is := reader.Result().(*benchfmt.Result)
		if !is {
			continue
		}
		host = machine{result.GetConfig("goos"), result.GetConfig("goarch"), result.GetConfig("cpu")}
		size := sizeOf(result.Name.String())
		i := slices.IndexFunc(all, func(s samples) bool { return s.size == size })
		if i < 0 {
			i, all = len(all), append(all, samples{size, map[string][]float64{}})
		}
		for _, v := range result.Values {
			all[i].values[v.Unit] = append(all[i].values[v.Unit], v.Value)
		}
	}
	if err := reader.Err(); err != nil {
		return nil, host, fmt.Errorf("reading the output of go test: %w", err)
	}
	if len(all) == 0 {
		return nil, host, errors.New("go test ran no benchmark of that name")
	}
	return all, host, nil
}

// sizeOf is the number behind the last = of a benchmark's name, 0 without one.
func sizeOf(name string) int {
	_, text, found := lastCut(name, "=")
	if !found {
		return 0
	}
	text, _, _ = strings.Cut(text, "-") // the number of processors
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

func lastCut(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
