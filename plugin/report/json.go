package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// WriteJSON writes the report as indented JSON with a line end. The keys are in the order of the type's fields.
func WriteJSON(w io.Writer, r v1alpha1.Report) error {
	if err := writeIndented(w, r); err != nil {
		return fmt.Errorf("writing the report of %s: %w", r.Name, err)
	}
	return nil
}

// WriteAllJSON writes one report as WriteJSON does, and several, or none, as a list of them.
func WriteAllJSON(w io.Writer, reports ...v1alpha1.Report) error {
	if len(reports) == 1 {
		return WriteJSON(w, reports[0])
	}
	if err := writeIndented(w, append([]v1alpha1.Report{}, reports...)); err != nil {
		return fmt.Errorf("writing the reports: %w", err)
	}
	return nil
}

// indented is how much longer the tables of a report get when they are indented. A report of 1,000 nodes is some 10 MB: growing the
// text step by step, as an encoder that indents does, takes longer than all the rest of it.
const indented = 5

func writeIndented(w io.Writer, value any) error {
	var dense, text bytes.Buffer
	encoder := json.NewEncoder(&dense)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	text.Grow(indented * dense.Len())
	if err := json.Indent(&text, dense.Bytes(), "", "  "); err != nil {
		return err
	}
	_, err := w.Write(escaped(text.Bytes()))
	return err
}

// Brief returns a report without what takes room: tables by size, lists of steps and logs. Verdicts, reasons and best numbers stay.
func Brief(r v1alpha1.Report) v1alpha1.Report {
	r.Groups = briefGroups(r.Groups)
	if r.Isolation != nil {
		isolation := *r.Isolation
		isolation.Groups = briefGroups(isolation.Groups)
		r.Isolation = &isolation
	}
	r.Warnings = append(append([]string{}, r.Warnings...), "tables, steps and logs are left out: the whole report is too large to be kept")
	return r
}

func briefGroups(groups []v1alpha1.GroupResult) []v1alpha1.GroupResult {
	groups = append([]v1alpha1.GroupResult{}, groups...)
	for i := range groups {
		g := &groups[i]
		g.FailureLog = nil
		if g.Bandwidth != nil {
			b := *g.Bandwidth
			b.Results = []v1alpha1.BandwidthSize{}
			g.Bandwidth = &b
		}
		if g.Training != nil {
			t := *g.Training
			t.StepTimesSec, t.TFLOPsPerGPU = []float64{}, []float64{}
			g.Training = &t
		}
	}
	return groups
}

// escaped writes what steers a terminal, or turns the direction of a text, as JSON's \u escapes: encoding/json leaves all but ASCII as it is.
func escaped(text []byte) []byte {
	steers := func(r rune) bool { return r >= utf8.RuneSelf && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }
	if !bytes.ContainsFunc(text, steers) {
		return text
	}
	var out bytes.Buffer
	out.Grow(len(text))
	for _, r := range string(text) {
		switch {
		case !steers(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}
