package probe

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// loopback is the nth address of a fleet within 127.0.0.0/8.
func loopback(n int) string { return fmt.Sprintf("127.7.%d.%d", n/250, 1+n%250) }

// fleet listens on n loopback addresses, on one port each, and returns them.
func fleet(t testing.TB, n int, serve script) []Target {
	targets := make([]Target, n)
	for i := range targets {
		targets[i].Address = listen(t, loopback(i)+":0", serve)
	}
	return targets
}

func TestAThousandListenersAreReadyWithBoundedConnections(t *testing.T) {
	var open, most atomic.Int32
	targets := fleet(t, 1024, func(_ int, conn net.Conn) {
		now := open.Add(1)
		defer open.Add(-1)
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
		sayAndStay(banner)(0, conn)
	})
	p := &Prober{Clock: &stepClock{}, Concurrency: 64}
	for _, r := range p.All(t.Context(), targets) {
		require.Equal(t, v1alpha1.ProbeReady, r.State, r)
		require.Equal(t, 1, r.Attempts)
	}
	// The far end sees a hang-up a little later than we have made it.
	require.LessOrEqual(t, most.Load(), int32(2*64))
}

func TestAThousandFloodsAreReadOnlyInPart(t *testing.T) {
	page := make([]byte, 64<<10)
	targets := fleet(t, 1024, func(_ int, conn net.Conn) {
		for range 16 {
			if _, err := conn.Write(page); err != nil {
				return
			}
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, stop := context.WithCancel(t.Context())
	var tried atomic.Int32
	p := &Prober{Clock: &stepClock{}, Tried: func(int, v1alpha1.ProbeResult) {
		if tried.Add(1) == 1024 {
			stop()
		}
	}}
	p.All(ctx, targets)
	runtime.ReadMemStats(&after)
	require.GreaterOrEqual(t, tried.Load(), int32(1024))
	// Each try reads 8 KiB in a buffer that grows to it, and keeps a line of reason.
	perTry := (after.TotalAlloc - before.TotalAlloc) / uint64(tried.Load())
	require.Less(t, perTry, uint64(128<<10), "bytes allocated for each MiB that is sent")
}

// fastNet is a network in a bubble: every address answers after a millisecond, but for the ones named here.
type fastNet struct {
	silent, refused func(host string) bool

	mu    sync.Mutex
	dials map[string][]time.Time
	now   func() time.Time
}

func (n *fastNet) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address)
	n.mu.Lock()
	n.dials[host] = append(n.dials[host], n.now())
	n.mu.Unlock()
	time.Sleep(time.Millisecond)
	switch {
	case n.silent != nil && n.silent(host):
		return dropped(ctx, "", "")
	case n.refused != nil && n.refused(host):
		return refuses()
	}
	return answers()
}

func thousand() []Target {
	targets := make([]Target, 1024)
	for i := range targets {
		targets[i].Address = netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}).String()
	}
	return targets
}

// Silent targets hold nobody else up, and their own first answer comes after one timeout.
func TestOnePercentSilentCostsOneTimeoutPlusASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, cancel := newBubbleClock(t)
		defer cancel()
		began := clock.Now()
		n := &fastNet{dials: map[string][]time.Time{}, now: clock.Now, silent: func(host string) bool { return netip.MustParseAddr(host).As4()[3]%100 == 50 }}
		var mu sync.Mutex
		lastReady, silent := time.Duration(0), map[int]time.Duration{}
		p := &Prober{Clock: clock, Dial: n.dial, Within: 20 * time.Second, Tried: func(i int, r v1alpha1.ProbeResult) {
			mu.Lock()
			defer mu.Unlock()
			if since := clock.Now().Sub(began); r.State == v1alpha1.ProbeReady {
				lastReady = max(lastReady, since)
			} else if _, has := silent[i]; !has {
				require.Equal(t, v1alpha1.ProbeSilent, r.State)
				silent[i] = since
			}
		}}
		p.All(t.Context(), thousand())
		require.LessOrEqual(t, clock.Now().Sub(began), 20*time.Second+time.Millisecond, "the whole is bounded by the clock")
		require.Len(t, silent, 12)
		require.Less(t, lastReady, time.Second)
		for _, since := range silent {
			require.LessOrEqual(t, since, defaultConnectTimeout+time.Second)
		}
	})
}

func TestRefusedTargetsAreAskedAgainWithoutAStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, cancel := newBubbleClock(t)
		defer cancel()
		began := clock.Now()
		n := &fastNet{dials: map[string][]time.Time{}, now: clock.Now, refused: func(string) bool { return true }}
		var seed atomic.Uint64
		p := &Prober{Clock: clock, Dial: n.dial, Within: time.Minute, Rand: func() float64 { return float64(seed.Add(1)*7919%1000) / 1000 }}
		p.All(t.Context(), thousand())
		perSecond := map[int]int{}
		for host, times := range n.dials {
			require.GreaterOrEqual(t, len(times), 60/5, host)
			require.LessOrEqual(t, len(times), 60/2, host)
			for _, at := range times {
				perSecond[int(at.Sub(began)/time.Second)]++
			}
		}
		for second, dials := range perSecond {
			if second >= 10 { // by then the tries have spread
				require.Less(t, dials, 1024/2, "in second %d", second)
			}
		}
	})
}
