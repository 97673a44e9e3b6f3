package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// labelRole is where JobSet says what a pod is: launcher or node.
const labelRole = "jobset.sigs.k8s.io/replicatedjob-name"

// roleLauncher is the role whose log is the job's, where there is one.
const roleLauncher = "launcher"

func (a *app) logsCommand(flags *cluster.Flags) *cobra.Command {
	var want wanted
	c := &cobra.Command{
		Use:   "logs NAME",
		Short: "Print the logs of a run's jobs",
		Long: `Print what the jobs of a run have written so far: the launcher of an MPI job, each node of another. Pods that are
gone have left the end of their log in the record, for a group that did not pass. A run of one job is printed as it is;
of several each begins with a line that names the stage of a workflow of several runs, the group and the pod.

The workers of an MPI job write only what their sshd says of logins: what the ranks print comes from the launcher, which
begins when the workers are ready. With --all-pods the workers' logs are printed too.`,
		Example: `  seatrial workloadrun logs my-workload --group group-3
  seatrial workloadrun logs my-workload --group group-3 --all-pods`,
		Args: exactly("NAME"),
	}
	c.ValidArgsFunction = a.completesRuns(flags, false)
	c.Flags().StringVar(&want.group, "group", "", "only this group; default: all")
	c.Flags().BoolVar(&want.allPods, "all-pods", false, "the workers of MPI jobs too")
	completeFlag(c, "group", a.completesFrom(flags, groupsOf))
	c.RunE = a.does(func(c *cobra.Command, args []string) (Code, error) {
		k, namespace, err := a.connect(*flags)
		if err != nil {
			return Unsure, err
		}
		s, err := readState(c.Context(), k, namespace, args[0])
		if err != nil {
			return codeOfReading(err), err
		}
		if groups := groupsOf(s); want.group != "" && len(groups) > 0 && !slices.Contains(groups, want.group) {
			return Misused, fmt.Errorf("run %s has no group %q; it has %s", args[0], want.group, strings.Join(groups, ", "))
		}
		logs, workers, err := logsOf(c.Context(), k, s, want)
		if err != nil {
			return Unsure, err
		}
		if len(logs) == 0 && workers > 0 {
			return Unsure, fmt.Errorf("no launcher of run %s has a log: none has started, or all are gone and passed; --all-pods prints the logs of %s", args[0], english.Plural(workers, "worker", ""))
		}
		if len(logs) == 0 {
			return Unsure, fmt.Errorf("no job of run %s has a log: none has started, or all are gone and passed", args[0])
		}
		return a.printLogs(c.Context(), k, namespace, logs)
	})
	return c
}

// wanted is which logs of a run to print.
type wanted struct {
	// group is empty for all.
	group string
	// allPods: the workers of MPI jobs too.
	allPods bool
}

// groupLog is one container's log, or what the record kept of it.
type groupLog struct {
	// run is the place of the group's run among those of the workflow.
	run int
	// group has the stage before it where the workflow has several.
	group, pod string
	// kept is the end of a log whose pod is gone.
	kept string
}

// logsOf finds the logs of a run's groups, sorted by stage, group and pod. workers counts those of MPI jobs that nobody asked for.
func logsOf(ctx context.Context, k *cluster.Cluster, s state, want wanted) (logs []groupLog, workers int, err error) {
	selector := resolve.LabelWorkflow + "=" + s.workflow.Name
	if want.group != "" {
		selector += "," + resolve.LabelGroup + "=" + want.group
	}
	pods, err := k.Pods(ctx, s.workflow.Namespace, selector)
	if err != nil {
		return nil, 0, err
	}
	// Each stage of a workflow has a group-0 of its own.
	type place struct{ scope, group string }
	placeOf := func(p corev1.Pod) place { return place{p.Labels[resolve.LabelScope], p.Labels[resolve.LabelGroup]} }
	launched := map[place]bool{}
	for _, p := range pods {
		if p.Labels[labelRole] == roleLauncher {
			launched[placeOf(p)] = true
		}
	}
	seen := map[place]bool{}
	reports := s.reports()
	for _, p := range pods {
		at := placeOf(p)
		if !started(&p) {
			continue
		}
		run := runOf(reports, at.scope)
		// JobSet makes the launcher only once the workers are ready, so that the pods alone do not tell an MPI job.
		worker := p.Labels[labelRole] != roleLauncher && (launched[at] || run >= 0 && reports[run].Framework == v1alpha1.FrameworkMPI)
		if worker && !want.allPods {
			workers++
			continue
		}
		seen[at] = seen[at] || !worker
		logs = append(logs, groupLog{run: run, group: at.group, pod: p.Name})
	}
	for i, r := range reports {
		for _, g := range r.Groups {
			if kept := g.FailureLog; kept != nil && !seen[place{r.Scope, g.Name}] && (want.group == "" || want.group == g.Name) {
				logs = append(logs, groupLog{run: i, group: g.Name, pod: kept.Pod, kept: kept.Tail})
			}
		}
	}
	slices.SortFunc(logs, func(a, b groupLog) int {
		return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.group, b.group), cmp.Compare(a.pod, b.pod))
	})
	for i := range logs {
		if r := logs[i].run; r >= 0 && reports[r].Stage != "" {
			logs[i].group = reports[r].Stage + " " + logs[i].group
		}
	}
	return logs, workers, nil
}

// runOf is the place of a scope's run among the reports; -1 for one that has none yet.
func runOf(reports []v1alpha1.Report, scope string) int {
	return slices.IndexFunc(reports, func(r v1alpha1.Report) bool { return r.Scope == scope })
}

// started says whether the workload container has written, or may have.
func started(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool {
		return s.Name == v1alpha1.ContainerNode && (s.State.Running != nil || s.State.Terminated != nil)
	})
}

func (a *app) printLogs(ctx context.Context, k *cluster.Cluster, namespace string, logs []groupLog) (Code, error) {
	out := bufio.NewWriter(a.stdout)
	var problems []error
	for i, l := range logs {
		if len(logs) > 1 {
			_, _ = fmt.Fprintf(out, "%s==> %s %s <==\n", strings.Repeat("\n", min(i, 1)), plain.Line(l.group), plain.Line(l.pod)) // Flush returns what goes wrong
		}
		if err := l.print(ctx, k, namespace, out); err != nil {
			problems = append(problems, err)
		}
	}
	if err := out.Flush(); err != nil {
		problems = append(problems, fmt.Errorf("writing the logs: %w", err))
	}
	if len(problems) > 0 {
		return Unsure, errors.Join(problems...)
	}
	return Passed, nil
}

// print writes a log line by line, without escape codes: what a job writes must not reach the terminal's state.
func (l groupLog) print(ctx context.Context, k *cluster.Cluster, namespace string, out io.Writer) error {
	text := io.NopCloser(strings.NewReader(l.kept))
	if l.kept == "" {
		var err error
		if text, err = k.Log(ctx, namespace, l.pod, cluster.LogOptions{Container: v1alpha1.ContainerNode}); err != nil {
			return err
		}
	}
	defer func() { _ = text.Close() }() // it was only read
	lines := bufio.NewReader(text)
	for {
		line, more, err := lines.ReadLine() // a long line comes in pieces
		if err == nil {
			end := "\n"
			if more {
				end = ""
			}
			_, _ = io.WriteString(out, plain.Indented(string(line))+end)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading the log of %s: %w", l.pod, err)
		}
	}
}
