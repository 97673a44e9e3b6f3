// Package cli is the command line of Seatrial: flags in, one of four exit codes out. Results go to stdout, everything
// else to stderr.
//
//  1. Main builds the tree of commands, runs one of them and turns what it says into an exit code (main.go, code.go, usage.go).
//  2. A file is loaded and checked with its flags, and becomes a Workflow (run.go, submission.go).
//  3. The cluster is asked whether it can run it at all (check.go, readiness.go).
//  4. A run's state is read from its Workflow and its record, never from Argo's phase alone (state.go), and shown: while it
//     runs (wait.go), as a report (report.go, output.go), as a line (status.go, list.go). cancel.go ends it.
//  5. The rest needs no cluster: generate.go, score.go, partition.go, probe.go, version.go.
//
// One file holds one subcommand.
package cli
