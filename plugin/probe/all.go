package probe

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// costlyInterval is the least time between two tries of a target that refuses for our sake or refuses our key. OpenSSH 9.8 and later
// charge a failed login 5 s (sshd_config(5), PerSourcePenalties, authfail), and a penalty does not pass sooner for being asked about.
const costlyInterval = 6 * time.Second

// Target is one sshd to probe.
type Target struct {
	// Address is what Address reads: host, host:port or an IP address.
	Address string
	// Node is the cluster's name of the node that the target is on; empty when it is not known.
	Node string
}

// All probes the targets side by side, each again and again until it is ready or the time is up, and returns one result a target in
// their order. A target that is listed twice is asked once.
// A result is that of the last try which came to an end by itself; of an sshd that penalises refused logins it keeps why they were.
// With Attempts 0 no try did: that speaks for or against nobody.
// When no name of several resolves, each result says that the name service is at fault and no target is.
func (p *Prober) All(ctx context.Context, targets []Target) []v1alpha1.ProbeResult {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	if p.Within > 0 {
		end := p.Clock.After(p.Within)
		all.Go(func() {
			select {
			case <-end:
				cancel()
			case <-ctx.Done():
			}
		})
	}
	results := make([]v1alpha1.ProbeResult, len(targets))
	same := map[string][]int{}
	var tries sync.WaitGroup
	for i, target := range targets {
		address, err := Address(target.Address)
		if err != nil { // no try could ever do better
			results[i] = v1alpha1.ProbeResult{Target: target.Address, Node: target.Node, State: v1alpha1.ProbeSilent, Reason: err.Error()}
			continue
		}
		if same[address] = append(same[address], i); len(same[address]) == 1 {
			tries.Go(func() { results[i] = p.untilReady(ctx, i, address, target.Node) })
		}
	}
	tries.Wait()
	for _, twins := range same {
		for _, i := range twins[1:] {
			results[i] = results[twins[0]]
			results[i].Node = targets[i].Node
		}
	}
	cancel()
	all.Wait()
	blameDNS(results)
	return results
}

// untilReady tries one target until it is ready or ctx ends. Waiting between tries holds no place.
func (p *Prober) untilReady(ctx context.Context, index int, address, node string) v1alpha1.ProbeResult {
	last := v1alpha1.ProbeResult{Target: address, Node: node, State: v1alpha1.ProbeSilent, Reason: notTried}
	for try := 1; ; try++ {
		started := p.Clock.Now()
		result := p.Once(ctx, address)
		stopped := ctx.Err() != nil && result.State != v1alpha1.ProbeReady
		if stopped && (last.Attempts > 0 || result.Reason == notTried) {
			return last // it was cut off: what an earlier try saw says more
		}
		result.Node = node
		result = afterAuth(last, result)
		if result.Attempts += last.Attempts; result.Attempts == last.Attempts && last.Attempts > 0 {
			result = last // the fault was ours: what is known of the target stays
		}
		last = result
		if p.Tried != nil {
			p.Tried(index, result)
		}
		if result.State == v1alpha1.ProbeReady || stopped {
			return last
		}
		select {
		case <-ctx.Done():
			return last
		case <-p.Clock.After(p.pause(try, result.State) - p.Clock.Now().Sub(started)):
		}
	}
}

// since stands between what a login said and what came of it.
const since = "; since then "

// afterAuth keeps why a login was refused: refused logins are what an sshd penalises, and the penalty then hides them.
func afterAuth(last, result v1alpha1.ProbeResult) v1alpha1.ProbeResult {
	if last.State == v1alpha1.ProbeAuth && result.State == v1alpha1.ProbePenalised {
		login, _, _ := strings.Cut(last.Reason, since)
		result.State, result.Reason = last.State, login+since+result.Reason
	}
	return result
}

// pause returns the time from the start of a try to the start of the next: at least the interval, and at random
// up to a bound that doubles with each try. Spread out, a thousand probes do not knock at one DNS server or sshd at once.
func (p *Prober) pause(try int, state v1alpha1.ProbeState) time.Duration {
	least, bound := orDefault(p.Interval, defaultInterval), orDefault(p.MaxInterval, defaultMaxInterval)
	switch state {
	case v1alpha1.ProbeThrottled, v1alpha1.ProbePenalised, v1alpha1.ProbeAuth:
		least, bound = max(least, costlyInterval), max(bound, 2*costlyInterval)
	default: // asking again costs the target nothing
	}
	if grown := least << min(try, 16); grown < bound {
		bound = grown
	}
	return least + time.Duration(p.random()*float64(max(bound-least, 0)))
}

// blameDNS rewrites the results when there are several names and none of them resolves: that many machines do not lose their names at
// once. Targets that are addresses need no name service and say nothing of it.
func blameDNS(results []v1alpha1.ProbeResult) {
	names := map[string]bool{}
	for _, r := range results {
		host, isName := nameOf(r.Target)
		if !isName {
			continue
		}
		if r.Attempts == 0 || r.State != v1alpha1.ProbeDNS && r.State != v1alpha1.ProbeDNSSelf {
			return
		}
		names[host] = true
	}
	if len(names) < 2 {
		return
	}
	for i := range results {
		if _, isName := nameOf(results[i].Target); isName {
			results[i].Reason = "no target's name resolves, so the name service is at fault and not the target: " + results[i].Reason
		}
	}
}

// nameOf returns the host of a target that Address made, and whether it is a name.
func nameOf(target string) (host string, isName bool) {
	if _, err := netip.ParseAddrPort(target); err == nil {
		return "", false
	}
	host, _, ok := splitTarget(target)
	return host, ok
}
