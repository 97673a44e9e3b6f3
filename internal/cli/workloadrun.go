package cli

import "github.com/spf13/cobra"

func (a *app) workloadRunCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "workloadrun",
		Aliases: []string{"wr"},
		Short:   "Run WorkloadRuns and read their reports",
		Long: `Run a WorkloadRun on a cluster as an Argo Workflow, follow it, and read what it says about the nodes.
A run has the name of its workflow.`,
		Example: `  seatrial workloadrun run my-workload.yaml --wait
  seatrial wr report my-workload -o json`,
	}
	flags := clusterFlags(c)
	return a.group(c, a.runCommand(flags), a.reportCommand(flags), a.statusCommand(flags), a.listCommand(flags), a.logsCommand(flags), a.cancelCommand(flags))
}
