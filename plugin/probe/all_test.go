package probe

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestAllTriesUntilEachIsReady(t *testing.T) {
	late := listen(t, "127.0.0.2:0", func(n int, conn net.Conn) {
		if n < 2 {
			say("Exceeded MaxStartups\r\n")(n, conn)
			return
		}
		sayAndStay(banner)(n, conn)
	})
	atOnce := listen(t, "127.0.0.3:0", sayAndStay(banner))

	var mu sync.Mutex
	tried := map[int][]v1alpha1.ProbeState{}
	p := &Prober{Clock: &stepClock{}, Tried: func(index int, r v1alpha1.ProbeResult) {
		mu.Lock()
		defer mu.Unlock()
		require.Len(t, tried[index], r.Attempts-1)
		tried[index] = append(tried[index], r.State)
	}}
	require.Equal(t, []v1alpha1.ProbeResult{
		{Target: late, Node: "gpu-node-01", State: v1alpha1.ProbeReady, Attempts: 3},
		{Target: atOnce, Node: "gpu-node-02", State: v1alpha1.ProbeReady, Attempts: 1},
	}, p.All(t.Context(), []Target{{late, "gpu-node-01"}, {atOnce, "gpu-node-02"}}))
	require.Equal(t, map[int][]v1alpha1.ProbeState{
		0: {v1alpha1.ProbeThrottled, v1alpha1.ProbeThrottled, v1alpha1.ProbeReady}, 1: {v1alpha1.ProbeReady},
	}, tried)
}

func TestAllOfNothingIsNothing(t *testing.T) {
	require.Empty(t, (&Prober{Clock: &stepClock{}}).All(t.Context(), nil))
}

// bubbleClock is the clock of a synctest bubble, read without the wall clock: time passes only while everything waits.
type bubbleClock struct{ start context.Context }

func newBubbleClock(t *testing.T) (*bubbleClock, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	return &bubbleClock{ctx}, cancel
}

func (c *bubbleClock) Now() time.Time {
	end, _ := c.start.Deadline()
	return end.Add(-time.Until(end))
}
func (c *bubbleClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

func TestAllPacesTheTries(t *testing.T) {
	for name, tt := range map[string]struct {
		random float64
		want   []time.Duration // the pauses between starts
	}{
		"at least a second":       {0, []time.Duration{time.Second, time.Second, time.Second, time.Second}},
		"growing to five at most": {0.5, []time.Duration{1500 * time.Millisecond, 2500 * time.Millisecond, 3 * time.Second, 3 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock, cancel := newBubbleClock(t)
				defer cancel()
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				var starts []time.Time
				p := &Prober{Clock: clock, Rand: func() float64 { return tt.random }, Lookup: func(context.Context, string) ([]netip.Addr, error) {
					if starts = append(starts, clock.Now()); len(starts) == 5 {
						stop()
					}
					time.Sleep(300 * time.Millisecond) // a try's own time is part of the pause
					return nil, &net.DNSError{Err: "no such host"}
				}}
				got := p.All(ctx, []Target{{Address: "w-0"}})
				require.Equal(t, 4, got[0].Attempts, "the try that was cut off does not count")
				var pauses []time.Duration
				for i := 1; i < len(starts); i++ {
					pauses = append(pauses, starts[i].Sub(starts[i-1]))
				}
				require.Equal(t, tt.want, pauses)
			})
		})
	}
}

func TestAllKeepsTheLastWholeTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, cancel := newBubbleClock(t)
		defer cancel()
		var tries atomic.Int32
		p := &Prober{Clock: clock, Within: 3 * time.Second, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if tries.Add(1) == 1 {
				return nil, syscall.ECONNREFUSED
			}
			return dropped(ctx, network, address)
		}}
		require.Equal(t, []v1alpha1.ProbeResult{
			{Target: "10.0.0.1:22", State: v1alpha1.ProbeRefused, Attempts: 1, Reason: "connection refused: nothing listens on the port"},
		}, p.All(t.Context(), []Target{{Address: "10.0.0.1"}}))
		require.EqualValues(t, 2, tries.Load())
	})
}

func TestAllSaysWhatWasNeverTried(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := (&Prober{Clock: &stepClock{}, Dial: dropped}).All(ctx, []Target{{Address: "10.0.0.0"}, {Address: "10.0.0.1"}})
	for i, r := range got {
		require.Equal(t, v1alpha1.ProbeResult{
			Target: fmt.Sprintf("10.0.0.%d:22", i), State: v1alpha1.ProbeSilent, Reason: "not tried before the probe was stopped",
		}, r, "no try, no attempt, no evidence")
	}
}

func TestAllBoundsTheTriesAtOneTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, cancel := newBubbleClock(t)
		defer cancel()
		var now, most atomic.Int32
		p := &Prober{Clock: clock, Concurrency: 3, Dial: func(context.Context, string, string) (net.Conn, error) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(10 * time.Millisecond)
			now.Add(-1)
			near, far := net.Pipe()
			go say(banner)(0, far)
			return near, nil
		}}
		targets := make([]Target, 20)
		for i := range targets {
			targets[i].Address = fmt.Sprintf("10.0.0.%d", i)
		}
		for i, r := range p.All(t.Context(), targets) {
			require.Equal(t, v1alpha1.ProbeReady, r.State)
			require.Equal(t, targets[i].Address+":22", r.Target, "results are in the order of the targets")
		}
		require.EqualValues(t, 3, most.Load())
	})
}
