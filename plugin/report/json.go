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
