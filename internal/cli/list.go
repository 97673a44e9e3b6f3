package cli

import (
	"fmt"
	"io"
	"sort"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

func (a *app) listCommand(flags *cluster.Flags) *cobra.Command {
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the runs of a namespace",
		Long:    `List the runs of a namespace, the newest first, with Argo's phase and Seatrial's verdict.`,
		Example: `  seatrial workloadrun list -n seatrial`,
		Args:    cobra.NoArgs,
	}
	format := outputFlag(c)
	c.RunE = a.does(func(c *cobra.Command, _ []string) (Code, error) {
		k, namespace, err := a.connect(*flags)
		if err != nil {
			return Unsure, err
		}
		workflows, err := k.Workflows(c.Context(), namespace, "")
		if err != nil {
			return Unsure, err
		}
		runs := make([]summary, 0, len(workflows))
		for _, w := range workflows {
			s, err := state{workflow: w}.withRuns(c.Context(), k)
			if err != nil {
				return Unsure, err
			}
			if len(s.runs) > 0 || w.Labels[resolve.LabelManagedBy] == resolve.ManagedBy { // a larger DAG has runs, and no label of ours
				runs = append(runs, s.summary())
			}
		}
		sort.SliceStable(runs, func(i, j int) bool { return newer(runs[i], runs[j]) })
		if format.value == asJSON {
			return Passed, writeJSON(a.stdout, runs, "  ")
		}
		if len(runs) == 0 {
			a.note("no run in namespace %s", namespace)
			return Passed, nil
		}
		return Passed, writeTable(a.stdout, runs, a.clock.Now())
	})
	return c
}

// newer orders runs by their start; those that have not started come first, and equal ones by name.
func newer(a, b summary) bool {
	switch {
	case a.Started == nil || b.Started == nil:
		if (a.Started == nil) != (b.Started == nil) {
			return a.Started == nil
		}
	case !a.Started.Equal(*b.Started):
		return a.Started.After(*b.Started)
	}
	return a.Name < b.Name
}

func writeTable(w io.Writer, runs []summary, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "NAME\tPHASE\tVERDICT\tFRAMEWORK\tAGE") // Flush returns what goes wrong
	for _, r := range runs {
		age := "-"
		if r.Started != nil {
			age = duration.HumanDuration(now.Sub(*r.Started))
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", r.Name, r.stage(), r.Verdict, orDash(plain.Line(r.Framework)), age)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing the list: %w", err)
	}
	return nil
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
