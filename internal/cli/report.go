package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
)

func (a *app) reportCommand(flags *cluster.Flags) *cobra.Command {
	var scope, file string
	c := &cobra.Command{
		Use:   "report NAME",
		Short: "Print the report of a run, finished or not",
		Long: `Print what a run says about each node and each group. The exit code is the verdict's: 0 pass, 1 fail, 3 unknown.
A run that goes on has a partial report, and 3. A workflow of several runs has a report for each, in the order of
their start, and text ends with what all of them say; --scope chooses one by its stage, the name of its task in the workflow.

text is cut at 80 columns on a terminal only. markdown is for a ticket, junit for a CI server, html for a browser: one file
that needs no other and no network. json has everything; docs/reference/report.schema.json describes it.`,
		Example: `  seatrial workloadrun report my-workload
  seatrial workloadrun report my-workload -o html >report.html
  seatrial workloadrun report my-workload -o json --results-file report.json`,
		Args: exactly("NAME"),
	}
	format := reportFlag(c)
	c.Flags().StringVar(&scope, "scope", "", "only the run of this stage of the workflow, or of this scope")
	c.ValidArgsFunction = a.completesRuns(flags, false)
	completeFlag(c, "scope", a.completesFrom(flags, stagesOf))
	c.Flags().StringVar(&file, "results-file", "", "also write the JSON report to this file")
	c.RunE = a.does(func(c *cobra.Command, args []string) (Code, error) {
		if err := results(file).empty(); err != nil {
			return Misused, err
		}
		k, namespace, err := a.connect(*flags)
		if err != nil {
			return Unsure, err
		}
		s, err := readState(c.Context(), k, namespace, args[0])
		if errors.Is(err, errNoRun) {
			kept, keptErr := k.KeptReports(c.Context(), namespace, args[0])
			if keptErr != nil {
				return Unsure, keptErr
			}
			if len(kept) > 0 {
				a.note("workflow %s is gone; this is the report that it left", args[0])
				return a.publishScope(c.Flags().Changed("scope"), scope, format.value, results(file), kept)
			}
		}
		if err != nil {
			return codeOfReading(err), err
		}
		if c.Flags().Changed("scope") {
			if s.runs, err = chooseScope(s.runs, scope); err != nil {
				return Misused, err
			}
		}
		reports := s.reports()
		code, err := a.publish(format.value, results(file), reports)
		if err == nil && slices.ContainsFunc(reports, unfinished) {
			a.note("run %s is not over: the workflow is %s", args[0], s.phase())
		}
		return code, err
	})
	return c
}

// publishScope publishes reports, or the one of a scope.
func (a *app) publishScope(only bool, scope, format string, file results, reports []v1alpha1.Report) (Code, error) {
	if only {
		var have []string
		for _, r := range reports {
			have = append(have, cmp.Or(r.Stage, r.Scope))
		}
		reports = slices.DeleteFunc(reports, func(r v1alpha1.Report) bool { return r.Scope != scope && (scope == "" || r.Stage != scope) })
		if len(reports) == 0 {
			return Misused, noScope(scope, have)
		}
	}
	return a.publish(format, file, reports)
}

// codeOfReading tells a run that is not there, most often a misspelt name, from a cluster that does not answer.
func codeOfReading(err error) Code {
	if errors.Is(err, errNoRun) {
		return Misused
	}
	return Unsure
}

func chooseScope(runs []runState, scope string) ([]runState, error) {
	var have []string
	for _, r := range runs {
		if r.scope == scope || scope != "" && r.plan.Stage == scope {
			return []runState{r}, nil
		}
		have = append(have, cmp.Or(r.plan.Stage, r.scope))
	}
	if have == nil {
		return nil, fmt.Errorf("nothing is recorded of scope %q yet, nor of any other", scope)
	}
	return nil, noScope(scope, have)
}

// noScope says which stages and scopes there are instead; the only run of a workflow has neither.
func noScope(scope string, have []string) error {
	var named []string
	for _, name := range have {
		if name != "" {
			named = append(named, strconv.Quote(name))
		}
	}
	if named == nil {
		return fmt.Errorf("there is no scope %q, nor any other: the workflow is a single run, which report without --scope prints", scope)
	}
	return fmt.Errorf("there is no scope %q; there is %s", scope, strings.Join(named, ", "))
}
