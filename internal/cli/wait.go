package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

const (
	// pollEvery and sayEvery are the Cluster Readiness Engine's: a look every 5 s, a sign of life every 15 s.
	pollEvery = 5 * time.Second
	sayEvery  = 15 * time.Second
	// lastLook bounds the reading of the partial report when the time is up.
	lastLook = 30 * time.Second
)

// ending is how the waiting ended.
type ending uint8

const (
	// interrupted: the command was told to stop.
	interrupted ending = iota
	// timedOut: --timeout passed.
	timedOut
	// deleted: somebody deleted the workflow.
	deleted
	// ended: the workflow is over.
	ended
)

// follow waits for the end of a workflow and prints what it says.
func (a *app) follow(ctx context.Context, k *cluster.Cluster, w cluster.Workflow, flags cluster.Flags, o runOptions) (Code, error) {
	p := a.newProgress(a.clock.Now())
	s, how := a.await(ctx, k, w, o.timeout, p)
	p.leave()
	switch how {
	case interrupted:
		a.note("interrupted; the run goes on. To follow it, or to stop it:")
		a.hints(flags, w.Name, "status", "report", "cancel")
		return Unsure, nil
	case deleted:
		return Unsure, fmt.Errorf("workflow %s/%s was deleted, and its record with it", w.Namespace, w.Name)
	case timedOut:
		look, cancel := context.WithTimeout(ctx, lastLook)
		defer cancel()
		if latest, err := readState(look, k, w.Namespace, w.Name); err == nil {
			s = latest
		}
		_, err := a.publish(o.format.value, o.results, s.reports())
		a.note("not over after %s; the run goes on, and the report above is partial. To follow it, or to stop it:", o.timeout)
		a.hints(flags, w.Name, "status", "report", "cancel")
		return Unsure, err
	case ended:
	}
	if len(s.runs) == 0 {
		a.note("seatrial: %s", plain.Line(s.whyNoPlan()))
	}
	return a.publish(o.format.value, o.results, s.reports())
}

// await looks at a workflow until it is over, and shows where it is. It returns what it saw last.
func (a *app) await(ctx context.Context, k *cluster.Cluster, w cluster.Workflow, timeout time.Duration, p *progress) (state, ending) {
	last := state{workflow: w}
	for {
		s, err := readState(ctx, k, w.Namespace, w.Name)
		now := a.clock.Now()
		switch {
		case ctx.Err() != nil:
			return last, interrupted
		case errors.Is(err, errNoRun), err == nil && s.workflow.UID != w.UID:
			return last, deleted
		case err != nil: // it may answer again: the run goes on without us
			p.at(now, "away", "the cluster does not answer: "+plain.Line(err.Error()))
		default:
			last = s
			phase, line := s.whereabouts()
			if !p.live {
				line = s.progress()
			}
			p.at(now, phase, line)
			if s.over() {
				return s, ended
			}
		}
		left := timeout - now.Sub(p.began)
		if left <= 0 {
			return last, timedOut
		}
		if !a.pause(ctx, min(pollEvery, left), p) {
			return last, interrupted
		}
	}
}

// pause waits, with the time of a live line moving on. It is false when ctx ended meanwhile.
func (a *app) pause(ctx context.Context, d time.Duration, p *progress) bool {
	for d > 0 {
		step := d
		if p.live {
			step = min(d, tickEvery)
		}
		select {
		case <-ctx.Done():
			return false
		case now := <-a.clock.After(step):
			if ctx.Err() != nil {
				return false
			}
			p.tick(now)
		}
		d -= step
	}
	return true
}

// progress is a line on where a workflow is: its phase, its groups, and the best bandwidth so far.
func (s state) progress() string {
	text := s.summary().stage()
	if t := s.tally(); t.Total > 0 {
		return text + "  groups " + t.String()
	}
	return text + s.soFar()
}
