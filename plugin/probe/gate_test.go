package probe

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Whatever names and ports a target is listed under, and whoever asks: it is connected to once a second at most.
func TestOneConnectionASecondToATarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, cancel := newBubbleClock(t)
		defer cancel()
		var mu sync.Mutex
		dialled := map[string][]time.Time{}
		p := &Prober{Clock: clock, Interval: time.Millisecond, Lookup: names(map[string][]string{"a": {four}, "b": {four}, "c": {"10.0.0.2"}}), Within: 10 * time.Second}
		p.Dial = func(_ context.Context, _, address string) (net.Conn, error) {
			mu.Lock()
			defer mu.Unlock()
			dialled[address] = append(dialled[address], clock.Now())
			return refuses()
		}
		var all sync.WaitGroup
		for range 3 { // as three groups that share a node would
			all.Go(func() {
				p.All(t.Context(), []Target{{Address: "a"}, {Address: "a:22"}, {Address: "b"}, {Address: "c"}})
			})
		}
		all.Wait()
		require.Len(t, dialled, 2)
		for address, times := range dialled {
			require.Greater(t, len(times), 5, address)
			for i := 1; i < len(times); i++ {
				require.GreaterOrEqual(t, times[i].Sub(times[i-1]), time.Second, address)
			}
		}
	})
}

func TestGateForgetsWhatIsPast(t *testing.T) {
	var g gate
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	for i := range 100_000 {
		now = now.Add(10 * time.Millisecond)
		require.Zero(t, g.reserve(now, netip.MustParseAddrPort(fmt.Sprintf("10.%d.%d.%d:22", i>>16, i>>8&255, i&255))))
	}
	require.Less(t, len(g.next), 2048, "100 of them are of the last second")
}

func TestAwaitTurnEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, cancel := newBubbleClock(t)
		defer cancel()
		p := &Prober{Clock: clock}
		address := netip.MustParseAddrPort("10.0.0.1:22")
		require.NoError(t, p.awaitTurn(t.Context(), address))
		ctx, stop := context.WithCancel(t.Context())
		stop()
		require.ErrorIs(t, p.awaitTurn(ctx, address), context.Canceled)
	})
}

// A step asks a thousand workers by Once: the bound holds for them too, and who gets no place says nothing of its target.
func TestPlacesBoundWhoeverAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, cancel := newBubbleClock(t)
		defer cancel()
		var now, most atomic.Int32
		p := &Prober{Clock: clock, Concurrency: 3, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			return dropped(ctx, "", "")
		}}
		ctx, stop := context.WithTimeout(t.Context(), 11*time.Second) // two rounds of 5 s, and a part of a third
		defer stop()
		var asked atomic.Int32
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if r := p.Once(ctx, fmt.Sprintf("10.0.0.%d", i)); r.Attempts > 0 {
					asked.Add(1)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 3, most.Load())
		require.EqualValues(t, 6, asked.Load())
	})
}
