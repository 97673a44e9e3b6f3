package partition

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// MaxBatches is the most ids that Batches returns. Each id becomes several nodes of the Workflow object,
// which must stay well below etcd's limit of 1.5 MiB with all messages and outputs in it.
const MaxBatches = 128

// Batches returns the ids of a run with that many groups, for Argo's withParam: "group-3" for a single group,
// "groups 32-47" (both ends included) for several. Sizes differ by one at most. There are no ids for no groups.
func Batches(groups int) []string { return batches("", groups) }

// RoundBatches is Batches for the groups of a round of isolation, counted from 1: "isolate-2-3", or "isolate-2 groups 32-47".
func RoundBatches(round, groups int) []string { return batches(RoundName(round), groups) }

// RoundName is the name of a round of isolation, with which its groups' names begin: isolate-2 has the groups isolate-2-0 and so on.
func RoundName(round int) string { return "isolate-" + strconv.Itoa(round) }

// RoundOf returns the round of isolation that an id of RoundBatches is of; 0 for any other id, which may be one of Batches.
func RoundOf(id string) int {
	rest, is := strings.CutPrefix(id, "isolate-")
	end := strings.IndexAny(rest, " -")
	if !is || end < 1 {
		return 0
	}
	n, err := strconv.ParseInt(rest[:end], 10, 32)
	if err != nil || n < 1 || !strings.HasPrefix(id, RoundName(int(n))) {
		return 0
	}
	return int(n)
}

func batches(round string, groups int) []string {
	count := batchCount(groups)
	ids := make([]string, count)
	for i := range ids {
		ids[i] = batchID(round, batchStart(i, groups, count), batchStart(i+1, groups, count))
	}
	return ids
}

// ParseBatch returns the first and the last group of an id, both included as in the id: "groups 32-47" gives 32 and 47.
// It is the strict inverse of Batches, and of RoundBatches for the round that RoundOf finds in it: an id that they do not return
// for that number of groups is an error.
func ParseBatch(id string, groups int) (from, to int, err error) {
	round := ""
	if n := RoundOf(id); n > 0 {
		round = RoundName(n)
	}
	first, ok := firstGroup(id, round)
	if ok && first >= 0 && first < groups {
		count := batchCount(groups)
		// Division rounds down, so the batch that starts at first is this one or the next.
		for i := first * count / groups; i < count && batchStart(i, groups, count) <= first; i++ {
			start, end := batchStart(i, groups, count), batchStart(i+1, groups, count)
			if batchID(round, start, end) == id {
				return start, end - 1, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("batch %q is not one of a run with %d groups", id, groups)
}

// firstGroup reads the number at which an id starts. Whether the whole id is right is for the caller to see.
func firstGroup(id, round string) (int, bool) {
	number, ok := strings.CutPrefix(id, cmp.Or(round, "group")+"-")
	if !ok {
		if number, ok = strings.CutPrefix(id, groupsOf(round)); !ok {
			return 0, false
		}
		number, _, _ = strings.Cut(number, "-")
	}
	n, err := strconv.ParseInt(number, 10, 32)
	return int(n), err == nil
}

func batchCount(groups int) int { return min(max(groups, 0), MaxBatches) }

func batchStart(i, groups, count int) int { return i * groups / count }

// batchID names the groups from start up to, not including, end, of a round or of the run.
func batchID(round string, start, end int) string {
	if end-start == 1 {
		return fmt.Sprintf("%s-%d", cmp.Or(round, "group"), start)
	}
	return fmt.Sprintf("%s%d-%d", groupsOf(round), start, end-1)
}

func groupsOf(round string) string {
	if round == "" {
		return "groups "
	}
	return round + " groups "
}
