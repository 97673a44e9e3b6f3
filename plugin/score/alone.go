package score

import (
	"fmt"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// everyRankAlone: a build without MPI, started by mpirun, runs as often as there are processes, each by itself. It shows
// in a device list with rank 0 twice, or in several tables in one with a bus bandwidth of 0.
func everyRankAlone(t *parse.Test) (finding, bool) {
	zero := 0
	for _, d := range t.Devices {
		if d.Rank != 0 {
			continue
		}
		if zero > 0 {
			return noMPI(d.Line, fmt.Sprintf("rank 0 stands twice in the device list, first in line %d", zero)), true
		}
		zero = d.Line
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

// overlapping: a test of one rank began before another had ended.
func overlapping(tests []parse.Test) (finding, bool) {
	for i := 1; i < len(tests); i++ {
		before, t := &tests[i-1], &tests[i]
		if before.Bounds == nil && before.EndLine == 0 && onlyRankZero(before) && onlyRankZero(t) {
			return noMPI(t.Line, fmt.Sprintf("a test of one rank begins before the one of line %d has ended", before.Line)), true
		}
	}
	return finding{}, false
}

func onlyRankZero(t *parse.Test) bool { return len(t.Devices) == 1 && t.Devices[0].Rank == 0 }

func noMPI(line int, why string) finding {
	return finding{cause: v1alpha1.CauseNoMPI, fails: true, weight: shape, line: line,
		reason: fmt.Sprintf("line %d: every rank ran alone, as a build without MPI does: %s", line, why)}
}
