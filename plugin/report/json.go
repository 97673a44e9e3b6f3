package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// WriteJSON writes the report as indented JSON with a line end. The keys are in the order of the type's fields.
func WriteJSON(w io.Writer, r v1alpha1.Report) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("writing the report of %s: %w", r.Name, err)
	}
	return nil
}

// WriteAllJSON writes one report as WriteJSON does, and several, or none, as a list of them.
func WriteAllJSON(w io.Writer, reports ...v1alpha1.Report) error {
	if len(reports) == 1 {
		return WriteJSON(w, reports[0])
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(append([]v1alpha1.Report{}, reports...)); err != nil {
		return fmt.Errorf("writing the reports: %w", err)
	}
	return nil
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
