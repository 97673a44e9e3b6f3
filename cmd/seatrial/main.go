// Command seatrial runs WorkloadRuns on a GPU cluster and says which of its nodes are good; it also scores saved logs.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/seed-95c1acfe/seatrial/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the work in order; a second one ends the process.
	context.AfterFunc(ctx, stop)
	code := cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
