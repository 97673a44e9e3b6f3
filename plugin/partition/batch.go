package partition

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxBatches is the most ids that Batches returns. Each id becomes several nodes of the Workflow object,
// which must stay well below etcd's limit of 1.5 MiB with all messages and outputs in it.
const MaxBatches = 128

// Batches returns the ids of a run with that many groups, for Argo's withParam: "group-3" for a single group,
// "groups 32-47" (both ends included) for several. Sizes differ by one at most. There are no ids for no groups.
func Batches(groups int) []string {
	count := batchCount(groups)
	ids := make([]string, count)
	for i := range ids {
		ids[i] = batchID(batchStart(i, groups, count), batchStart(i+1, groups, count))
	}
	return ids
}

// ParseBatch returns the first and the last group of an id, both included as in the id: "groups 32-47" gives 32 and 47.
// It is the strict inverse of Batches: an id that Batches(groups) does not return is an error.
func ParseBatch(id string, groups int) (from, to int, err error) {
	first, ok := firstGroup(id)
	if ok && first >= 0 && first < groups {
		count := batchCount(groups)
		// Division rounds down, so the batch that starts at first is this one or the next.
		for i := first * count / groups; i < count && batchStart(i, groups, count) <= first; i++ {
			start, end := batchStart(i, groups, count), batchStart(i+1, groups, count)
			if batchID(start, end) == id {
				return start, end - 1, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("batch %q is not one of a run with %d groups", id, groups)
}

// firstGroup reads the number at which an id starts. Whether the whole id is right is for the caller to see.
func firstGroup(id string) (int, bool) {
	number, ok := strings.CutPrefix(id, "group-")
	if !ok {
		if number, ok = strings.CutPrefix(id, "groups "); !ok {
			return 0, false
		}
		number, _, _ = strings.Cut(number, "-")
	}
	n, err := strconv.ParseInt(number, 10, 32)
	return int(n), err == nil
}

func batchCount(groups int) int { return min(max(groups, 0), MaxBatches) }

func batchStart(i, groups, count int) int { return i * groups / count }

// batchID names the groups from start up to, not including, end.
func batchID(start, end int) string {
	if end-start == 1 {
		return groupName(start)
	}
	return fmt.Sprintf("groups %d-%d", start, end-1)
}
