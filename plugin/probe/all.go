package probe

import (
	"context"
	"sync"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Target is one sshd to probe.
type Target struct {
	// Address is what Address reads: host, host:port or an IP address.
	Address string
	// Node is the cluster's name of the node that the target is on; empty when it is not known.
	Node string
}

// All probes the targets side by side, each again and again until it is ready or ctx ends, and returns one result a target in their order.
// A result is that of the last try which came to an end by itself. With Attempts 0 no try was made at all: that speaks for or against nobody.
func (p *Prober) All(ctx context.Context, targets []Target) []v1alpha1.ProbeResult {
	results := make([]v1alpha1.ProbeResult, len(targets))
	slots := make(chan struct{}, orDefault(p.Concurrency, defaultConcurrency))
	var all sync.WaitGroup
	for i, target := range targets {
		all.Go(func() { results[i] = p.untilReady(ctx, i, target, slots) })
	}
	all.Wait()
	return results
}

// untilReady tries one target until it is ready or ctx ends. Slots bounds the tries at one time; waiting between tries holds none.
func (p *Prober) untilReady(ctx context.Context, index int, target Target, slots chan struct{}) v1alpha1.ProbeResult {
	last := v1alpha1.ProbeResult{
		Target: target.Address, Node: target.Node,
		State: v1alpha1.ProbeSilent, Reason: "not tried before the probe was stopped",
	}
	address, err := Address(target.Address)
	if err != nil { // no try could ever do better
		last.Reason = err.Error()
		return last
	}
	last.Target = address
	for attempt := 1; ; attempt++ {
		select {
		case <-ctx.Done():
			return last
		case slots <- struct{}{}:
		}
		started := p.Clock.Now()
		result := v1alpha1.ProbeResult{}
		if ctx.Err() == nil { // select picks either when both are ready
			result = p.Once(ctx, target.Address)
		}
		<-slots

		if ctx.Err() != nil && result.State != v1alpha1.ProbeReady && (last.Attempts > 0 || result.Attempts == 0) {
			return last // this try was cut off: what an earlier one saw says more
		}
		result.Node, result.Attempts = target.Node, attempt
		last = result
		if p.Tried != nil {
			p.Tried(index, result)
		}
		if result.State == v1alpha1.ProbeReady {
			return last
		}
		select {
		case <-ctx.Done():
			return last
		case <-p.Clock.After(p.pause(attempt) - p.Clock.Now().Sub(started)):
		}
	}
}

// pause returns the time from the start of a try to the start of the next: at least the interval, and at random
// up to a bound that doubles with each try. Spread out, a thousand probes do not knock at one DNS server or sshd at once.
func (p *Prober) pause(attempt int) time.Duration {
	least, bound := orDefault(p.Interval, defaultInterval), orDefault(p.MaxInterval, defaultMaxInterval)
	if grown := least << min(attempt, 16); grown < bound {
		bound = grown
	}
	return least + time.Duration(p.random()*float64(max(bound-least, 0)))
}
