package score

import (
	"fmt"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// Saved is what a log proves without its job, whose exit is not in it. An exception or a signal at the end of a program, which a run
// leaves to that exit, is a fail then.
func Saved(s v1alpha1.LogScore) v1alpha1.LogScore {
	if ended := s.Raised && s.Kind != v1alpha1.KindBandwidth; ended && s.Verdict == v1alpha1.Unknown && (s.Cause == "" || s.Cause == v1alpha1.CauseIncomplete) {
		if s.Kind == v1alpha1.KindUnknown {
			s.Kind, s.Reasons = v1alpha1.KindLaunch, nil // which say that nothing was found
		}
		s.Verdict, s.Cause = v1alpha1.Fail, v1alpha1.CauseJobFailed
		s.Reasons = append([]string{s.RaisedText}, s.Reasons...)
		if s.RaisedHost != "" {
			s.Nodes = []string{s.RaisedHost}
		}
	}
	return s
}

// ending says how a program ended, and the host that this speaks against: an exception of the program's own speaks against none,
// and a SIGTERM comes from outside.
func ending(r parse.Raised) (text, host string) {
	parts := []string{}
	if r.Rank != "" || r.Host != "" {
		who := "a rank"
		if r.Rank != "" {
			who = "rank " + r.Rank
		}
		if r.Host != "" {
			who += " on " + r.Host
		}
		parts = append(parts, fmt.Sprintf("torchrun names %s as the first to fail, with exit code %s", who, or(r.ExitCode, "unknown")))
	}
	own := r.Text != "" && !strings.Contains(r.Text, "ChildFailedError")
	if r.Text != "" && (own || len(parts) == 0) {
		parts = append(parts, r.Text)
	}
	if len(parts) == 0 {
		parts = append(parts, "an exception of Python's")
	}
	if !(own && !strings.HasPrefix(r.ExitCode, "-")) && r.ExitCode != "-15" {
		host = r.Host
	}
	return fmt.Sprintf("line %d: %s", r.Line, strings.Join(parts, ": ")), host
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// Unjudged says why a log against which nothing was found is no pass; it is empty for any other.
func Unjudged(s v1alpha1.LogScore) string {
	switch {
	case s.Verdict != v1alpha1.Unknown || len(s.Reasons) > 0:
		return ""
	case s.Kind == v1alpha1.KindTraining:
		text := "nothing speaks against the training, but whether it ended well is the exit of its job, which a log does not hold"
		if s.Training.MoreSteps > 0 {
			text += "; " + s.Training.GoodputProblem + ", so that a drift is not seen"
		}
		return text
	case s.Bandwidth != nil && s.Bandwidth.Custom:
		return "nothing speaks against the table that the profile reads, but it has no check and no end, and the exit of its job a log does not hold"
	}
	return "nothing in the log shows that the job ended well"
}
