package probe

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// maxAddresses bounds how many addresses of one name are tried. A pod has one of each family.
const maxAddresses = 4

// failure is why no connection came to be.
type failure struct {
	state  v1alpha1.ProbeState
	reason string
	// ours: the fault is on our side, so that nothing was learnt of the target.
	ours bool
}

// connect resolves host anew and connects to the first of its addresses that takes a connection, one after the other, as ssh does:
// racing them would open two connections to one sshd. Started is when the connect began that succeeded.
func (p *Prober) connect(ctx context.Context, host, port string) (conn net.Conn, started time.Time, failed *failure) {
	addresses, failed := p.resolve(ctx, host)
	if failed != nil {
		return nil, started, failed
	}
	number, _ := strconv.ParseUint(port, 10, 16) // Address refused anything else
	failures := make([]failure, 0, len(addresses))
	left := orDefault(p.ConnectTimeout, defaultConnectTimeout)
	for i, a := range addresses {
		address := netip.AddrPortFrom(a, uint16(number))
		if p.awaitTurn(ctx, address) != nil {
			failures = append(failures, failure{v1alpha1.ProbeSilent, "not asked before the probe was stopped", true})
			break
		}
		share := left / time.Duration(len(addresses)-i)
		started = p.Clock.Now()
		tryCtx, cancel := context.WithTimeout(ctx, share)
		conn, err := p.dial(tryCtx, address.String())
		cancel()
		if err == nil {
			return conn, started, nil
		}
		failures = append(failures, classifyDial(err, ctx.Err() != nil))
		if left -= p.Clock.Now().Sub(started); left <= 0 {
			break
		}
	}
	worst := join(addresses, failures)
	return nil, started, &worst
}

// resolve returns the addresses of host: itself if it is one, else what the name server says now.
func (p *Prober) resolve(ctx context.Context, host string) ([]netip.Addr, *failure) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip.Unmap()}, nil // the pace is the address's, however it is written
	}
	addresses, err := p.lookup(ctx, host)
	if err == nil && len(addresses) == 0 {
		err = &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	if err != nil {
		failed := classifyLookup(err, ctx.Err() != nil)
		if failed.state == v1alpha1.ProbeDNS && p.isSelf(host) {
			failed.state = v1alpha1.ProbeDNSSelf
			failed.reason = "this machine's own name does not resolve: " + failed.reason
		}
		return nil, &failed
	}
	addresses = addresses[:min(len(addresses), maxAddresses)]
	for i := range addresses {
		addresses[i] = addresses[i].Unmap()
	}
	return addresses, nil
}

// isSelf says whether host is our own name, alone or with its domain.
func (p *Prober) isSelf(host string) bool {
	self, _, _ := strings.Cut(p.Self, ".")
	name, _, _ := strings.Cut(host, ".")
	return self != "" && strings.EqualFold(self, name)
}

// join makes one failure of those of a target's addresses. One that refused or hung up tells more than one that kept silent: a
// machine is there.
func join(addresses []netip.Addr, failures []failure) failure {
	if len(addresses) == 1 {
		return failures[0]
	}
	joined := failure{state: v1alpha1.ProbeSilent, ours: true}
	reasons := make([]string, len(failures))
	for i, f := range failures {
		reasons[i] = addresses[i].String() + ": " + f.reason
		if joined.state == v1alpha1.ProbeSilent {
			joined.state = f.state
		}
		joined.ours = joined.ours && f.ours
	}
	joined.reason = strings.Join(reasons, "; ")
	return joined
}
