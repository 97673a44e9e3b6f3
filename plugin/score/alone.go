package score

import (
	"fmt"
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// everyRankAlone: a build without MPI, started by mpirun, runs as often as there are processes, each by itself. It shows
// in a device list with rank 0 twice, or in several tables in one with a bus bandwidth of 0.
func everyRankAlone(t *parse.Test) (finding, bool) {
	zero := map[int]int{} // its line, by the group that it is in
	for _, d := range t.Devices {
		if d.Rank != 0 {
			continue
		}
		if line := zero[d.Group]; line > 0 {
			return noMPI(d.Line, fmt.Sprintf("rank 0 stands twice in the device list, first in line %d", line)), true
		}
		zero[d.Group] = d.Line
	}
	q, measured := quotient(t)
	if !measured || !q.alone() {
		return finding{}, false
	}
	// One process that runs in cycles repeats its sizes too, and prints one line of parameters and one device.
	oneProcess := len(t.Configs) == 1 && len(t.Devices) == 1 && t.Headers <= 1
	if len(t.Configs) > 1 || t.Headers > 1 || t.Table.Repeats > 0 && !oneProcess {
		return noMPI(t.Line, "the same sizes are measured again and again with a bus bandwidth of 0"), true
	}
	return finding{}, false
}

// overlapping: a test of one rank began before another had ended, or a test was written by another process of the same mpirun than the
// one before, each with a rank 0: a process that writes into a pipe hands over all that it wrote at its end.
func overlapping(tests []parse.Test) (finding, bool) {
	for i := 1; i < len(tests); i++ {
		before, t := &tests[i-1], &tests[i]
		if !hasRankZero(before) || !hasRankZero(t) {
			continue
		}
		if len(before.Devices) == 1 && len(t.Devices) == 1 && before.Bounds == nil && before.EndLine == 0 {
			return noMPI(t.Line, fmt.Sprintf("a test of one rank begins before the one of line %d has ended", before.Line)), true
		}
		if one, other := writer(before), writer(t); one != "" && other != "" && one != other {
			return noMPI(t.Line, fmt.Sprintf("a process of the same launch, %s, writes a test with a rank 0 of its own as %s does in line %d", other, one, before.Line)), true
		}
	}
	return finding{}, false
}

// writer is the tag of the process that printed a test's parameters; empty without one.
func writer(t *parse.Test) string {
	if len(t.Configs) == 0 {
		return ""
	}
	return t.Configs[0].Writer
}

func hasRankZero(t *parse.Test) bool {
	return slices.ContainsFunc(t.Devices, func(d parse.Device) bool { return d.Rank == 0 })
}

func noMPI(line int, why string) finding {
	return finding{cause: v1alpha1.CauseNoMPI, fails: true, weight: shape, line: line,
		reason: fmt.Sprintf("line %d: every rank ran alone, as a build without MPI does: %s", line, why)}
}
