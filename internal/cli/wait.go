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
	s, how := a.await(ctx, k, w, o.timeout)
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

// await looks at a workflow until it is over, and says where it is whenever that changes, and every 15 s besides.
// It returns what it saw last.
func (a *app) await(ctx context.Context, k *cluster.Cluster, w cluster.Workflow, timeout time.Duration) (state, ending) {
	began := a.clock.Now()
	last := state{workflow: w}
	said, saidAt := "", began
	say := func(text string, at time.Time) {
		if text != said || at.Sub(saidAt) >= sayEvery {
			a.note("%7s  %s", at.Sub(began).Round(time.Second), text)
			said, saidAt = text, at
		}
	}
	for {
		s, err := readState(ctx, k, w.Namespace, w.Name)
		now := a.clock.Now()
		switch {
		case ctx.Err() != nil:
			return last, interrupted
		case errors.Is(err, errNoRun), err == nil && s.workflow.UID != w.UID:
			return last, deleted
		case err != nil: // it may answer again: the run goes on without us
			say("the cluster does not answer: "+plain.Line(err.Error()), now)
		default:
			last = s
			say(s.progress(), now)
			if s.over() {
				return s, ended
			}
		}
		left := timeout - now.Sub(began)
		if left <= 0 {
			return last, timedOut
		}
		select {
		case <-ctx.Done():
			return last, interrupted
		case <-a.clock.After(min(pollEvery, left)):
		}
	}
}

// progress is a line on where a workflow is: its phase, its groups, and the best bandwidth so far.
func (s state) progress() string {
	text := s.summary().stage()
	if t := s.tally(); t.Total > 0 {
		return text + "  groups " + t.String()
	}
	for _, r := range s.runs {
		if r.planned {
			return fmt.Sprintf("%s  %d nodes, no groups yet", text, len(r.plan.Nodes))
		}
	}
	if s.workflow.Message != "" {
		text += "  " + plain.Line(s.workflow.Message)
	}
	return text
}
