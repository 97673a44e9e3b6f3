package cli

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

func (a *app) statusCommand(flags *cluster.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:     "status NAME",
		Short:   "Say where a run is",
		Long:    `Say in a few lines where a run is. The exit code is 0 whatever the verdict: see report for that.`,
		Example: `  seatrial workloadrun status my-workload`,
		Args:    exactly("NAME"),
	}
	c.ValidArgsFunction = a.completesRuns(flags, false)
	format := outputFlag(c)
	c.RunE = a.does(func(c *cobra.Command, args []string) (Code, error) {
		k, namespace, err := a.connect(*flags)
		if err != nil {
			return Unsure, err
		}
		s, err := readState(c.Context(), k, namespace, args[0])
		if err != nil {
			return codeOfReading(err), err
		}
		if format.value == asJSON {
			return Passed, writeJSON(a.stdout, s.summary(), "  ")
		}
		return Passed, s.summary().write(a.stdout)
	})
	return c
}

// summary is a run in a few words. Its fields are the keys of `status -o json` and `list -o json`.
type summary struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Phase     string `json:"phase"`
	// Shutdown is Stop or Terminate once somebody asked for it.
	Shutdown string `json:"shutdown,omitempty"`
	Message  string `json:"message"`
	// Verdict is the worst of all runs of the workflow; unknown while one goes on.
	Verdict   v1alpha1.Verdict `json:"verdict"`
	Framework string           `json:"framework"`
	Groups    tally            `json:"groups"`
	Started   *time.Time       `json:"started"`
	Finished  *time.Time       `json:"finished"`
}

func (s state) summary() summary {
	reports := s.reports()
	w := s.workflow
	sum := summary{
		Name: w.Name, Namespace: w.Namespace, Phase: s.phase(), Shutdown: w.Shutdown, Message: plain.Line(w.Message),
		Framework: reports[0].Framework, Groups: s.tally(), Started: reports[0].Started,
	}
	switch verdictCode(reports) {
	case Passed:
		sum.Verdict = v1alpha1.Pass
	case Failed:
		sum.Verdict = v1alpha1.Fail
	default:
		sum.Verdict = v1alpha1.Unknown
	}
	if !w.FinishedAt.IsZero() {
		sum.Finished = &w.FinishedAt
	}
	return sum
}

func (sum summary) write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			_, _ = fmt.Fprintf(t, "%s\t%s\n", name, value) // Flush returns what goes wrong
		}
	}
	row("run", sum.Namespace+"/"+sum.Name)
	row("framework", plain.Line(sum.Framework))
	row("phase", sum.stage())
	row("message", sum.Message)
	row("groups", sum.Groups.String())
	row("verdict", sum.Verdict.String())
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing the status: %w", err)
	}
	return nil
}

// String reads `1 of 3 done, 1 failed, 1 ended early, best busbw 437.9 GB/s`.
func (t tally) String() string {
	if t.Total == 0 {
		return "none yet"
	}
	text := fmt.Sprintf("%d of %d done", t.Done, t.Total)
	if t.Failed > 0 {
		text += fmt.Sprintf(", %d failed", t.Failed)
	}
	if t.EndedEarly > 0 {
		text += fmt.Sprintf(", %d ended early", t.EndedEarly)
	}
	if t.BestBusGBps != nil {
		text += fmt.Sprintf(", best busbw %.4g GB/s", *t.BestBusGBps)
	}
	return text
}

// stage is the phase, and whether somebody stopped a run that is not over.
func (sum summary) stage() string {
	if sum.Shutdown != "" && sum.Finished == nil {
		return sum.Phase + ", stopping"
	}
	return sum.Phase
}
