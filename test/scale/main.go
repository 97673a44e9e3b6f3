// Command scale measures Seatrial on fleets of a thousand nodes and more, on the local cluster (make scale). docs/scale.md has
// what it found.
//
//  1. A stand is a namespace with Seatrial in it (stand.go).
//  2. A fleet is Node objects with GPUs and no kubelets (fleet.go).
//  3. One simulated kubelet acts for all of them: pods run and become ready, launchers end well (kubelet.go, pod.go). It serves the
//     log of each launcher to the API server (log.go), and answers as the sshd of each worker (network.go).
//  4. A sweep is one workflow over a fleet: Seatrial's, through the real Argo, Trainer, JobSet, scheduler and Job controller, and for
//     comparison one of resource templates, as it would be written by hand (sweep.go, byhand.go).
//  5. A measurement follows it to its end (follow.go, watch.go, sample.go, process.go, requests.go).
//  6. The table has the figures and the targets; a target that is missed is exit code 1 (table.go).
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// errMissed ends the program with exit code 1 once the table has said why.
var errMissed = errors.New("a target was missed")

// Main measures and returns the exit code: 0 when all targets were met.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	said := time.Now()
	say := func(format string, args ...any) {
		_, _ = fmt.Fprintf(stderr, "%6s  %s\n", time.Since(said).Round(time.Second), fmt.Sprintf(format, args...))
	}
	var w sweep
	var only []string
	var namespace string
	c := &cobra.Command{
		Use: "scale", Short: "Measure Seatrial on simulated fleets; run it by `bin/cluster exec --`", Args: cobra.NoArgs, SilenceUsage: true, SilenceErrors: true,
		RunE: func(c *cobra.Command, _ []string) error {
			sweeps := planned
			if w.nodes > 0 {
				w.name = fmt.Sprintf("nodes-%d-by-%d", w.nodes, w.size)
				sweeps = map[string]sweep{"asked": w}
				only = []string{"asked"}
			}
			return measure(c.Context(), namespace, sweeps, only, stdout, say)
		},
	}
	c.SetArgs(args)
	c.SetOut(stdout)
	c.SetErr(stderr)
	c.Flags().StringSliceVar(&only, "sweeps", []string{"pairs", "ones", "beside", "by-hand"}, "which of the published sweeps")
	c.Flags().IntVar(&w.nodes, "nodes", 0, "a sweep of this number of nodes instead")
	c.Flags().IntVar(&w.size, "size", 2, "nodes of a group")
	c.Flags().DurationVar(&w.spread, "spread", time.Minute, "time within which the jobs end")
	c.Flags().BoolVar(&w.byHand, "by-hand", false, "by resource templates instead of Seatrial")
	c.Flags().StringVar(&namespace, "namespace", "scale", "namespace to use, which is deleted at the end")
	if err := c.ExecuteContext(ctx); err != nil {
		say("%v", err)
		return 1
	}
	return 0
}

// planned are the published sweeps.
var planned = map[string]sweep{
	"pairs":   {name: "pairs", nodes: 1000, size: 2, spread: time.Minute},
	"ones":    {name: "ones", nodes: 2000, size: 1, spread: time.Minute},
	"beside":  {name: "beside", nodes: 100, size: 2, spread: time.Minute},
	"by-hand": {name: "by-hand", nodes: 100, size: 2, spread: time.Minute, byHand: true},
}

// measure plays sweeps one after the other and prints their table.
func measure(ctx context.Context, namespace string, sweeps map[string]sweep, only []string, stdout io.Writer, say func(string, ...any)) (err error) {
	root, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the repository: %w", err)
	}
	undo, err := network(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, undo()) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if err := sshd(ctx); err != nil {
			cancel(err)
		}
	}()
	s, err := newStand(ctx, root, namespace, say)
	if err != nil {
		return err
	}
	if err := remove(ctx, s.kube); err != nil { // of a program that was killed
		return err
	}
	defer func() { err = errors.Join(err, s.remove(context.WithoutCancel(ctx))) }()
	var results []result
	for _, name := range only {
		w, known := sweeps[name]
		if !known {
			return fmt.Errorf("there is no sweep %q", name)
		}
		r, err := s.run(ctx, w)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, errors.Join(err, context.Cause(ctx)))
		}
		results = append(results, r)
	}
	if missed := table(stdout, results); missed > 0 {
		return errMissed
	}
	return nil
}
