package steps

import (
	"regexp"
	"strings"

	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// The steps of a run, as plugin bodies name them.
const (
	stepDiscover  = "discover"
	stepPartition = "partition"
	stepLaunch    = "launch"
	stepProbe     = "probe"
	stepScore     = "score"
	stepReport    = "report"
	stepRound     = "round"
)

var (
	retryTail = regexp.MustCompile(`\(\d+\)$`)
	groupTail = regexp.MustCompile(`\.groups(\(\d+:[^()]*\))?$`)
)

// scopeOf tells one invocation of the template `run` from others in the workflow, by its place: "" for the only one of a workflow
// that was submitted from the template, six hex digits for a run inside a larger workflow.
func scopeOf(workflow, node, step string, round int) string {
	place := placeOf(workflow, node, step, round)
	if place == "" {
		return ""
	}
	return resolve.Hash(place)
}

// stageOf is the place of a run for people to read: the names of the tasks that lead to it, with dots between them.
func stageOf(workflow, node, step string) string {
	return strings.TrimPrefix(placeOf(workflow, node, step, 0), ".")
}

// placeOf cuts the workflow and the known tail off a node's name (.discover, .groups(3:group-3).score, a final (n) of a retry). What is
// left is where `run` was invoked; "" for the only invocation of a workflow that was submitted from the template. round is the round of
// isolation that the step belongs to, 0 for none: its nodes are .isolate.round, .isolate.next.round and so on, one level deeper each.
func placeOf(workflow, node, step string, round int) string {
	path := retryTail.ReplaceAllString(node, "")
	path = strings.TrimSuffix(path, "."+step)
	switch step {
	case stepLaunch, stepProbe, stepScore:
		path = groupTail.ReplaceAllString(path, "")
	}
	if round > 0 {
		path = strings.TrimSuffix(path, ".isolate"+strings.Repeat(".next", round-1))
	}
	path = strings.TrimPrefix(path, workflow)
	if path == ".run" {
		return ""
	}
	return path
}
