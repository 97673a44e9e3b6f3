package score

import (
	"slices"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Exit is how the workload container of one worker ended by itself, with an error.
type Exit struct {
	// Pod is the name under which Evidence.Logs has its log.
	Pod, Node string
	Code      int32
	// Started and Ended are the kubelet's times, of whole seconds; zero where it gives none.
	Started, Ended time.Time
	// Reason is the exit in words: "the command on gpu-node-01 exited with 1".
	Reason string
}

const (
	// together is how far apart the ends of one fault on all nodes may lie: a launcher per node looks at its processes a few times
	// a second and gives them 30 s at most to end (torchrun), and the kubelets' clocks differ by little.
	together = 10 * time.Second
	// first is how far apart two ends may lie so that nobody can tell which came first: they are given in whole seconds.
	first = 2 * time.Second
)

// culprits are the nodes against which the exits of their commands speak. Alike says that all commands failed in the same way, so
// that nothing speaks against one node more than against another: a mistake in the command does that, or a fault between the nodes.
//
// One node that crashes takes the others with it: their libraries lose the connection, and their exits follow within seconds, often
// with the same code. Then the logs tell who was first, or the time does.
func culprits(e Evidence) (guilty []v1alpha1.NodeReason, alike bool) {
	exits := e.Exits
	switch {
	case len(exits) == 0:
		return nil, false
	case e.Workers > 1 && e.Began < 2: // nobody knows how the others would have ended
		return nil, false
	case e.Workers < 2:
		return accused(exits), false
	}
	own, echoing, silent := byLog(exits, e.Logs)
	if len(exits) < e.Began { // the others run on, or ended well
		if len(own)+len(silent) > 0 && len(echoing) > 0 {
			return accused(append(own, silent...)), false
		}
		return accused(exits), false
	}
	switch {
	case len(own) == len(exits) && oneCause(own, e.Logs):
		return nil, true
	case len(own) > 0:
		return accused(own), false
	case len(silent) == 1 && len(echoing) == len(exits)-1 && logOf(silent[0], e.Logs).Raised && atOnce(exits):
		return nil, false // a rank's exception took the others with it: a mistake that shows on one rank does that, too
	case len(silent) == 1 && len(echoing) == len(exits)-1 && before(silent[0], echoing):
		return accused(silent), false
	case oneCode(exits) && atOnce(exits):
		return nil, true
	}
	if earliest := earliest(exits); len(earliest) < len(exits) {
		return accused(earliest), false
	}
	if odd := oddCode(exits); odd != nil {
		return accused(odd), false
	}
	return accused(exits), false
}

// ofCulprit lets the message speak of a node that is to blame, where it speaks of one that is not.
func (e Evidence) ofCulprit() Evidence {
	guilty, _ := culprits(e)
	if len(guilty) > 0 && slices.ContainsFunc(e.Exits, func(x Exit) bool { return x.Reason == e.Message }) {
		e.Message = guilty[0].Reason
	}
	return e
}

// byLog sorts exits by what their logs say: a fault of their own, one that may have begun elsewhere, or nothing.
func byLog(exits []Exit, logs []v1alpha1.LogScore) (own, echoing, silent []Exit) {
	for _, x := range exits {
		switch l := logOf(x, logs); {
		case l.Verdict != v1alpha1.Fail:
			silent = append(silent, x)
		case l.Echo || between(l.Cause):
			echoing = append(echoing, x)
		default:
			own = append(own, x)
		}
	}
	return own, echoing, silent
}

func logOf(x Exit, logs []v1alpha1.LogScore) v1alpha1.LogScore {
	for _, l := range logs {
		if l.File == x.Pod {
			return l
		}
	}
	return v1alpha1.LogScore{}
}

// between says whether a cause lies between nodes: the log that tells of it may be the healthy end's.
func between(c v1alpha1.Cause) bool {
	switch c {
	case v1alpha1.CauseHang, v1alpha1.CauseNetUnreachable, v1alpha1.CauseBootstrap:
		return true
	default:
		return false
	}
}

func accused(exits []Exit) []v1alpha1.NodeReason {
	var all []v1alpha1.NodeReason
	for _, x := range exits {
		all = append(all, v1alpha1.NodeReason{Name: x.Node, Reason: x.Reason})
	}
	return all
}

func oneCause(exits []Exit, logs []v1alpha1.LogScore) bool {
	return !slices.ContainsFunc(exits, func(x Exit) bool { return logOf(x, logs).Cause != logOf(exits[0], logs).Cause })
}

// atOnce says whether all ended together, or after equal times.
func atOnce(exits []Exit) bool {
	return within(exits, together, Exit.end) || within(exits, together, Exit.ran)
}

func oneCode(exits []Exit) bool {
	return !slices.ContainsFunc(exits, func(x Exit) bool { return x.Code != exits[0].Code })
}

// end and ran are measures of an exit, since images are not pulled equally fast: when it was, and how long after its start.
func (x Exit) end() (time.Duration, bool) { return x.Ended.Sub(time.Unix(0, 0)), !x.Ended.IsZero() }
func (x Exit) ran() (time.Duration, bool) {
	return x.Ended.Sub(x.Started), !x.Ended.IsZero() && !x.Started.IsZero()
}

// within says whether all exits have a measure, and none differs from another by more than most.
func within(exits []Exit, most time.Duration, measure func(Exit) (time.Duration, bool)) bool {
	low, known := measure(exits[0])
	high := low
	for _, x := range exits {
		d, has := measure(x)
		known, low, high = known && has, min(low, d), max(high, d)
	}
	return known && high-low <= most
}

// earliest are the exits of which any may have been the first; all of them where the time of one is not known.
func earliest(exits []Exit) []Exit {
	start := exits[0].Ended
	for _, x := range exits {
		if x.Ended.IsZero() {
			return exits
		}
		if x.Ended.Before(start) {
			start = x.Ended
		}
	}
	var early []Exit
	for _, x := range exits {
		if x.Ended.Sub(start) <= first {
			early = append(early, x)
		}
	}
	return early
}

// before says whether an exit came before all others, or in the same second.
func before(x Exit, others []Exit) bool {
	return !x.Ended.IsZero() && !slices.ContainsFunc(others, func(o Exit) bool { return o.Ended.Before(x.Ended) })
}

// oddCode is the one exit whose code no other has, while at least two others share theirs; nil when there is none.
func oddCode(exits []Exit) []Exit {
	count := map[int32]int{}
	for _, x := range exits {
		count[x.Code]++
	}
	if len(count) != 2 || len(exits) < 3 {
		return nil
	}
	for _, x := range exits {
		if count[x.Code] == 1 {
			return []Exit{x}
		}
	}
	return nil
}

// workload is the cause of a group whose nodes all failed in the same way, where the log has none that says more: what is wrong
// is then more likely in the command, the image or the run than in every node.
func workload(c v1alpha1.Cause) v1alpha1.Cause {
	switch c {
	case v1alpha1.CauseJobFailed, v1alpha1.CauseCUDAError, v1alpha1.CauseCUDANotInitialized, v1alpha1.CauseSystemError:
		return v1alpha1.CauseWorkload
	default:
		return c
	}
}
