package host

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

const (
	// watchesFile holds how many inotify instances the processes of one user may have; 128 on most machines.
	watchesFile = "/proc/sys/fs/inotify/max_user_instances"
	// enoughWatches serves several nodes that share one kernel and one user: a kubelet takes about ten of its own, and one for each
	// container log that is followed. When there is none left it ends the following of logs in the middle.
	enoughWatches = 1024
)

// RaiseWatches lifts the machine's limit of inotify instances to what several nodes need, and leaves a higher one alone. It says
// whether it changed it; the limit stays when the cluster is gone.
func RaiseWatches() (raised bool, err error) { return raiseWatches(watchesFile) }

func raiseWatches(file string) (bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return false, fmt.Errorf("reading the limit of inotify instances: %w", err)
	}
	limit, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return false, fmt.Errorf("reading the limit of inotify instances: %w", err)
	}
	if limit >= enoughWatches {
		return false, nil
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(enoughWatches)), 0); err != nil {
		return false, fmt.Errorf("raising the limit of inotify instances from %d to %d: %w; sysctl -w fs.inotify.max_user_instances=%d on the host would do", limit, enoughWatches, err, enoughWatches)
	}
	return true, nil
}
