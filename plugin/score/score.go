package score

import (
	"slices"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// Logs judges the logs of one job's pods. A training may print its steps in one pod and its checkpoints in another: a log
// with steps and without events of its own takes those of the first that has some. files only name the logs in the answer.
func Logs(files []string, logs []parse.Log) []v1alpha1.LogScore {
	var events []parse.Event
	for _, log := range logs {
		if len(events) == 0 {
			events = slices.Clone(log.Events)
		}
	}
	for i := range events {
		events[i].Line = 0 // which is that of another log
	}
	scores := make([]v1alpha1.LogScore, 0, len(logs))
	for i, log := range logs {
		if len(log.Events) == 0 {
			log.Events = events
		}
		scores = append(scores, Log(files[i], log))
	}
	return scores
}

// Log judges one log. file only names it in the answer.
func Log(file string, log parse.Log) v1alpha1.LogScore {
	log.Tests = once(log.Tests)
	s := v1alpha1.LogScore{File: file, Kind: kind(log), Reasons: []string{}, Nodes: []string{}}

	// Everything that speaks against a pass, then the one that explains the others.
	findings := failures(log)
	for i := range log.Tests {
		findings = append(findings, judge(&log.Tests[i])...)
	}
	if log.Training != nil {
		findings = append(findings, judgeTraining(log)...)
	}
	findings = append(findings, judgeWhole(log, s.Kind)...)
	sortFindings(findings)

	s.Verdict, s.Cause = verdict(s.Kind, custom(log.Tests), findings)
	s.Nodes = blamedHosts(findings)
	s.Echo = len(findings) > 0 && (findings[0].weight == echo || findings[0].weight == launchEcho)
	if s.Raised = raised(log); s.Raised {
		s.RaisedText, s.RaisedHost = ending(log.Raised)
	}
	for _, f := range findings {
		s.Reasons = append(s.Reasons, f.reason)
	}
	if s.Kind == v1alpha1.KindBandwidth {
		s.Bandwidth = bandwidth(log.Tests)
	}
	if log.Training != nil {
		s.Training = training(log)
	}
	return s
}

// raised says whether the log ends with an exception or a signal, after which no step came.
func raised(log parse.Log) bool {
	last := 0
	if t := log.Training; t != nil && len(t.Steps) > 0 {
		last = t.Steps[len(t.Steps)-1].Line
	}
	return log.RaisedLine > last
}

// kind is what the log holds. A failure of NCCL or CUDA without anything else is a benchmark that failed before its table.
func kind(log parse.Log) v1alpha1.Kind {
	switch {
	case slices.ContainsFunc(log.Tests, func(t parse.Test) bool { return t.Table.Rows > 0 }):
		return v1alpha1.KindBandwidth
	case log.Training != nil:
		return v1alpha1.KindTraining
	case len(log.Tests) > 0:
		return v1alpha1.KindBandwidth
	}
	kind := v1alpha1.KindUnknown
	for _, f := range log.Failures {
		if !f.Launch && f.Cause != "" {
			return v1alpha1.KindBandwidth
		}
		kind = v1alpha1.KindLaunch
	}
	return kind
}

// custom: a table was read by a user's own expression. Whether it is whole and right, its log does not say; the exit of its job
// and the thresholds decide.
func custom(tests []parse.Test) bool {
	return slices.ContainsFunc(tests, func(t parse.Test) bool { return t.Custom })
}

// verdict is a pass only when there was something to judge and nothing was found.
func verdict(kind v1alpha1.Kind, custom bool, findings []finding) (v1alpha1.Verdict, v1alpha1.Cause) {
	if len(findings) == 0 {
		if kind == v1alpha1.KindBandwidth && !custom {
			return v1alpha1.Pass, ""
		}
		return v1alpha1.Unknown, ""
	}
	first := findings[0]
	if first.fails {
		return v1alpha1.Fail, first.cause
	}
	return v1alpha1.Unknown, first.cause
}
