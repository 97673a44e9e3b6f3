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
)

var (
	retryTail = regexp.MustCompile(`\(\d+\)$`)
	groupTail = regexp.MustCompile(`\.groups(\(\d+:[^()]*\))?$`)
)

// scopeOf cuts the known tail off a node's name (.discover, .groups(3:group-3).score, a final (n) of a retry) and returns
// what tells this invocation of the template `run` from others in the workflow: "" for the only one of a workflow that was
// submitted from the template, six hex digits for a run inside a larger workflow.
func scopeOf(workflow, node, step string) string {
	path := retryTail.ReplaceAllString(node, "")
	path = strings.TrimSuffix(path, "."+step)
	switch step {
	case stepLaunch, stepProbe, stepScore:
		path = groupTail.ReplaceAllString(path, "")
	}
	path = strings.TrimPrefix(path, workflow)
	if path == "" || path == ".run" {
		return ""
	}
	return resolve.Hash(path)
}
