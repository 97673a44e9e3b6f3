package score

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// finding is one thing that speaks against a pass.
type finding struct {
	cause  v1alpha1.Cause
	fails  bool // it proves a fault; else it only leaves the answer open
	weight weight
	line   int
	host   string
	reason string
}

// weight orders findings: what explains others comes first. Within a weight the earlier line comes first.
type weight uint8

const (
	specific   weight = iota // the reason itself, wrong values among them
	generic                  // a class of failure
	shape                    // what the form of the output shows
	echo                     // something else has failed before
	retriable                // another try may cure it
	launchEcho               // a worker was not reached, for a reason that stands above
	incomplete               // and the three that only leave the answer open
	alone
	notChecked
)

// sortFindings puts the first real cause first.
func sortFindings(findings []finding) {
	slices.SortStableFunc(findings, func(a, b finding) int {
		if a.weight != b.weight {
			return int(a.weight) - int(b.weight)
		}
		return a.line - b.line
	})
}

// failures makes findings of the messages in a log, but for those that the log itself shows to have been overcome.
func failures(log parse.Log) []finding {
	var findings []finding
	well := endedWell(log)
	for _, f := range log.Failures {
		if overcome(f, log) || f.Warning && well {
			continue
		}
		found := finding{cause: f.Cause, fails: true, weight: weightOf(f), line: f.Line, host: f.Host, reason: failureReason(f)}
		switch {
		case f.Retry:
			found.fails = false
		case f.Strength == parse.Echo && f.Cause != "":
			found.host = "" // who lost a peer only noticed it
		case f.Cause == "":
			found.cause = v1alpha1.CauseJobFailed
		}
		findings = append(findings, found)
	}
	return findings
}

func weightOf(f parse.Failure) weight {
	switch {
	case f.Retry:
		return retriable
	case f.Strength == parse.Echo && f.Launch:
		return launchEcho
	case f.Strength == parse.Specific:
		return specific
	case f.Strength == parse.Generic:
		return generic
	}
	return echo
}

// overcome: a launch was retried until a test or a training began, or steps of a training follow a library's warning.
func overcome(f parse.Failure, log parse.Log) bool {
	if t := log.Training; f.Warning && t != nil && len(t.Steps) > 0 {
		return t.Steps[len(t.Steps)-1].Line > f.Line
	}
	if !f.Launch {
		return false
	}
	for i := range log.Tests {
		if log.Tests[i].Line > f.Line {
			return true
		}
	}
	return log.Training != nil && log.Training.Line > f.Line
}

// endedWell reports whether every test passes by itself, so that the library has worked around what it warned of.
func endedWell(log parse.Log) bool {
	for i := range log.Tests {
		if len(judge(&log.Tests[i])) > 0 {
			return false
		}
	}
	return len(log.Tests) > 0
}

// failureReason says what a message said, and where.
func failureReason(f parse.Failure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d: ", f.Line)
	if f.Cause != "" {
		fmt.Fprintf(&b, "%s", f.Cause)
		if f.Host != "" {
			fmt.Fprintf(&b, " on %s", f.Host)
		}
		b.WriteString(": ")
	}
	b.WriteString(f.Text)
	if f.Count > 1 {
		fmt.Fprintf(&b, " (%d times)", f.Count)
	}
	return b.String()
}

// blamedHosts are the hosts that the messages with the first real cause name. Hosts that only echo it are not blamed; when
// nothing but echoes names a host, those do.
func blamedHosts(findings []finding) []string {
	nodes := []string{}
	if len(findings) == 0 || findings[0].weight >= incomplete {
		return nodes
	}
	first := findings[0]
	for _, f := range findings {
		if f.host != "" && f.cause == first.cause && f.weight == first.weight {
			nodes = append(nodes, f.host)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}
