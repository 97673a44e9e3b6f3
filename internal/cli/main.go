package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/plugin/probe"
)

// app is what all commands share: where they read and write, the time, and how to reach a cluster.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	clock          probe.Clock
	connect        func(cluster.Flags) (*cluster.Cluster, string, error)
	// terminal says whether a stream is one.
	terminal func(io.Writer) bool

	// began says that a command's own work has begun, so that an error is not one of the command line; code is its exit code.
	began bool
	code  Code
}

// Main runs one command and returns the process's exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, clock: clock.RealClock{}, connect: cluster.FromFlags, terminal: isTerminal}
	return int(a.main(ctx, args))
}

func (a *app) main(ctx context.Context, args []string) Code {
	help := &written{to: a.stdout}
	ran, err := a.root(args, help).ExecuteContextC(ctx)
	if err != nil {
		a.complain(ran, err)
	} else if help.err != nil { // cobra says nothing of a help that it could not write
		a.complain(ran, fmt.Errorf("writing the result: %w", help.err))
		return worse(a.code, Unsure)
	}
	switch {
	case a.began:
		return a.code
	case err != nil: // cobra refused the flags, the arguments or the command
		return Misused
	}
	return Passed // help or completion
}

// root builds the tree of commands. Help is what cobra writes.
func (a *app) root(args []string, help io.Writer) *cobra.Command {
	root := a.group(&cobra.Command{
		Use:   "seatrial",
		Short: "Sea trials for GPU clusters, on Argo Workflows",
		Long: `Seatrial runs real distributed jobs on groups of a cluster's nodes and says which nodes are good,
which are not and why. It runs a WorkloadRun, the file format of the Cluster Readiness Engine, as an Argo Workflow.

Results go to stdout, everything else to stderr. The exit code is 0 when all passed or the work is done, 1 for a verdict
of fail, 2 when the command line or an input file is wrong, and 3 when it could not be told.`,
		Example: `  seatrial demo
  seatrial check
  seatrial workloadrun run my-workload.yaml --wait`,
		SilenceUsage:  true,
		SilenceErrors: true,
	},
		a.demoCommand(), a.workloadRunCommand(), a.generateCommand(), a.scoreCommand(), a.partitionCommand(),
		a.probeCommand(), a.explainCommand(), a.checkCommand(), a.versionCommand())
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(help)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return misuse(err) })
	a.adoptCompletion(root)
	completeValues(root)
	root.SetHelpCommand(a.helpCommand())
	return root
}

// action is the work of a command. An error without a code of its own leaves it at Unsure: what went wrong outside the
// command line says nothing about a node.
type action func(c *cobra.Command, args []string) (Code, error)

// does lets a command do its work and keeps the exit code.
func (a *app) does(work action) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		a.began = true
		code, err := work(c, args)
		var wrong misuseError
		switch {
		case errors.As(err, &wrong):
			code = Misused
		case err != nil && code == Passed:
			code = Unsure
		}
		a.code = code
		return err
	}
}

// complain says what was wrong. What is wrong with a file is one line each, with its position and nothing else.
func (a *app) complain(c *cobra.Command, err error) {
	var problems v1alpha1.Problems
	var wrong misuseError
	switch {
	case errors.As(err, &problems):
		a.note("%v", err)
	case errors.As(err, &wrong) || !a.began:
		a.note("seatrial: %v (see `%s --help`)", err, c.CommandPath())
	default:
		a.note("seatrial: %v", err)
	}
}

// note writes one line to stderr. Nothing can be done when even that fails.
func (a *app) note(format string, args ...any) {
	_, _ = fmt.Fprintf(a.stderr, format+"\n", args...)
}

// written remembers that something could not be written.
type written struct {
	to  io.Writer
	err error
}

// Write writes to what is below.
func (w *written) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}
