package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

const (
	// waitingEvery is how often a probe that goes on says on stderr whom it waits for: one host that is silent costs the whole time,
	// and whoever waits wants its name before that.
	waitingEvery = 3 * time.Second
	// waitingNames is how many of them are named.
	waitingNames = 3
)

// waiting is what is known of the hosts that have not answered yet.
type waiting struct {
	mu   sync.Mutex
	all  int
	last map[int]v1alpha1.ProbeResult
}

func newWaiting(all int) *waiting { return &waiting{all: all, last: map[int]v1alpha1.ProbeResult{}} }

// tried notes a try of a host.
func (w *waiting) tried(index int, r v1alpha1.ProbeResult) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last[index] = r
}

// text names the first hosts that are not ready, with what the last try saw; "" when every host is ready.
func (w *waiting) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ready := 0
	var late []string
	for _, i := range slices.Sorted(maps.Keys(w.last)) {
		if r := w.last[i]; r.State == v1alpha1.ProbeReady {
			ready++
		} else {
			late = append(late, plain.Line(fmt.Sprintf("%s %s (%s)", r.Target, r.State, r.Reason)))
		}
	}
	if ready == w.all {
		return ""
	}
	text := fmt.Sprintf("%d of %d ready", ready, w.all)
	if len(late) > waitingNames {
		late = append(late[:waitingNames], fmt.Sprintf("%d more", len(late)-waitingNames))
	}
	if len(late) > 0 {
		text += "; waiting for " + strings.Join(late, ", ")
	}
	return text
}

// sayWaiting says it now and then until ctx ends.
func (a *app) sayWaiting(ctx context.Context, w *waiting) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.clock.After(waitingEvery):
			if text := w.text(); text != "" {
				a.note("%s", text)
			}
		}
	}
}
