package score

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// collectives are the programs of nccl-tests and rccl-tests, without their `_perf`, as bareName writes them.
var collectives = []string{
	"allgather", "allreduce", "alltoall", "alltoallv", "broadcast", "gather", "hypercube", "reduce", "reducescatter", "scatter", "sendrecv",
}

// otherTest says how the collective that was measured differs from the one that the run asks for; empty when it does not, or when
// nobody can tell: testType is any text in the Cluster Readiness Engine, and before 2.16.7 a log names no collective.
func otherTest(asked string, b *v1alpha1.Bandwidth) string {
	if b == nil {
		return ""
	}
	want, got := bareName(asked), bareName(b.Test)
	if want == got || !slices.Contains(collectives, want) || !slices.Contains(collectives, got) {
		return ""
	}
	return fmt.Sprintf("the run asks for %s (testType), and the log holds a table of %s", asked, b.Test)
}

// bareName is a collective's name as everybody may write it: all_reduce, AllReduce, all-reduce_perf, loopback_all_reduce.
func bareName(name string) string {
	name = strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
	for _, before := range []string{"nccl", "rccl", "loopback"} {
		name = strings.TrimPrefix(name, before)
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, "mpi"), "perf")
}
