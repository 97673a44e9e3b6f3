// Pause is the only process of a pod's sandbox: it holds the pod's namespaces until it is told to end.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A process with id 1 gets no default handlers: without this the kubelet would wait out every grace period.
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	<-end
}
