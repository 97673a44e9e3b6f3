package probe

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// names is a name server that knows these.
func names(known map[string][]string) func(context.Context, string) ([]netip.Addr, error) {
	return func(_ context.Context, host string) ([]netip.Addr, error) {
		texts, has := known[host]
		if !has {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		var addresses []netip.Addr
		for _, text := range texts {
			addresses = append(addresses, netip.MustParseAddr(text))
		}
		return addresses, nil
	}
}

// network is a dialler for which each address does as its script says; one that is missing drops every packet.
type network map[string]func() (net.Conn, error)

func (n network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address)
	if does, has := n[host]; has {
		return does()
	}
	return dropped(ctx, "", "")
}

func answers() (net.Conn, error) {
	near, far := net.Pipe()
	go sayAndStay(banner)(0, far)
	return near, nil
}

func refuses() (net.Conn, error) { return nil, syscall.ECONNREFUSED }

const four, six = "10.0.0.1", "fd00::1"

func TestConnectTriesBothFamilies(t *testing.T) {
	both := map[string][]string{"w-0": {six, four}}
	for name, tt := range map[string]struct {
		known  map[string][]string
		net    network
		state  v1alpha1.ProbeState
		reason string
		takes  time.Duration
	}{
		"the first that answers":        {both, network{six: answers}, v1alpha1.ProbeReady, "", 0},
		"IPv6 only":                     {map[string][]string{"w-0": {six}}, network{six: answers}, v1alpha1.ProbeReady, "", 0},
		"IPv6 refuses, IPv4 answers":    {both, network{six: refuses, four: answers}, v1alpha1.ProbeReady, "", 0},
		"IPv6 is dead, IPv4 answers":    {both, network{four: answers}, v1alpha1.ProbeReady, "", 2500 * time.Millisecond},
		"IPv4 in IPv6's clothes":        {map[string][]string{"w-0": {"::ffff:10.0.0.1"}}, network{four: answers}, v1alpha1.ProbeReady, "", 0},
		"one refuses, one keeps silent": {both, network{four: refuses}, v1alpha1.ProbeRefused, "fd00::1: no answer to the connect; 10.0.0.1: connection refused: nothing listens on the port", 2500 * time.Millisecond},
		"both keep silent":              {both, network{}, v1alpha1.ProbeSilent, "fd00::1: no answer to the connect; 10.0.0.1: no answer to the connect", 5 * time.Second},
		"an unknown name":               {nil, network{}, v1alpha1.ProbeDNS, "lookup w-0: no such host", 0},
		"a name without an address":     {map[string][]string{"w-0": {}}, network{}, v1alpha1.ProbeDNS, "lookup w-0: no address", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock, cancel := newBubbleClock(t)
				defer cancel()
				began := clock.Now()
				p := &Prober{Clock: clock, Lookup: names(tt.known), Dial: tt.net.dial}
				got := p.Once(t.Context(), "w-0")
				require.Equal(t, tt.state, got.State)
				require.Equal(t, tt.reason, got.Reason)
				require.Equal(t, 1, got.Attempts)
				require.Equal(t, tt.takes, clock.Now().Sub(began), "all addresses share one timeout")
				require.Zero(t, got.LatencyMs, "an address that was tried before does not count")
			})
		})
	}
}

func TestConnectOverIPv6(t *testing.T) {
	listener, err := net.Listen("tcp6", "[::1]:0")
	require.NoError(t, err, "this test needs the loopback address ::1")
	require.NoError(t, listener.Close())
	target := listen(t, "[::1]:0", sayAndStay(banner))
	got := (&Prober{Clock: &stepClock{}}).Once(t.Context(), target)
	require.Equal(t, v1alpha1.ProbeResult{Target: target, State: v1alpha1.ProbeReady, Attempts: 1}, got)
}

func TestResolveBlamesTheNameServiceForItsSilence(t *testing.T) {
	p := &Prober{Clock: &stepClock{}, Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return nil, &net.DNSError{Err: "i/o timeout", Name: "w-0", IsTimeout: true}
	}}
	require.Equal(t, v1alpha1.ProbeResult{Target: "w-0:22", State: v1alpha1.ProbeDNS, Attempts: 1, Reason: "lookup w-0: the name server did not answer"}, p.Once(t.Context(), "w-0"))
	require.Equal(t, "lookup w-0: the name server 127.53.0.1:53: connection refused", lookupText(&net.DNSError{
		Err: "read udp 127.0.0.1:35506->127.53.0.1:53: read: connection refused", Name: "w-0", Server: "127.53.0.1:53",
	}))

	p.Lookup = func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("a\x1b[31mb\nc") }
	require.Equal(t, "ab c", p.Once(t.Context(), "w-0").Reason, "hostile text is cleaned")
}

func TestResolveKnowsItsOwnName(t *testing.T) {
	p := &Prober{Clock: &stepClock{}, Lookup: names(nil), Self: "run-launcher-0-0.run"}
	for host, want := range map[string]v1alpha1.ProbeState{
		"run-launcher-0-0": v1alpha1.ProbeDNSSelf, "RUN-launcher-0-0.run.lab.svc": v1alpha1.ProbeDNSSelf, "run-node-0-0.run": v1alpha1.ProbeDNS,
	} {
		require.Equal(t, want, p.Once(t.Context(), host).State, host)
	}
	p.Self = ""
	require.Equal(t, v1alpha1.ProbeDNS, p.Once(t.Context(), "run-launcher-0-0").State)
}

// Each try asks the name server anew: a worker that was made again has another address under the same name.
func TestAllResolvesForEachTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, cancel := newBubbleClock(t)
		defer cancel()
		asked := 0
		p := &Prober{Clock: clock, Dial: network{"10.0.0.1": refuses, "10.0.0.2": answers}.dial}
		p.Lookup = func(context.Context, string) ([]netip.Addr, error) {
			asked++
			switch asked {
			case 1:
				return nil, &net.DNSError{Err: "no such host"}
			case 2:
				return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("10.0.0.2")}, nil
		}
		require.Equal(t, []v1alpha1.ProbeResult{{Target: "w-0:22", State: v1alpha1.ProbeReady, Attempts: 3}}, p.All(t.Context(), []Target{{Address: "w-0"}}))
	})
}

func TestAllBlamesDNSAndNobodyElse(t *testing.T) {
	const atFault = "no target's name resolves, so the name service is at fault and not the target: "
	one := map[string][]string{"w-0": {four}}
	for name, tt := range map[string]struct {
		known   map[string][]string
		targets []string
		blamed  bool
	}{
		"when no name resolves":                 {nil, []string{"w-0", "w-1"}, true},
		"though an address answers":             {nil, []string{"w-0", "w-1", four}, true},
		"not when one resolves":                 {one, []string{"w-0", "w-1"}, false},
		"not for a single name":                 {nil, []string{"w-1"}, false},
		"not for one name on two ports":         {nil, []string{"w-1", "w-1:23"}, false},
		"not for one name in each line of them": {nil, []string{"w-1", "w-1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock, cancel := newBubbleClock(t)
				defer cancel()
				var targets []Target
				for _, a := range tt.targets {
					targets = append(targets, Target{Address: a})
				}
				p := &Prober{Clock: clock, Lookup: names(tt.known), Dial: network{four: answers}.dial, Within: 3 * time.Second}
				for i, r := range p.All(t.Context(), targets) {
					switch tt.targets[i] {
					case four, "w-0":
						if len(tt.known) > 0 || tt.targets[i] == four {
							require.Equal(t, v1alpha1.ProbeReady, r.State)
							require.Empty(t, r.Reason)
							continue
						}
					}
					require.Equal(t, v1alpha1.ProbeDNS, r.State)
					require.Equal(t, tt.blamed, len(r.Reason) > len(atFault) && r.Reason[:len(atFault)] == atFault, r.Reason)
				}
			})
		})
	}
}
