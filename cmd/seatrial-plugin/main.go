// Command seatrial-plugin is the executor plugin's process: `serve` in the agent's pod, `finish` in the exit handler.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/seed-95c1acfe/seatrial/internal/agent"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	code := agent.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
