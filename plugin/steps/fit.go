package steps

import (
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
)

// Bounds of what is left of a result at the least.
const (
	leastTail = 256
	// leastText is in bytes. The record's 12 KiB hold a message and a blamed node's reason of that length many times over.
	leastText = 1 << 10
	leastList = 8
)

// fit shortens what a result holds besides its verdict until the record takes it: first what is least missed. A verdict is
// never lost for its length.
func fit(key string, s *record.Group, result *v1alpha1.GroupResult) *v1alpha1.GroupResult {
	for _, shorten := range []func(*record.Group, *v1alpha1.GroupResult) bool{shortenTail, shortenTraining, shortenTable, dropProbe, cutTexts} {
		for {
			trial := *s
			trial.Result = result
			if cluster.Fits(key, trial) {
				return result
			}
			if !shorten(s, result) {
				break
			}
		}
	}
	return result
}

// shortenTail halves the log's end; false when it is as short as it gets.
func shortenTail(_ *record.Group, result *v1alpha1.GroupResult) bool {
	tail := result.FailureLog
	if tail == nil || len(tail.Tail) <= leastTail {
		return false
	}
	shorter := *tail
	shorter.Tail = "…" + strings.ToValidUTF8(tail.Tail[len(tail.Tail)/2:], "")
	result.FailureLog = &shorter
	return true
}

// shortenTraining keeps the later half of the steps' values. Their means stay what they are.
func shortenTraining(_ *record.Group, result *v1alpha1.GroupResult) bool {
	t := result.Training
	if t == nil || len(t.StepTimesSec)+len(t.TFLOPsPerGPU) == 0 {
		return false
	}
	shorter := *t
	shorter.StepTimesSec = laterHalf(t.StepTimesSec)
	shorter.TFLOPsPerGPU = laterHalf(t.TFLOPsPerGPU)
	result.Training = &shorter
	warn(result, "there were too many steps for the record; the values of the last ones are kept")
	return true
}

// shortenTable keeps the larger half of the sizes. The values over all sizes stay what they are.
func shortenTable(_ *record.Group, result *v1alpha1.GroupResult) bool {
	b := result.Bandwidth
	if b == nil || len(b.Results) == 0 {
		return false
	}
	shorter := *b
	shorter.Results = laterHalf(b.Results)
	result.Bandwidth = &shorter
	warn(result, "the table was too long for the record; its largest sizes are kept")
	return true
}

func dropProbe(s *record.Group, result *v1alpha1.GroupResult) bool {
	had := result.Probe != nil || s.Probe != nil || s.Hosts != nil
	result.Probe, s.Probe, s.Hosts = nil, nil, nil
	return had
}

// cutTexts is the last resort: no text of a log or an error is longer than leastText after it, and no list than leastList.
func cutTexts(s *record.Group, result *v1alpha1.GroupResult) bool {
	cut := false
	text := func(t *string) {
		if len(*t) > leastText {
			*t, cut = strings.ToValidUTF8((*t)[:leastText-len("…")], "")+"…", true
		}
	}
	list := func(l *[]string) {
		*l = append([]string(nil), *l...)
		if len(*l) > leastList {
			*l, cut = (*l)[len(*l)-leastList:], true
		}
		for i := range *l {
			text(&(*l)[i])
		}
	}
	list(&s.Earlier)
	list(&result.Warnings)
	text(&result.Message)
	text(&s.Leftover)
	result.Blamed = append([]v1alpha1.NodeReason(nil), result.Blamed...)
	for i := range result.Blamed {
		text(&result.Blamed[i].Reason)
	}
	return cut
}

func laterHalf[T any](values []T) []T { return values[(len(values)+1)/2:] }

func warn(result *v1alpha1.GroupResult, text string) {
	for _, w := range result.Warnings {
		if w == text {
			return
		}
	}
	result.Warnings = append(result.Warnings, text)
}
