package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// completeWithin bounds what a shell waits for when somebody presses TAB.
const completeWithin = 3 * time.Second

// completion offers what may stand at a place of the command line. A cluster that does not answer has nothing to offer: a shell has no
// place for an error.
type completion = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// asking completes by what a cluster answers in time.
func (a *app) asking(c *cobra.Command, flags *cluster.Flags, offers func(context.Context, *cluster.Cluster, string) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(c.Context(), completeWithin)
	defer cancel()
	k, namespace, err := a.connect(*flags)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, err := offers(ctx, k, namespace)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completesRuns offers the names of runs, with their phase; several says that more than one may be given.
func (a *app) completesRuns(flags *cluster.Flags, several bool) completion {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && !several {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.asking(c, flags, func(ctx context.Context, k *cluster.Cluster, namespace string) ([]string, error) {
			workflows, err := k.Workflows(ctx, namespace, resolve.LabelManagedBy+"="+resolve.ManagedBy)
			var names []string
			for _, w := range workflows {
				if !slices.Contains(args, w.Name) {
					names = append(names, cobra.CompletionWithDesc(w.Name, plain.Line(state{workflow: w}.phase())))
				}
			}
			slices.Sort(names)
			return names, err
		})
	}
}

// completesFrom offers what the run that is named already has, such as its groups.
func (a *app) completesFrom(flags *cluster.Flags, parts func(state) []string) completion {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.asking(c, flags, func(ctx context.Context, k *cluster.Cluster, namespace string) ([]string, error) {
			s, err := readState(ctx, k, namespace, args[0])
			if err != nil {
				return nil, err
			}
			return parts(s), nil
		})
	}
}

func groupsOf(s state) []string {
	var names []string
	for _, r := range s.runs {
		for _, g := range r.plan.All() {
			if !slices.Contains(names, g.Name) {
				names = append(names, g.Name)
			}
		}
	}
	return names
}

// stagesOf are what --scope takes.
func stagesOf(s state) []string {
	var names []string
	for _, r := range s.reports() {
		if r.Stage != "" {
			names = append(names, r.Stage)
		}
	}
	return names
}

// flagValues are the values of flags that take one of a list and are checked together with the file.
var flagValues = map[string][]string{
	"platform": v1alpha1.Platforms, "gpu-arch": v1alpha1.GPUArchitectures, "what": {whatAll, whatWorkflow, whatObjects},
	"test-scale": {string(v1alpha1.IntraNode), string(v1alpha1.IntraRack), string(v1alpha1.FullScale)},
	"busy-nodes": {string(v1alpha1.BusyWarn), string(v1alpha1.BusyExclude)}, "profile": v1alpha1.LogProfiles,
	"cleanup": {string(v1alpha1.CleanupAlways), string(v1alpha1.CleanupOnSuccess), string(v1alpha1.CleanupNever)},
}

// completeValues gives each flag of a tree that takes one of a list its completion.
func completeValues(c *cobra.Command) {
	for _, child := range c.Commands() {
		completeValues(child)
	}
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		values := flagValues[f.Name]
		if one, is := f.Value.(*choice); is {
			values = one.values
		}
		if values != nil {
			completeFlag(c, f.Name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

func completeFlag(c *cobra.Command, flag string, what completion) {
	if err := c.RegisterFlagCompletionFunc(flag, what); err != nil {
		panic(err) // the flag is not defined, or has a completion already
	}
}
