package probe

import (
	"context"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

const (
	// A SYN that meets a full backlog is sent again after 1 s and 3 s (RFC 6298): 5 s lets both be answered.
	defaultConnectTimeout = 5 * time.Second
	// sshd sends its banner at once; what takes longer is most often its reverse lookup of our address.
	defaultBannerTimeout = 5 * time.Second
	// A login forks twice and may wait for PAM; 10 s is what the published wait gives each ssh.
	defaultLoginTimeout = 10 * time.Second
	defaultInterval     = time.Second
	defaultMaxInterval  = 5 * time.Second
	defaultConcurrency  = 256
)

// Clock is the time that a Prober sees.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Prober probes sshds. Only Clock must be set; any other zero value means the default that its comment gives.
// A Prober may be used by several goroutines; used for everything that one machine asks, it connects to no sshd more than once a second.
type Prober struct {
	// Clock measures latencies and paces the tries.
	Clock Clock
	// Lookup returns the addresses of a name, of both families, best first, and is asked anew for each try; nil means the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an IP address with a port; nil means a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// ConnectTimeout bounds the lookup, and then the connects to all addresses together (5 s each).
	ConnectTimeout time.Duration
	// BannerTimeout bounds the reading of the banner (5 s), LoginTimeout the login with Key and the command after it (10 s).
	BannerTimeout, LoginTimeout time.Duration
	// Within bounds All from its start; 0 leaves that to its context.
	Within time.Duration
	// Interval is the least time between the starts of two tries of one target (1 s); waits grow from there to MaxInterval (5 s).
	Interval, MaxInterval time.Duration
	// Concurrency is the most tries at one time (256), and so the most open connections, whoever calls.
	Concurrency int
	// Key, if not nil, logs in as User (root) and runs `true`: only then is a target ready. Host keys are not checked, as mpirun does not.
	Key  ssh.Signer
	User string
	// Self is the name of the machine that asks. Where that name is a target and does not resolve, the state is dns-self; "" means none.
	Self string
	// Rand spreads the tries; it returns a number from 0 up to, not including, 1. Nil means math/rand/v2. Called from several goroutines.
	Rand func() float64
	// Tried, if not nil, sees the result of every try as All gets it, with the target's index. Called from several goroutines.
	Tried func(index int, result v1alpha1.ProbeResult)

	gate   gate
	places sync.Once
	slots  chan struct{}
}

func (p *Prober) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	ctx, cancel := context.WithTimeout(ctx, orDefault(p.ConnectTimeout, defaultConnectTimeout))
	defer cancel()
	if p.Lookup == nil {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	return p.Lookup(ctx, host)
}

func (p *Prober) dial(ctx context.Context, address string) (net.Conn, error) {
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
