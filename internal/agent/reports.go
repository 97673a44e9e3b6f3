package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// leaveReports leaves what the runs of a workflow asked for: files for Argo to upload, and a ConfigMap that outlives the workflow.
// It comes after the clean-up, so that each report is the last one.
func leaveReports(ctx context.Context, k *cluster.Cluster, owner cluster.Owner, folder string) error {
	records, err := k.Records(ctx, owner)
	if err != nil {
		return err
	}
	var asFiles, kept []v1alpha1.Report
	for _, r := range records {
		plan, groups, planned, err := record.Read(ctx, r)
		if err != nil {
			return err
		}
		if !planned || !plan.Options.Artifacts && !plan.Options.KeepReport {
			continue
		}
		var closed record.Close
		if _, err := r.Read(ctx, record.KeyClose, &closed); err != nil {
			return err
		}
		full := record.Report(owner.Name, r.Scope(), plan, groups, &closed)
		if plan.Options.Artifacts {
			asFiles = append(asFiles, full)
		}
		if plan.Options.KeepReport {
			kept = append(kept, full)
		}
	}
	report.Order(asFiles)
	report.Order(kept)
	return errors.Join(writeFiles(folder, asFiles), keep(ctx, k, owner, kept))
}

// writeFiles writes report.html, report.json and junit.xml; the JSON of several runs is a list. Without reports there is no file.
func writeFiles(folder string, reports []v1alpha1.Report) error {
	if folder == "" || len(reports) == 0 {
		return nil
	}
	var problems []error
	for name, write := range map[string]func(io.Writer, ...v1alpha1.Report) error{
		"report.html": report.WriteHTML, "junit.xml": report.WriteJUnit, "report.json": report.WriteAllJSON,
	} {
		var text bytes.Buffer
		err := write(&text, reports...)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text.Bytes(), 0o644)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("writing %s: %w", name, err))
		}
	}
	return errors.Join(problems...)
}

func keep(ctx context.Context, k *cluster.Cluster, owner cluster.Owner, reports []v1alpha1.Report) error {
	if len(reports) == 0 {
		return nil
	}
	if cluster.KeepFits(reports) {
		return k.KeepReports(ctx, owner, reports)
	}
	for i := range reports {
		reports[i] = report.Brief(reports[i])
	}
	return k.KeepReports(ctx, owner, reports)
}
