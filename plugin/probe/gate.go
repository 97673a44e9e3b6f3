package probe

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// bareInterval is the least time between two connections to one sshd. OpenSSH 9.8 and later charge the source of a connection that
// ends without a login one second (sshd_config(5), PerSourcePenalties, noauth) and refuse it once 15 s have come together:
// at this pace nothing ever comes together, whoever asks for the target and under how many names.
const bareInterval = time.Second

// gate keeps connections to one address bareInterval apart. Its zero value is open.
type gate struct {
	mu      sync.Mutex
	next    map[netip.AddrPort]time.Time
	pruneAt int
}

// reserve takes the address's next turn and returns how long it is until then, at most 0 for at once.
func (g *gate) reserve(now time.Time, address netip.AddrPort) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.next) >= g.pruneAt { // workers come and go; what is past holds nobody up
		for a, at := range g.next {
			if !at.After(now) {
				delete(g.next, a)
			}
		}
		g.pruneAt = 2*len(g.next) + 1024
	}
	if g.next == nil {
		g.next = map[netip.AddrPort]time.Time{}
	}
	turn := now
	if at, has := g.next[address]; has && at.After(now) {
		turn = at
	}
	g.next[address] = turn.Add(bareInterval)
	return turn.Sub(now)
}

// awaitTurn waits until address may be connected to, or until ctx ends, which it says.
func (p *Prober) awaitTurn(ctx context.Context, address netip.AddrPort) error {
	wait := p.gate.reserve(p.Clock.Now(), address)
	if wait <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-p.Clock.After(wait):
		return nil
	}
}

// enter waits for one of the places for tries, and returns how to give it back. It is not ok when ctx ends first.
func (p *Prober) enter(ctx context.Context) (leave func(), ok bool) {
	p.places.Do(func() { p.slots = make(chan struct{}, orDefault(p.Concurrency, defaultConcurrency)) })
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, false
	}
	leave = func() { <-p.slots }
	if ctx.Err() != nil { // select picks either when both are ready
		leave()
		return nil, false
	}
	return leave, true
}
