package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// row is one line of the table, ready to be read.
type row struct {
	what, size, took, spread, rate, memory, allocations, growth string
}

// rows are the lines of a family, one a size.
func (f family) rows(all []samples) []row {
	var rows []row
	for i, s := range all {
		seconds, _ := s.median("sec/op")
		r := row{what: f.what, took: duration(seconds), spread: spread(s.values["sec/op"])}
		if f.unit != "" {
			r.size = strconv.Itoa(s.size) + " " + f.unit
			r.rate = duration(seconds/float64(s.size)) + " each"
		}
		if v, has := s.median(f.rate); has {
			if f.rateName == "MB/s" {
				v /= 1e6
			}
			r.rate = significant(v) + " " + f.rateName
		}
		if v, has := s.median("B/op"); has {
			r.memory = size(v)
		}
		if v, has := s.median("allocs/op"); has {
			r.allocations = significant(v)
		}
		if i > 0 && f.unit != "" {
			before, _ := all[i-1].median("sec/op")
			r.growth = growth(float64(all[i-1].size), before, float64(s.size), seconds)
		}
		rows = append(rows, r)
	}
	return rows
}

// growth is the exponent with which time grows from one size to the next: 1 is in proportion.
func growth(n1, t1, n2, t2 float64) string {
	return "n^" + strconv.FormatFloat(math.Log(t2/t1)/math.Log(n2/n1), 'f', 2, 64)
}

// spread is the distance from the median to the farther end, in percent.
func spread(values []float64) string {
	middle, has := samples{values: map[string][]float64{"": values}}.median("")
	if !has || middle == 0 {
		return ""
	}
	far := 0.0
	for _, v := range values {
		far = max(far, math.Abs(v-middle))
	}
	return fmt.Sprintf("±%.0f %%", 100*far/middle)
}

// duration shows three digits.
func duration(seconds float64) string {
	d := time.Duration(seconds * 1e9)
	for _, u := range []struct {
		from time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= u.from {
			return significant(seconds/u.from.Seconds()) + " " + u.name
		}
	}
	return significant(seconds*1e9) + " ns"
}

// size shows bytes.
func size(bytes float64) string {
	switch {
	case bytes >= 1<<20:
		return significant(bytes/(1<<20)) + " MiB"
	case bytes >= 1<<10:
		return significant(bytes/(1<<10)) + " KiB"
	}
	return significant(bytes) + " B"
}

// significant shows three digits, and a whole number from 1,000 on.
func significant(v float64) string {
	switch {
	case v >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// write writes the page.
func write(w io.Writer, host machine, count int, rows []row, peers []row, why string) {
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	line("# How fast it is")
	line("")
	line("Written by `make bench`; edits are lost. %s/%s, %s. Each figure is the median of %d runs, and the spread is the farthest of them", host.goos, host.goarch, host.cpu, count)
	line("from it: on a machine that others use it is large, and only the growth tells much. n^1 is time in proportion to the size.")
	line("")
	table(w, []string{"what", "size", "time", "spread", "rate", "memory", "allocations", "growth"}, rows, func(r row) []string {
		return []string{r.what, r.size, r.took, r.spread, r.rate, r.memory, r.allocations, r.growth}
	})
	line("")
	line("## Beside other programs")
	line("")
	line("In the same run, on the same input; a whole process each, start and all. A program that counts the lines with a word does less than one that")
	line("reads a table and judges it: it is here as what reading the bytes costs.")
	line("")
	table(w, []string{"what", "size", "time", "spread", "rate"}, peers, func(r row) []string {
		return []string{r.what, r.size, r.took, r.spread, r.rate}
	})
	if why != "" {
		line("")
		line("%s", why)
	}
}

func table(w io.Writer, heads []string, rows []row, cells func(row) []string) {
	_, _ = fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	before := ""
	for _, r := range rows {
		what := r.what
		if what == before {
			r.what = ""
		}
		before = what
		_, _ = fmt.Fprintf(w, "| %s |\n", strings.Join(cells(r), " | "))
	}
}
