package report

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// judgeRun gives the verdict of the whole, its cause and one line of message. Cause and message of the run itself go before those of its groups.
func judgeRun(in Input, r v1alpha1.Report) (v1alpha1.Verdict, v1alpha1.Cause, string) {
	tally := map[v1alpha1.Verdict]int{}
	first := map[v1alpha1.Verdict]v1alpha1.Cause{}
	for _, g := range r.Groups {
		tally[g.Verdict]++
		if first[g.Verdict] == "" {
			first[g.Verdict] = g.Cause
		}
	}
	failed, passed := tally[v1alpha1.Fail], tally[v1alpha1.Pass]
	unknown := len(r.Groups) - failed - passed

	tested := r.Counts.Passed
	if in.Sampled && tested > 0 {
		tested += r.Counts.Untested
	}

	verdict, cause := v1alpha1.Unknown, in.Cause
	switch {
	case failed > 0:
		verdict = v1alpha1.Fail
	case cause != "", passed == 0, unknown > 0, r.Counts.Target == 0, tested != r.Counts.Target:
		// Left at Unknown. Every other way ends in a pass.
	default:
		verdict = v1alpha1.Pass
	}
	if cause == "" {
		cause = first[verdict]
	}
	if verdict == v1alpha1.Pass {
		cause = ""
	}
	return verdict, cause, orElse(in.Message, outline(failed, unknown, passed, r.Counts, in.Ended))
}

// outline counts what did not pass. ended says why the run was ended before its time, or is empty.
func outline(failed, unknown, passed int, c v1alpha1.Counts, ended string) string {
	groups := failed + unknown + passed
	switch {
	case groups == 0 && ended != "":
		return "no group ran: " + ended
	case groups == 0:
		return "no group ran"
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{failed, "failed"}, {unknown, "could not be judged"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s %s", p.n, plural(groups, "group"), p.what))
		}
	}
	if c.Untested > 0 {
		parts = append(parts, plural(c.Untested, "node")+" not tested")
	}
	if failed+unknown == 0 {
		parts = append([]string{plural(groups, "group") + " passed"}, parts...)
	}
	return strings.Join(parts, ", ")
}

func plural(n int, noun string) string { return english.Plural(n, noun, "") }
