package probe

import (
	"fmt"
	"net"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// wallClock is the machine's.
type wallClock struct{}

func (wallClock) Now() time.Time                         { return time.Now() }
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

func BenchmarkAll(b *testing.B) {
	for _, n := range []int{16, 128, 1024} {
		b.Run(fmt.Sprintf("listeners=%d", n), func(b *testing.B) {
			targets := fleet(b, n, sayAndStay(banner))
			b.ReportAllocs()
			for b.Loop() {
				for _, r := range (&Prober{Clock: wallClock{}}).All(b.Context(), targets) {
					if r.State != v1alpha1.ProbeReady {
						b.Fatal(r)
					}
				}
			}
			b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
		})
	}
}

// Listeners that never hang up on their side, as one whose process is stopped after its banner.
func BenchmarkAll1024ListenersThatStay(b *testing.B) {
	release := make(chan struct{})
	targets := fleet(b, 1024, func(_ int, conn net.Conn) {
		say(banner)(0, conn)
		<-release
	})
	b.Cleanup(func() { close(release) })
	for b.Loop() {
		for _, r := range (&Prober{Clock: wallClock{}}).All(b.Context(), targets) {
			if r.State != v1alpha1.ProbeReady {
				b.Fatal(r)
			}
		}
	}
}

// One in a hundred drops every SYN: one timeout (5 s), and what the others take.
func BenchmarkAll1024With1PercentSilent(b *testing.B) {
	targets := fleet(b, 1013, sayAndStay(banner))
	for i := range 11 {
		targets = append(targets, Target{Address: deaf(b, loopback(1100+i))})
	}
	for b.Loop() {
		silent := 0
		p := &Prober{Clock: wallClock{}, Within: defaultConnectTimeout + 500*time.Millisecond}
		for _, r := range p.All(b.Context(), targets) {
			if r.State == v1alpha1.ProbeSilent && r.Attempts > 0 {
				silent++
			} else if r.State != v1alpha1.ProbeReady {
				b.Fatal(r)
			}
		}
		if silent != 11 {
			b.Fatal(silent)
		}
	}
}

// deaf returns an address that drops every SYN: the queue of a listener that never accepts is full.
func deaf(t testing.TB, host string) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte(net.ParseIP(host).To4())}))
	require.NoError(t, syscall.Listen(fd, 0))
	name, err := syscall.Getsockname(fd)
	require.NoError(t, err)
	port := name.(*syscall.SockaddrInet4).Port //nolint:errcheck,forcetypeassert // it was bound as one
	address := net.JoinHostPort(host, strconv.Itoa(port))
	for range 4 {
		conn, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	require.Fail(t, "the queue is never full")
	return ""
}

func TestADeafListenerIsSilent(t *testing.T) {
	target := deaf(t, "127.0.0.1")
	got := (&Prober{Clock: &stepClock{}, ConnectTimeout: 300 * time.Millisecond}).Once(t.Context(), target)
	require.Equal(t, v1alpha1.ProbeResult{Target: target, State: v1alpha1.ProbeSilent, Attempts: 1, Reason: "no answer to the connect"}, got)
}

// A half-open connection: the kernel has taken it, and no process ever will.
func TestAConnectionThatNobodyAcceptsIsNoBanner(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close() //nolint:errcheck // nothing was written
	got := (&Prober{Clock: &stepClock{}, BannerTimeout: 100 * time.Millisecond}).Once(t.Context(), listener.Addr().String())
	require.Equal(t, v1alpha1.ProbeNoBanner, got.State)
	require.Equal(t, "connected, then no SSH banner in time", got.Reason)
}
