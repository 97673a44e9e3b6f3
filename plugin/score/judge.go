package score

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// judge says what speaks against one test. A test without findings is a pass: its whole footer was seen, its rows were
// checked, no value was wrong, and more than one rank took part.
func judge(t *parse.Test) []finding {
	var findings []finding
	if t.Custom {
		if t.BadRow > 0 {
			findings = append(findings, finding{cause: v1alpha1.CauseIncomplete, weight: incomplete, line: t.BadRow,
				reason: fmt.Sprintf("line %d: a row that the profile captures cannot be read", t.BadRow)})
		}
		return findings
	}
	findings = append(findings, wrongResults(t)...)
	if f, ok := belowMinimum(t); ok {
		findings = append(findings, f)
	}
	if f, ok := everyRankAlone(t); ok {
		return append(findings, f)
	}
	if f, ok := unreadable(t); ok {
		return append(findings, f)
	}
	if f, ok := notWhole(t); ok {
		return append(findings, f)
	}
	if f, ok := contradicted(t); ok {
		return append(findings, f)
	}
	if f, ok := oneRank(t); ok {
		return append(findings, f)
	}
	if f, ok := neverChecked(t); ok {
		return append(findings, f)
	}
	return findings
}

// judgeWhole says what speaks against a log as a whole.
func judgeWhole(log parse.Log, kind v1alpha1.Kind) []finding {
	var findings []finding
	if f, ok := overlapping(log.Tests); ok {
		findings = append(findings, f)
	}
	if log.Truncated {
		findings = append(findings, finding{cause: v1alpha1.CauseIncomplete, weight: incomplete,
			reason: "the log holds more tests, sizes or devices than are kept"})
	}
	if kind == v1alpha1.KindUnknown && len(log.Failures) == 0 {
		reason := "nothing that can be scored was found"
		if log.Lines == 0 {
			reason = "the log is empty"
		}
		findings = append(findings, finding{cause: v1alpha1.CauseIncomplete, weight: incomplete, reason: reason})
	}
	return findings
}

// wrongResults: the rows count wrong values, or the footer failed checks.
func wrongResults(t *parse.Test) []finding {
	var findings []finding
	add := func(line int, format string, args ...any) {
		findings = append(findings, finding{cause: v1alpha1.CauseWrongResults, fails: true, weight: specific, line: line,
			reason: fmt.Sprintf("line %d: ", line) + fmt.Sprintf(format, args...)})
	}
	told := int64(0)
	for _, c := range t.Table.WrongCells {
		where := fmt.Sprintf("at %d B", c.SizeBytes)
		if c.SizeBytes < 0 {
			where = "in a row without its size"
		}
		add(c.Line, "%s %s (%s)", english.Plural(int(c.Count), "wrong value", ""), where, placementName(c.InPlace))
		told += c.Count
	}
	if more := t.Table.Wrong - told; more > 0 {
		add(t.Table.WrongCells[len(t.Table.WrongCells)-1].Line, "%s more in later rows", english.Plural(int(more), "wrong value", ""))
	}
	if b := t.Bounds; b != nil && !b.OK && b.Count == 0 {
		add(b.Line, "the tool says FAILED, with 0 results out of bounds")
	} else if b != nil && b.Count > 0 {
		add(b.Line, "the tool counted %d results out of bounds", b.Count)
	}
	if b := t.Repeats; b != nil && (!b.OK || b.Count > 0) {
		add(b.Line, "%d results differed when the run repeated itself", b.Count)
	}
	return findings
}

func placementName(inPlace bool) string {
	if inPlace {
		return "in-place"
	}
	return "out-of-place"
}

// belowMinimum: the tool's own gate, NCCL_TESTS_MIN_BW.
func belowMinimum(t *parse.Test) (finding, bool) {
	if t.Average == nil || !t.Average.BelowMinimum {
		return finding{}, false
	}
	return finding{cause: v1alpha1.CauseThreshold, fails: true, weight: specific, line: t.Average.Line,
		reason: fmt.Sprintf("line %d: the average of %g GB/s is below the tool's own minimum (NCCL_TESTS_MIN_BW)", t.Average.Line, t.Average.GBps)}, true
}

// notWhole: no row, or a footer that is not there, or a test that was announced and whose end never was.
func notWhole(t *parse.Test) (finding, bool) {
	var missing []string
	if t.Table.Rows == 0 {
		missing = append(missing, "no row of the table")
	}
	if t.Bounds == nil {
		missing = append(missing, "no count of failed checks")
	}
	if t.Average == nil {
		missing = append(missing, "no average")
	}
	if t.StartLine > 0 && t.EndLine == 0 {
		missing = append(missing, "no end of the test")
	}
	if t.Table.Rows > 0 && t.Table.Peak == nil {
		missing = append(missing, "no measured value")
	}
	if len(missing) == 0 {
		return finding{}, false
	}
	return finding{cause: v1alpha1.CauseIncomplete, weight: incomplete, line: t.Line,
		reason: fmt.Sprintf("line %d: the test that begins here is not whole: %s", t.Line, strings.Join(missing, ", "))}, true
}

// unreadable: a row of the table could not be read, or every row says 0 although the device list has several ranks. What
// such a row measured, and whether its results were right, nobody knows.
func unreadable(t *parse.Test) (finding, bool) {
	f := finding{cause: v1alpha1.CauseIncomplete, weight: incomplete, line: t.BadRow}
	if t.BadRow > 0 {
		f.reason = fmt.Sprintf("line %d: a row that cannot be read", t.BadRow)
		return f, true
	}
	if t.Table.Amid > 0 && t.Bounds != nil && lacking(t) {
		f.line = t.Bounds.Line
		f.reason = fmt.Sprintf("line %d: a row that cannot be read: %s are fewer than the test measured, and lines of NCCL's stand among them",
			f.line, english.Plural(t.Table.Rows, "row", ""))
		return f, true
	}
	if n, _, _ := listed(t); n > 1 && t.Table.Peak != nil && t.Table.Peak.GBps == 0 && !tooSlowToPrint(t) {
		f.line = t.Table.Peak.Line
		f.reason = fmt.Sprintf("line %d: a row that cannot be read: every bus bandwidth is 0, although %d ranks are listed", f.line, n)
		return f, true
	}
	return finding{}, false
}

// tooSlowToPrint: two decimals show nothing below 0.005 GB/s, and the footer's average, which has more, is above 0 and as small.
func tooSlowToPrint(t *parse.Test) bool {
	return t.Average != nil && t.Average.GBps > 0 && t.Average.GBps < 0.005
}

// oneRank: the bus bandwidth of a single rank is 0 by definition, and says nothing about a fabric.
func oneRank(t *parse.Test) (finding, bool) {
	f := finding{cause: v1alpha1.CauseSingleRank, weight: alone, line: t.Line}
	switch n, proof := ranks(t); {
	case proof == single:
		f.reason = fmt.Sprintf("line %d: only one rank took part", t.Line)
	case proof == unproven:
		f.cause, f.weight = v1alpha1.CauseIncomplete, incomplete
		f.reason = fmt.Sprintf("line %d: nothing shows that more than one rank took part", t.Line)
	case n != nil && *n == 1:
		f.reason = fmt.Sprintf("line %d: only one rank took part", t.Line)
	default:
		return finding{}, false
	}
	return f, true
}

// neverChecked: validation was off (-c 0), which prints "0 OK" all the same.
func neverChecked(t *parse.Test) (finding, bool) {
	off := false
	for _, c := range t.Configs {
		off = off || c.Validation != nil && !*c.Validation
	}
	if !off && t.Table.UncheckedRows == 0 && t.Table.CheckedRows > 0 {
		return finding{}, false
	}
	return finding{cause: v1alpha1.CauseUnchecked, weight: notChecked, line: t.Line,
		reason: fmt.Sprintf("line %d: the results were not checked (-c 0), so that 0 OK means nothing", t.Line)}, true
}
