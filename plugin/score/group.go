package score

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Ending is how a group's job came to its end.
type Ending uint8

// The endings. The zero value says nothing, and makes nothing a pass.
const (
	// Lost: nobody saw the end.
	Lost Ending = iota
	// Complete: every watched container exited with 0 and the TrainJob says Complete.
	Complete
	// Exited: a watched container exited with another code. Its first exit decides, whatever a restart does.
	Exited
	// JobFailed: the TrainJob says Failed and no container's exit is known.
	JobFailed
	// TimedOut: timeoutPerJob passed.
	TimedOut
	// NotStarted: the group's objects could not be made.
	NotStarted
	// Stopped: the run was stopped before the group ended.
	Stopped
)

// Evidence is everything that is known of a group's job once it has ended.
type Evidence struct {
	Ending Ending
	// Message says what ended it, in words that hold a reason: "launcher exited with 1".
	Message string
	// Cause is what the cluster shows (image-pull, unschedulable, out-of-memory, …); empty when it shows nothing.
	Cause v1alpha1.Cause
	// Blamed are the nodes that the cluster's evidence names, such as a worker whose sshd never answered.
	Blamed []v1alpha1.NodeReason
	// Exits are the ends of workers by themselves, with an error. Of the group's Workers, Began had begun; where they are 0, the
	// exits speak for themselves.
	Exits          []Exit
	Workers, Began int
	// Nodes are the group's.
	Nodes []string
	// Logs are what the watched containers wrote. LogProblem says why one could not be read to its end; "" when all were.
	Logs       []v1alpha1.LogScore
	LogProblem string
	// Hosts maps the names that a log may use (a pod's name) to nodes.
	Hosts map[string]string
	// Asked: the run asks for a bandwidth measurement.
	Asked bool
	// AskedGoodput: the run asks for a goodput measurement.
	AskedGoodput bool
	Thresholds   []v1alpha1.Threshold
	// Ranks is how many ranks there should be; 0 where the framework has no rank list.
	Ranks int
	// Chosen are the nodes that the scheduler chose, where the run leaves it to it; nil elsewhere. Unplaced is how many workers
	// nobody saw on a node of their own: such a job is never taken for a complete one.
	Chosen   []string
	Unplaced int
	// Replaced: somebody took a watched pod away while the job ran, and what is known is of the one that came after it.
	Replaced bool
	// Timeout is timeoutPerJob, for the message.
	Timeout time.Duration
}

// Group judges a group by the rules of contracts.md: it fails on evidence, it is unknown where something was asked for and not
// measured, and only then does it pass. The result lacks what the caller knows: name, nodes, attempts, probe, failure log.
func Group(e Evidence) v1alpha1.GroupResult {
	r := v1alpha1.GroupResult{}
	e = e.ofCulprit()
	log := worst(e.Logs, e.Thresholds)
	r.Bandwidth, r.Training = log.Bandwidth, log.Training
	r.Thresholds = Thresholds(e.Thresholds, log)
	switch e.Ending {
	case Complete:
		r.Verdict, r.Cause, r.Message = completed(e, log, r.Thresholds)
	case Exited, JobFailed:
		// What an exit cut short proves nothing by being incomplete.
		cause, reasons := proven(log)
		r.Verdict, r.Cause, r.Message = v1alpha1.Fail, firstCause(cause, e.Cause, v1alpha1.CauseJobFailed), sentence(e.Message, reasons)
	case TimedOut:
		r.Verdict, r.Cause = v1alpha1.Fail, firstCause(e.Cause, v1alpha1.CauseTimeout)
		r.Message = sentence(fmt.Sprintf("no end within %s (timeoutPerJob)", e.Timeout), append([]string{e.Message}, log.Reasons...))
	case NotStarted, Stopped, Lost:
		r.Verdict, r.Cause, r.Message = v1alpha1.Unknown, firstCause(e.Cause, v1alpha1.CauseInfrastructure), e.Message
		if b := log.Bandwidth; b != nil && b.Wrong != nil && *b.Wrong > 0 { // wrong values need no end to speak against the nodes
			r.Verdict, r.Cause, r.Message = v1alpha1.Fail, v1alpha1.CauseWrongResults, sentence(e.Message, log.Reasons)
		}
	}
	if r.Verdict == v1alpha1.Fail {
		alike := ""
		if r.Blamed, alike = blamed(e, log); alike != "" {
			r.Cause, r.Message = workload(r.Cause), alike+": "+r.Message
		}
	}
	if r.Verdict == v1alpha1.Pass {
		r.Warnings = passWarnings(log)
		if e.Replaced {
			r.Warnings = append(r.Warnings, "pods of the job were deleted while it ran, and not by Seatrial: this is the result of those that replaced them")
		}
	}
	return r
}

// completed judges a job that ended well: only its log can speak against it.
func completed(e Evidence, log v1alpha1.LogScore, thresholds []v1alpha1.ThresholdResult) (v1alpha1.Verdict, v1alpha1.Cause, string) {
	// A launcher that waited for a name to resolve and then ran a program without a table has ended well all the same.
	if log.Verdict == v1alpha1.Fail && log.Kind != v1alpha1.KindLaunch {
		return v1alpha1.Fail, log.Cause, sentence("", log.Reasons)
	}
	if e.LogProblem != "" {
		return v1alpha1.Unknown, v1alpha1.CauseIncomplete, "the log could not be read to its end: " + e.LogProblem
	}
	if e.Unplaced > 0 {
		return v1alpha1.Unknown, v1alpha1.CauseIncomplete, fmt.Sprintf("%d of %d workers were seen on a node of their own", len(e.Chosen), len(e.Chosen)+e.Unplaced)
	}
	measured := log.Bandwidth != nil || log.Training != nil
	for _, t := range thresholds {
		if t.Value != nil && !t.Met {
			return v1alpha1.Fail, v1alpha1.CauseThreshold, fmt.Sprintf("%s is %.4g, which does not satisfy %s", t.Key, *t.Value, t.Expression)
		}
	}
	for _, t := range thresholds {
		if t.Value == nil {
			return v1alpha1.Unknown, v1alpha1.CauseIncomplete, Missing(t, log)
		}
	}
	asked := e.Asked || e.AskedGoodput || len(e.Thresholds) > 0
	switch b := log.Bandwidth; {
	case e.AskedGoodput && log.Training == nil:
		return v1alpha1.Unknown, v1alpha1.CauseIncomplete, "a goodput measurement was asked for, and the log holds no training steps"
	case e.Asked && b == nil:
		return v1alpha1.Unknown, v1alpha1.CauseIncomplete, "a bandwidth measurement was asked for, and the log holds no table"
	case b == nil:
	case !b.Complete:
		return v1alpha1.Unknown, v1alpha1.CauseIncomplete, sentence("the bandwidth table is not whole", log.Reasons)
	case asked && !b.Checked && !b.Custom:
		return v1alpha1.Unknown, v1alpha1.CauseUnchecked, sentence("the results were not checked", log.Reasons)
	case e.Ranks > 0 && b.RanksProblem != "":
		return v1alpha1.Unknown, v1alpha1.CauseIncomplete, b.RanksProblem
	case b.Ranks != nil && e.Ranks > 0 && *b.Ranks != e.Ranks:
		return v1alpha1.Unknown, v1alpha1.CauseIncomplete, fmt.Sprintf("%d ranks took part, %d were asked for", *b.Ranks, e.Ranks)
	}
	if log.Verdict == v1alpha1.Unknown && asked && measured && len(log.Reasons) > 0 {
		return v1alpha1.Unknown, log.Cause, sentence("", log.Reasons)
	}
	return v1alpha1.Pass, "", ""
}

// passWarnings says what a pass does not show.
func passWarnings(log v1alpha1.LogScore) []string {
	var warnings []string
	switch {
	case log.Bandwidth == nil && log.Training == nil:
		warnings = append(warnings, "nothing was measured: the verdict rests on the exit status")
	case log.Bandwidth != nil && !log.Bandwidth.Checked:
		warnings = append(warnings, "the results were not checked")
	}
	if b := log.Bandwidth; b != nil && len(b.Stragglers) > 0 {
		text := StragglerText(b.Stragglers[0])
		if more := len(b.Stragglers) - 1; more == 1 {
			text += ", and 1 more was slow"
		} else if more > 1 {
			text += fmt.Sprintf(", and %d more were slow", more)
		}
		warnings = append(warnings, text)
	}
	return warnings
}

// proven is what a log says that shows a fault; nothing of any other.
func proven(log v1alpha1.LogScore) (v1alpha1.Cause, []string) {
	if log.Verdict == v1alpha1.Fail {
		return log.Cause, log.Reasons
	}
	return "", nil
}

// worst returns the log that speaks most against the group: a failing one, and of those one that tells of a fault of its own
// before one that tells of others; then one that misses a threshold, then an unknown one that measured, then one that measured,
// then the first.
func worst(logs []v1alpha1.LogScore, thresholds []v1alpha1.Threshold) v1alpha1.LogScore {
	best, rank := v1alpha1.LogScore{}, -1
	for _, l := range logs {
		r := 0
		switch {
		case l.Verdict == v1alpha1.Fail && l.Echo:
			r = 4
		case l.Verdict == v1alpha1.Fail && between(l.Cause):
			r = 5
		case l.Verdict == v1alpha1.Fail:
			r = 6
		case misses(l, thresholds):
			r = 3
		case l.Bandwidth != nil || l.Training != nil:
			r = 1
			if l.Verdict == v1alpha1.Unknown {
				r = 2
			}
		}
		if r > rank {
			best, rank = l, r
		}
	}
	return best
}

func misses(log v1alpha1.LogScore, thresholds []v1alpha1.Threshold) bool {
	for _, t := range Thresholds(thresholds, log) {
		if t.Value != nil && !t.Met {
			return true
		}
	}
	return false
}

// blamed joins what the cluster and the logs say of nodes. Alike is not empty when all nodes failed in the same way, and says so:
// then no exit speaks against one of them, and of the logs' names only those that another node's log has.
func blamed(e Evidence, log v1alpha1.LogScore) (all []v1alpha1.NodeReason, alike string) {
	guilty, same := culprits(e)
	if same {
		alike = fmt.Sprintf("all %d nodes failed in the same way", len(e.Exits))
	}
	seen := map[string]bool{}
	for _, b := range append(slices.Clip(e.Blamed), guilty...) {
		if b.Name != "" && !seen[b.Name] {
			seen[b.Name] = true
			all = append(all, b)
		}
	}
	named, reason := namedByLogs(e, log, same)
	if len(e.Nodes) > 1 && !slices.ContainsFunc(e.Nodes, func(n string) bool { return !slices.Contains(named, n) }) {
		if alike == "" && len(all) == 0 {
			alike = fmt.Sprintf("all %d nodes show the same error", len(e.Nodes))
		}
		return all, alike
	}
	for _, node := range named {
		if !seen[node] {
			seen[node] = true
			all = append(all, v1alpha1.NodeReason{Name: node, Reason: reason})
		}
	}
	return all, alike
}

// namedByLogs are the nodes that most of the logs with the cause of the decisive one name. A host that is no node of the group is
// not repeated: a log may hold any text. ofOthers leaves out what a log says of its own node.
func namedByLogs(e Evidence, decisive v1alpha1.LogScore, ofOthers bool) (named []string, reason string) {
	votes := map[string]int{}
	for _, l := range e.Logs {
		if l.Verdict != v1alpha1.Fail || l.Cause != decisive.Cause || l.Echo != decisive.Echo {
			continue
		}
		said := map[string]bool{}
		for _, host := range l.Nodes {
			if node, known := e.nodeOf(host); known && !said[node] && !(ofOthers && node == e.Hosts[l.File]) {
				said[node] = true
				votes[node]++
			}
		}
	}
	most := 0
	for _, n := range votes {
		most = max(most, n)
	}
	for node, n := range votes {
		if n == most {
			named = append(named, node)
		}
	}
	slices.Sort(named)
	return named, sentence("the log names it", decisive.Reasons)
}

func (e Evidence) nodeOf(host string) (node string, known bool) {
	if node, known = e.Hosts[host]; !known {
		short, _, _ := strings.Cut(host, ".")
		node, known = e.Hosts[short]
	}
	return node, known
}

func firstCause(causes ...v1alpha1.Cause) v1alpha1.Cause {
	for _, c := range causes {
		if c != "" {
			return c
		}
	}
	return ""
}

// sentence joins a beginning with the first of the reasons that says anything.
func sentence(begin string, reasons []string) string {
	for _, r := range reasons {
		if r == "" {
			continue
		}
		if begin == "" {
			return r
		}
		return begin + ": " + r
	}
	return begin
}
