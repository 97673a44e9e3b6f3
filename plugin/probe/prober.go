package probe

import (
	"context"
	"math/rand/v2"
	"net"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

const (
	// A SYN that meets a full backlog is sent again after 1 s and 3 s (RFC 6298): 5 s lets both be answered.
	defaultConnectTimeout = 5 * time.Second
	// sshd sends its banner at once; what takes longer is most often its reverse lookup of our address.
	defaultBannerTimeout = 5 * time.Second
	defaultInterval      = time.Second
	defaultMaxInterval   = 5 * time.Second
	defaultConcurrency   = 256
)

// Clock is the time that a Prober sees.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Prober probes sshds. Only Clock must be set; any other zero value means the default that its comment gives.
// A Prober may be used by several goroutines.
type Prober struct {
	// Clock measures latencies and paces the tries.
	Clock Clock
	// Dial connects; nil means a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// ConnectTimeout bounds the connect with its name lookup (5 s), BannerTimeout the reading of the banner after it (5 s).
	ConnectTimeout, BannerTimeout time.Duration
	// Interval is the least time between the starts of two tries of one target (1 s); waits grow from there to MaxInterval (5 s).
	Interval, MaxInterval time.Duration
	// Concurrency is the most tries at one time (256).
	Concurrency int
	// Rand spreads the tries; it returns a number from 0 up to, not including, 1. Nil means math/rand/v2. Called from several goroutines.
	Rand func() float64
	// Tried, if not nil, sees the result of every try as All gets it, with the target's index. Called from several goroutines.
	Tried func(index int, result v1alpha1.ProbeResult)
}

func (p *Prober) dial(ctx context.Context, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, orDefault(p.ConnectTimeout, defaultConnectTimeout))
	defer cancel()
	if p.Dial == nil {
		return (&net.Dialer{}).DialContext(ctx, "tcp", address)
	}
	return p.Dial(ctx, "tcp", address)
}

func (p *Prober) random() float64 {
	if p.Rand == nil {
		return rand.Float64() // spreads tries in time; nothing is kept secret by it
	}
	return p.Rand()
}

func orDefault[T int | time.Duration](value, byDefault T) T {
	if value <= 0 {
		return byDefault
	}
	return value
}
