package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// Forms of a report beside text and JSON.
const (
	asJUnit    = "junit"
	asHTML     = "html"
	asMarkdown = "markdown"
)

// reportFlag adds -o with every form of a report.
func reportFlag(c *cobra.Command) *choice {
	format := newChoice(asText, asJSON, asJUnit, asHTML, asMarkdown)
	c.Flags().VarP(format, "output", "o", "form of the report")
	return format
}

// writeReports writes reports in one form. As JSON one report is an object, several are a list; as text they follow one another, with
// reasons cut where a terminal's line ends, and an account of all. The other forms have a place for several.
func writeReports(w io.Writer, format string, columns int, reports []v1alpha1.Report) error {
	switch format {
	case asJUnit:
		return report.WriteJUnit(w, reports...)
	case asHTML:
		return report.WriteHTML(w, reports...)
	case asMarkdown:
		return report.WriteMarkdown(w, reports...)
	case asJSON:
		return report.WriteAllJSON(w, reports...)
	}
	return report.WriteAllText(w, columns, reports...)
}

// results is the file of --results-file; "" for none.
type results string

// empty makes the file, or empties it: what an earlier run left in it must not pass for this one's result.
func (file results) empty() error {
	if file == "" {
		return nil
	}
	if err := os.WriteFile(string(file), nil, 0o644); err != nil {
		return misusef("making --results-file: %w", err)
	}
	return nil
}

func (file results) write(reports []v1alpha1.Report) error {
	if file == "" {
		return nil
	}
	var text bytes.Buffer
	if err := writeReports(&text, asJSON, report.Unbounded, reports); err != nil {
		return err
	}
	if err := os.WriteFile(string(file), text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing --results-file: %w", err)
	}
	return nil
}

// publish writes reports to stdout and to the results file. The code is that of the verdicts; what cannot be written is at best unsure.
func (a *app) publish(format string, file results, reports []v1alpha1.Report) (Code, error) {
	code := verdictCode(reports)
	if err := writeReports(a.stdout, format, a.columns(), reports); err != nil {
		return worse(code, Unsure), err
	}
	if err := file.write(reports); err != nil {
		return worse(code, Unsure), err
	}
	return code, nil
}
