package score

import (
	"math"
	"slices"

	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// once leaves out the tests that a log tells a second time: somebody printed the file of -J, or that of rccl-tests, behind the
// table that the same run had printed. The table stays, because its numbers are those that people know, and takes over what only
// the file tells, the processes.
func once(tests []parse.Test) []parse.Test {
	var kept []parse.Test
	for _, t := range tests {
		i := slices.IndexFunc(kept, func(k parse.Test) bool { return t.Structured && !k.Structured && retold(&k, &t) })
		if i < 0 {
			kept = append(kept, t)
			continue
		}
		kept[i].Processes = t.Processes
	}
	return kept
}

// retold reports whether every row of a structured test stands in a table, but for digits that the table does not print. Two rows
// at least, whose times nothing repeats by chance, show that it is the same run.
func retold(table, t *parse.Test) bool {
	if len(t.Table.Sizes) < 2 || table.Bounds == nil || t.Table.Wrong > table.Table.Wrong {
		return false
	}
	rest := table.Table.Sizes // both are in the order of the run
	for i := range t.Table.Sizes {
		s := &t.Table.Sizes[i]
		at := slices.IndexFunc(rest, func(k parse.Size) bool { return k.SizeBytes == s.SizeBytes && k.DType == s.DType && k.RedOp == s.RedOp })
		if at < 0 || !sameSum(rest[at].OutOfPlace, s.OutOfPlace) || !sameSum(rest[at].InPlace, s.InPlace) {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// sameSum compares the means of a placement in a table with those in JSON, which has six decimals.
func sameSum(table, json parse.Sum) bool {
	if json.Rows == 0 {
		return true // half of the file may be lost
	}
	if table.Rows == 0 {
		return false
	}
	n, m := float64(table.Rows), float64(json.Rows)
	time, alg, bus := table.TimeUs/n, table.AlgGBps/n, table.BusGBps/n
	return math.Abs(time-json.TimeUs/m) <= halfTime(time) && math.Abs(alg-json.AlgGBps/m) <= halfDigit(alg) && math.Abs(bus-json.BusGBps/m) <= halfDigit(bus)
}

// halfTime is half of the last printed decimal of a time: two of them below 100 µs, then fewer, and two digits from 1.0e+06 on.
func halfTime(us float64) float64 {
	switch {
	case us < 100:
		return 0.0051
	case us < 1e6:
		return us * 6e-4
	}
	return us * 0.06
}
