// Cluster builds and runs a real Kubernetes cluster on this machine, for Seatrial's demo and tests. See README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/build"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/pins"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// errNotHealthy ends `status` with exit code 1 and no further word: the table has said it.
var errNotHealthy = errors.New("the cluster is not healthy")

// Main runs one command and returns the exit code: 0 done, 1 failed or not healthy.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := command(stdout, stderr)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if !errors.Is(err, errNotHealthy) {
		sayTo(stderr)("cluster: %v", err)
	}
	return 1
}

func command(stdout, stderr io.Writer) *cobra.Command {
	say := sayTo(stderr)
	root := &cobra.Command{
		Use:           "cluster",
		Short:         "A real Kubernetes cluster on this machine, for Seatrial's demo and tests",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	// with prepares what every command works on.
	with := func(f func(ctx context.Context, b *build.Builder, c *cluster.Cluster, args []string) error) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, args []string) error {
			builder, err := newBuilder(say)
			if err != nil {
				return err
			}
			return f(cmd.Context(), builder, cluster.New(builder, say, os.Getenv("SEATRIAL_NO_APT") == ""), args)
		}
	}
	var want cluster.Want
	up := &cobra.Command{
		Use: "up", Short: "start the cluster, built first when it is not; a healthy one is left alone", Args: cobra.NoArgs,
		RunE: with(func(ctx context.Context, _ *build.Builder, c *cluster.Cluster, _ []string) error {
			return c.Up(ctx, want)
		}),
	}
	up.Flags().IntVar(&want.Nodes, "nodes", 3, "how many nodes: gpu-node-01, gpu-node-02, …")
	up.Flags().StringVar(&want.Provider, "provider", "", "prefix of the nodes' providerIDs, such as aws:///, which tell the platform; none by default")
	up.Flags().DurationVar(&want.Requeue, "requeue", 10*time.Second, "DEFAULT_REQUEUE_TIME of the workflow controller: what a plugin step may cost")
	exec := &cobra.Command{
		Use: "exec -- COMMAND [ARGUMENTS]", Short: "run a command inside the cluster's network, as administrator", Args: cobra.MinimumNArgs(1),
		RunE: with(func(_ context.Context, _ *build.Builder, c *cluster.Cluster, args []string) error {
			return c.Exec(args)
		}),
	}
	exec.Flags().SetInterspersed(false) // flags after COMMAND are the command's
	var share float64
	var total time.Duration
	slow := &cobra.Command{
		Use: "slow COMPONENT", Short: "let a component work only in slices for a while", Args: cobra.ExactArgs(1),
		RunE: with(func(ctx context.Context, _ *build.Builder, c *cluster.Cluster, args []string) error {
			return c.Slow(ctx, args[0], share, total)
		}),
	}
	slow.Flags().Float64Var(&share, "paused", 0.75, "the share of each slice of 2s for which it is paused")
	slow.Flags().DurationVar(&total, "for", 30*time.Second, "how long")
	// on is a command that does something to one component or node.
	on := func(use, short string, do func(ctx context.Context, c *cluster.Cluster, name string) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: cobra.ExactArgs(1),
			RunE: with(func(ctx context.Context, _ *build.Builder, c *cluster.Cluster, args []string) error {
				return do(ctx, c, args[0])
			}),
		}
	}
	root.AddCommand(
		on("stop COMPONENT", "end a component of `status`, and nothing else", func(_ context.Context, c *cluster.Cluster, name string) error { return c.Stop(name) }),
		on("start COMPONENT", "start a component that was stopped", func(ctx context.Context, c *cluster.Cluster, name string) error { return c.Start(ctx, name) }),
		on("pause COMPONENT", "halt a component where it is (SIGSTOP)", func(_ context.Context, c *cluster.Cluster, name string) error { return c.Pause(name) }),
		on("resume COMPONENT", "let a paused component, or a lost node's kubelet, go on", func(_ context.Context, c *cluster.Cluster, name string) error { return c.Resume(name) }),
		on("lose NODE", "pause a node's kubelet and kill its containers", func(_ context.Context, c *cluster.Cluster, name string) error { return c.Lose(name) }),
		slow,
		&cobra.Command{
			Use: "build", Short: "build everything into the cache", Args: cobra.NoArgs,
			RunE: with(func(ctx context.Context, b *build.Builder, _ *cluster.Cluster, _ []string) error {
				if err := b.Build(ctx); err != nil {
					return err
				}
				_, err := fmt.Fprintln(stdout, b.Folder())
				return err
			}),
		},
		up,
		&cobra.Command{
			Use: "down", Short: "remove everything that up made", Args: cobra.NoArgs,
			RunE: with(func(ctx context.Context, _ *build.Builder, c *cluster.Cluster, _ []string) error { return c.Down(ctx) }),
		},
		&cobra.Command{
			Use: "status", Short: "show components, nodes and versions; exit code 1 when not all is well", Args: cobra.NoArgs,
			RunE: with(func(ctx context.Context, _ *build.Builder, c *cluster.Cluster, _ []string) error {
				report, err := c.Status(ctx)
				if err != nil {
					return err
				}
				if err := report.Print(stdout); err != nil {
					return err
				}
				if !report.Healthy() {
					return errNotHealthy
				}
				return nil
			}),
		},
		exec,
		&cobra.Command{
			Use: "load ARCHIVE.tar", Short: "import an image archive into every node", Args: cobra.ExactArgs(1),
			RunE: with(func(ctx context.Context, _ *build.Builder, c *cluster.Cluster, args []string) error {
				return c.Load(ctx, args[0])
			}),
		},
		&cobra.Command{
			Use: "logs COMPONENT", Short: "print the log of a component", Args: cobra.ExactArgs(1),
			RunE: with(func(_ context.Context, _ *build.Builder, c *cluster.Cluster, args []string) error {
				return c.Logs(args[0], stdout)
			}),
		},
	)
	return root
}

func newBuilder(say build.Say) (*build.Builder, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("finding the pinned versions: %w", err)
	}
	modules, err := pins.Find(here)
	if err != nil {
		return nil, err
	}
	root, err := build.CacheRoot(os.Getenv)
	if err != nil {
		return nil, err
	}
	return build.New(modules, root, say)
}

// sayTo writes progress as lines. Nothing can be done about progress that cannot be shown.
func sayTo(out io.Writer) build.Say {
	return func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
}
