// Package agent is the edge of the plugin's process: flags, listeners and signals around plugin/server and plugin/steps.
package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/version"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/probe"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
	"github.com/seed-95c1acfe/seatrial/plugin/steps"
)

const (
	// tokenFile is where Argo's agent puts the token that its calls carry (argo.md §1.7).
	tokenFile = "/var/run/argo/token"
	// drainWithin leaves a margin of a pod's grace period of 30 s.
	drainWithin = 25 * time.Second
	// lingerFor is longer than the grace period: the process goes on answering until it is killed.
	lingerFor = time.Minute
	// finishWithin bounds the clean-up of the exit handler: five minutes for pods to go, and some for the API server.
	finishWithin = 10 * time.Minute
	// heapShare of the container's memory is where the collector begins to work harder. Lists of a thousand groups' pods are little that
	// stays and much that goes: left alone, the heap grows to twice what stays, and 256 MiB were too little for 500 groups (docs/scale.md).
	heapShare = 0.8
)

// Main runs the process and returns its exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	log := logTo(stderr)
	if _, err := memlimit.Set(memlimit.WithRatio(heapShare)); err != nil {
		log.Warn("the container's memory limit is unknown", "error", err)
	}
	root := &cobra.Command{
		Use:           "seatrial-plugin",
		Short:         "Seatrial's executor plugin for Argo Workflows",
		Version:       version.Number,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(serveCommand(log), finishCommand(log))
	if err := root.ExecuteContext(ctx); err != nil {
		log.Error(err.Error())
		return 1
	}
	return 0
}

// logTo returns the process's log, in which secrets are hidden as in all else that leaves the process: an error may quote a URL, or
// what a webhook refused.
func logTo(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case string:
			a.Value = slog.StringValue(parse.Mask(v))
		case error:
			a.Value = slog.StringValue(parse.Mask(v.Error()))
		}
		return a
	}}))
}

func serveCommand(log *slog.Logger) *cobra.Command {
	var address, health string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Answer the agent's calls until SIGTERM",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			k, err := cluster.InCluster()
			if err != nil {
				return err
			}
			return serve(c.Context(), k, address, health, lingerFor, log)
		},
	}
	c.Flags().StringVar(&address, "listen", ":7243", "address for the agent's calls")
	c.Flags().StringVar(&health, "listen-health", ":7244", "address for /metrics, /healthz and /readyz")
	return c
}

func serve(ctx context.Context, k *cluster.Cluster, address, health string, linger time.Duration, log *slog.Logger) error {
	clk := clock.RealClock{}
	work := steps.New(k, &probe.Prober{Clock: clk}, clk, log)
	s := &server.Server{
		Steps:   work.ByName(),
		Version: version.Number,
		Token: func() (string, error) {
			text, err := os.ReadFile(tokenFile)
			return string(text), err
		},
		Requests: k.Requests,
		Log:      log,
	}
	calls, checks := bounded(s.Handler()), bounded(s.HealthHandler())
	forCalls, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	forChecks, err := (&net.ListenConfig{}).Listen(ctx, "tcp", health)
	if err != nil {
		return errors.Join(fmt.Errorf("listening: %w", err), forCalls.Close())
	}
	ended := make(chan error, 2)
	go func() { ended <- calls.Serve(forCalls) }()
	go func() { ended <- checks.Serve(forChecks) }()
	s.SetReady()
	log.Info("serving", "version", version.Number, "calls", address, "health", health)
	var problem error
	select {
	case <-ctx.Done():
		log.Info("draining", "within", drainWithin)
	case problem = <-ended:
		if errors.Is(problem, http.ErrServerClosed) {
			problem = nil
		}
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWithin)
	defer cancel()
	work.Close(drain)
	// Argo's agent outlives SIGTERM by its pod's whole grace period and goes on to call. It is told to call again later, since
	// a refused connection would fail the step; the agent that comes after it asks anew.
	if problem == nil {
		timer := clk.NewTimer(linger)
		select {
		case <-timer.C():
		case problem = <-ended:
		}
		timer.Stop()
	}
	s.Drain()
	return errors.Join(problem, calls.Close(), checks.Close())
}

// bounded serves a handler for clients of any kind: one that sends or reads too slowly, or says nothing more, loses its connection.
// Argo's agent gives a call up after 30 s; the plugin answers within 20 s.
func bounded(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
}

func finishCommand(log *slog.Logger) *cobra.Command {
	var owner cluster.Owner
	var folder string
	c := &cobra.Command{
		Use:   "finish",
		Short: "End every run of a workflow: no pod of it is left, and its report is complete",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			k, err := cluster.InCluster()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(c.Context(), finishWithin)
			defer cancel()
			closer := steps.Closer{Cluster: k, Clock: clock.RealClock{}, Log: log}
			return closer.Insist(ctx, func() error { return errors.Join(closer.Workflow(ctx, owner), leaveReports(ctx, k, owner, folder)) })
		},
	}
	c.Flags().StringVar(&owner.Namespace, "namespace", "", "the workflow's namespace")
	c.Flags().StringVar(&owner.Name, "workflow", "", "the workflow's name")
	c.Flags().StringVar(&owner.UID, "uid", "", "the workflow's uid")
	c.Flags().StringVar(&folder, "reports", "", "folder for the reports of runs that ask for artifacts; default: none is written")
	for _, name := range []string{"namespace", "workflow", "uid"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is defined above
		}
	}
	return c
}
