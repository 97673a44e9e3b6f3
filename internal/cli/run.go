package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
)

// defaultWait is the time that the Cluster Readiness Engine's command line waits (nvcre-workloadrun.md §10).
const defaultWait = 30 * time.Minute

// runOptions are the flags of run beside those that change what is submitted.
type runOptions struct {
	wait    bool
	timeout time.Duration
	format  *choice
	results results
}

func (a *app) runCommand(flags *cluster.Flags) *cobra.Command {
	var (
		f        runFlags
		o        runOptions
		nodeList string
		file     string
	)
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a WorkloadRun",
		Long: `Check a WorkloadRun and the cluster, then submit an Argo Workflow of the run's name. Nothing is created when either
is not in order. FILE may be - for stdin.

With --wait it shows the progress on stderr, as a line that moves on a terminal and as plain lines elsewhere, and prints the
report; the exit code is the verdict's: 0 pass, 1 fail, 3 unknown. When --timeout passes, the report so far is printed; then,
and when the command is interrupted, the run goes on, and the exit code is 3.`,
		Example: `  seatrial workloadrun run my-workload.yaml --wait
  seatrial workloadrun run my-workload.yaml --name again --node-list gpu-node-01,gpu-node-02`,
		Args: exactly("FILE"),
	}
	o.format = reportFlag(c)
	v := c.Flags()
	v.BoolVar(&o.wait, "wait", false, "wait for the end and print the report")
	v.DurationVar(&o.timeout, "timeout", defaultWait, "how long --wait waits; the run goes on after it")
	v.StringVar(&file, "results-file", "", "with --wait: also write the JSON report to this file")
	v.StringVar(&f.name, "name", "", "name of the workflow; default: the run's")
	v.StringVar(&nodeList, "node-list", "", "only these nodes, with commas between them; groups get no larger than the list")
	v.StringVar(&f.topologyDomain, "topology-domain", "", "only the nodes of this topology domain, as one group")
	v.StringVar(&f.topologyKey, "topology-key", "", "label whose value is a node's topology domain; default: the file's, or the platform's")
	v.StringVar(&f.testScale, "test-scale", "", "intra-node: groups of one node; intra-rack: one group a topology domain; full-scale: groups of numNodes")
	registryFlags(v, &f.registry)
	v.StringVar(&f.image, "image", "", "image instead of the file's")
	v.StringVar(&f.cleanup, "cleanup", "", "when a finished group's objects are deleted: always (default), onSuccess, never")
	v.StringVar(&f.retryFailedGroups, "retry-failed-groups", "", "how often a group that did not pass runs again; default 0")
	v.StringVar(&f.probeWarnAfter, "probe-warn-after", "", "when a worker whose sshd does not answer is named; default 20m")
	v.StringVar(&f.maxNodes, "max-nodes", "", "refuse the run when it would take more nodes than this")
	v.StringVar(&f.maxDuration, "max-duration", "", "time that the whole run may take, such as 2h; after it nothing begins, and what still runs ends unknown")
	v.StringVar(&f.busyNodes, "busy-nodes", "", "what becomes of nodes whose GPUs are in use by other pods: warn (default), exclude")
	v.BoolVar(&f.isolate, "isolate", false, "after the groups, find the nodes behind the failed ones in up to 12 rounds of further groups")
	v.BoolVar(&f.artifacts, "artifacts", false, "let Argo keep report.html, report.json and junit.xml in its artifact repository")
	v.BoolVar(&f.keepReport, "keep-report", false, "leave the final report in a ConfigMap when the workflow is deleted")
	c.RunE = a.does(func(c *cobra.Command, args []string) (Code, error) {
		if v.Changed("node-list") {
			f.nodes = strings.Split(strings.ReplaceAll(nodeList, " ", ""), ",")
		}
		o.results = results(file)
		switch {
		case o.wait && o.timeout < time.Second:
			f.others = append(f.others, v1alpha1.Problem{Path: "--timeout", Text: fmt.Sprintf("is %s; at least 1s would do", o.timeout)})
		case !o.wait && file != "":
			f.others = append(f.others, v1alpha1.Problem{Path: "--results-file", Text: "needs --wait; with it, or without the file, would do"})
		}
		return a.run(c.Context(), args[0], *flags, f, o)
	})
	return c
}

// run calls every stage in order. Up to the last one nothing is created.
func (a *app) run(ctx context.Context, file string, flags cluster.Flags, f runFlags, o runOptions) (Code, error) {
	// 1. The file and the flags.
	s, _, code, err := a.open(ctx, file, flags, f)
	if err != nil {
		return code, err
	}
	if err := o.results.empty(); err != nil {
		return Misused, err
	}
	// 2. The cluster, and the namespace: -n, else the file's, else the kubeconfig's.
	k, namespace, err := a.connect(flags)
	if err != nil {
		return Unsure, err
	}
	if s.namespace == "" {
		s.namespace = namespace
	}
	flags.Namespace = s.namespace // for the hints below
	if err := s.inDomain(ctx, k); err != nil {
		return Unsure, err
	}
	// 3. Is the name free, and can the cluster run it?
	if err := free(ctx, k, s); err != nil {
		return codeOfName(err), err
	}
	if ready, err := a.ready(ctx, k, s); err != nil || !ready {
		return Unsure, err
	}
	// 4. Submit it.
	w, err := a.submit(ctx, k, s)
	if apierrors.IsAlreadyExists(err) {
		err = exists(s, "made just now")
	}
	if err != nil {
		return codeOfName(err), err
	}
	a.note("workflow %s/%s created", w.Namespace, w.Name)
	if !o.wait {
		a.hints(flags, w.Name, "status", "report")
		return Passed, nil
	}
	// 5. Follow it.
	return a.follow(ctx, k, w, flags, o)
}

// errExists says that the workflow's name is taken.
var errExists = errors.New("exists")

func free(ctx context.Context, k *cluster.Cluster, s *submission) error {
	w, err := k.Workflow(ctx, s.namespace, s.name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return exists(s, state{workflow: w}.phase())
}

func exists(s *submission, phase string) error {
	return fmt.Errorf("workflow %s %w in namespace %s (%s); choose another --name, or delete it with `seatrial workloadrun cancel --delete -n %s %s`",
		s.name, errExists, s.namespace, phase, s.namespace, s.name)
}

// codeOfName is the exit code of what stands against a workflow's name, or against what the file says of its labels.
func codeOfName(err error) Code {
	if errors.Is(err, errExists) || errors.Is(err, cluster.ErrNotOurs) || apierrors.IsInvalid(err) {
		return Misused
	}
	return Unsure
}

// ready asks what `seatrial check` asks for this run's framework, and says what is missing.
func (a *app) ready(ctx context.Context, k *cluster.Cluster, s *submission) (bool, error) {
	findings, err := inspect(ctx, k, s.namespace, []string{s.framework})
	if err != nil {
		return false, err
	}
	ready := true
	for _, f := range findings {
		if f.state == missing {
			ready = false
			a.note("%s", f)
		}
	}
	if !ready {
		a.note("seatrial: the cluster is not ready for this run; nothing was created")
	}
	return ready, nil
}

// hints says how to go on with a run, by commands that can be copied.
func (a *app) hints(flags cluster.Flags, name string, verbs ...string) {
	var where strings.Builder
	for _, f := range [][2]string{{"--kubeconfig", flags.Kubeconfig}, {"--context", flags.Context}, {"-n", flags.Namespace}} {
		if f[1] != "" {
			where.WriteString(" " + f[0] + " " + f[1])
		}
	}
	for _, verb := range verbs {
		a.note("  seatrial workloadrun %s%s %s", verb, where.String(), name)
	}
}
