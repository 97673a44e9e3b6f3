package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// tailEvery is how often the end of a running log goes into the record, in case that the agent dies with its node.
const tailEvery = 15 * time.Second

// scoreGroup follows the group's job to its end, judges it, records the result and deletes the objects. It is not ok when
// the group is not a pass, so that the step is red.
func scoreGroup(ctx context.Context, r *run, g partition.Group, say func(string)) (bool, string, error) {
	for {
		state, err := r.ensureAttempt(ctx, g)
		if err != nil {
			return false, "", err
		}
		if state.Result == nil {
			err := r.launchAttempt(ctx, g, state, say)
			if err == nil {
				err = r.followAttempt(ctx, g, state, say)
			}
			switch {
			case errors.Is(err, errSuperseded):
				continue
			case errors.Is(err, errForgotten) && state.Attempt == 1: // the job goes on, and its log tells all once more
				r.s.log.Warn("the record of a group was deleted", "group", g.Name)
				continue
			case err != nil:
				return false, "", r.abandoned(ctx, g, state.Attempt, err)
			}
		}
		plan, err := r.planned(ctx)
		if err != nil {
			return false, "", err
		}
		if state, err = r.tidy(ctx, plan, g, state.Attempt, say); err != nil {
			return false, "", err
		}
		if state.Result == nil { // another process has begun the next attempt
			continue
		}
		retries, err := r.retries(ctx, plan)
		if err != nil {
			return false, "", err
		}
		if state.Result.Verdict == v1alpha1.Pass || state.Retries >= retries {
			return state.Result.Verdict == v1alpha1.Pass, headline(state.Result), nil
		}
	}
}

// abandoned lets a group's job end that nobody can give a result to any more: its record is gone.
func (r *run) abandoned(ctx context.Context, g partition.Group, attempt int, err error) error {
	if !errors.Is(err, record.ErrNoPlan) && !errors.Is(err, errForgotten) {
		return err
	}
	return errors.Join(err, r.s.cluster.DeleteJob(ctx, r.owner, r.names(g, attempt)))
}

// followAttempt watches the attempt's pods until the job has ended one way or another, and records the result.
func (r *run) followAttempt(ctx context.Context, g partition.Group, state *record.Group, say func(string)) error {
	plan, err := r.planned(ctx)
	if err != nil {
		return err
	}
	if plan.Framework == v1alpha1.FrameworkMPI && state.Attempt > 1 {
		defer r.probeBeside(ctx, plan, g, state.Attempt)()
	}
	logs := newFollowers(r, ctx)
	defer logs.close()
	logs.noted = state.Logs
	if plan.LogProfile != nil {
		if logs.profile, err = parse.NewProfile(plan.LogProfile); err != nil {
			return err
		}
	}
	hosts := map[string]string{}
	maps.Copy(hosts, state.Hosts)
	var noted, blind, exitSeen time.Time
	taken := state.TakenAway
	for {
		seen, err := r.look(ctx, plan, g, state)
		now := r.s.clock.Now()
		switch {
		case err == nil:
			blind = time.Time{}
			if _, exited := seen.firstExit(); exited && exitSeen.IsZero() {
				exitSeen = now
			}
			seen.exitSeen = exitSeen
			if taken == "" {
				taken = seen.takenBeforeExit()
				if taken != "" {
					noted = time.Time{} // the next look may find all pods gone
				}
			}
			seen.takenAway = taken
			seen.addHosts(hosts)
			logs.follow(seen.watched())
			if end := seen.ended(); end.Ending != score.Lost || end.Message != "" {
				return r.conclude(ctx, plan, g, state, seen, end, logs, hosts)
			}
			say(seen.progress(logs.best()))
			if now.Sub(noted) >= r.noteEvery() {
				noted = now
				r.note(ctx, g, state.Attempt, seen, hosts, logs)
			}
		case bearable(err) == 0:
			return err
		case blind.IsZero(): // the logs are followed on: reading them anew might find them rotated
			blind = now
			r.s.log.Warn("reading the group's state", "group", g.Name, "error", err)
		case now.Sub(blind) > bearable(err):
			return fmt.Errorf("the cluster gave no answer for %s: %v", bearable(err), err) //nolint:errorlint // not to be tried again
		}
		if err := r.s.pause(ctx, r.fresh()); err != nil {
			return err
		}
	}
}

// look observes the attempt while the run goes on.
func (r *run) look(ctx context.Context, plan *record.Plan, g partition.Group, state *record.Group) (observation, error) {
	w, err := r.running(ctx)
	if err != nil {
		return observation{}, err
	}
	seen, err := r.observe(ctx, plan, g, state)
	seen.bound = boundOf(plan, w)
	return seen, err
}

// noteEvery grows with the groups, so that the notes of all of them are no more than 16 requests a second, whatever their number:
// each costs two.
func (r *run) noteEvery() time.Duration {
	return max(tailEvery, time.Duration(r.groups.Load())*time.Second/8)
}

// conclude reads what is left of the logs, judges the group and records the result.
func (r *run) conclude(ctx context.Context, plan *record.Plan, g partition.Group, state *record.Group, seen observation, end score.Evidence, logs *followers, hosts map[string]string) error {
	if end.Ending != score.Complete {
		// What looks like a failure may be the end of the pods of a run that was stopped a moment ago.
		r.workflow.stale()
		if err := r.open(ctx); err != nil {
			return err
		}
	}
	end = r.withNodes(ctx, g, seen, end)
	end.Replaced = logs.replaced(seen.watched())
	end.Logs, end.LogProblem = logs.finish(ctx, seen.watched(), end.Ending == score.TimedOut || end.Ending == score.Stopped)
	end.Hosts = hosts
	end.Asked, end.AskedGoodput = plan.Spec.BandwidthMeasurement != nil, plan.Spec.GoodputMeasurement != nil
	if end.Asked {
		end.TestType = plan.Spec.BandwidthMeasurement.TestType
	}
	end.Thresholds, _ = v1alpha1.ParseThresholds(plan.Spec.Thresholds) // discover refused those that do not parse
	if plan.Framework == v1alpha1.FrameworkMPI {
		end.Ranks = plan.Workers(g) * int(plan.Facts.GPUs)
	}
	end.Timeout = plan.Spec.Timeout()
	end.Nodes = g.Nodes
	if plan.Spec.Unpinned() {
		end.Chosen = seen.chosen()
		end.Nodes = end.Chosen
		end.Unplaced = max(0, plan.Workers(g)-len(end.Chosen))
	}
	return r.finish(ctx, g, state.Attempt, end, logs.tail(seen.watched()))
}

// finish records the result of an attempt, unless it has one.
func (r *run) finish(ctx context.Context, g partition.Group, attempt int, end score.Evidence, tail *v1alpha1.FailureLog) error {
	result := score.Group(end)
	now := r.s.clock.Now().UTC()
	_, err := r.update(ctx, g.Name, func(s *record.Group) error {
		switch {
		case s.Attempt < attempt:
			return errForgotten
		case s.Attempt > attempt || s.Result != nil:
			return cluster.ErrUnchanged
		}
		result.Name, result.Nodes, result.Attempts = g.Name, g.Nodes, attempt
		result.Overflow, result.Borrowed = g.Overflow, g.Borrowed
		if end.Unplaced == 0 && end.Chosen != nil {
			s.Placed = end.Chosen
		}
		if len(g.Nodes) == 0 {
			result.Nodes = append([]string{}, s.Placed...)
		}
		result.Probe = s.Probe
		if s.Admitted != nil {
			result.DurationSec = now.Sub(*s.Admitted).Round(time.Millisecond).Seconds()
		}
		if result.Verdict != v1alpha1.Pass {
			result.FailureLog = tail
		}
		s.Tail, s.Logs, s.EndedEarly = nil, nil, end.Ending == score.Stopped
		s.Result = fit(g.Name, s, &result)
		return nil
	})
	return err
}

// note keeps in the record what would be lost with the plugin's process.
func (r *run) note(ctx context.Context, g partition.Group, attempt int, seen observation, hosts map[string]string, logs *followers) {
	tail, read := logs.tail(seen.watched()), logs.progress()
	_, err := r.update(ctx, g.Name, func(s *record.Group) error {
		if s.Attempt != attempt || s.Result != nil {
			return cluster.ErrUnchanged
		}
		at, all := seen.scheduled()
		scheduled := all && s.Scheduled == nil
		if !scheduled && s.TakenAway == seen.takenAway && maps.Equal(s.Hosts, hosts) && same(s.Tail, tail) && maps.EqualFunc(s.Logs, read, slices.Equal) {
			return cluster.ErrUnchanged
		}
		if scheduled {
			s.Scheduled = &at
			if len(g.Nodes) == 0 {
				s.Placed = seen.chosen()
			}
		}
		s.Hosts, s.Tail, s.Logs, s.TakenAway = hosts, tail, read, seen.takenAway
		for _, drop := range []func(){func() { s.Logs = nil }, func() { s.Tail = nil }, func() { s.Hosts = nil }, func() { s.Probe = nil }} {
			if cluster.Fits(g.Name, *s) {
				break
			}
			drop()
		}
		return nil
	})
	if err != nil {
		r.s.log.Warn("noting a log's end", "group", g.Name, "error", err)
	}
}

func same(a, b *v1alpha1.FailureLog) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// tidy deletes the attempt's objects, if the run wants that, and returns when its pods are gone: only then may a group that
// shares its nodes start. Pods that are left to go by themselves leave the group not cleaned, which is finish's to do. What another
// process did meanwhile, up to the next attempt, stays as it is.
func (r *run) tidy(ctx context.Context, plan *record.Plan, g partition.Group, attempt int, say func(string)) (*record.Group, error) {
	state, err := r.state(ctx, g.Name, r.fresh()) // it has what this process wrote
	if err != nil {
		return nil, err
	}
	switch {
	case state.Attempt != attempt:
		return &state, nil
	case state.Result == nil:
		return nil, fmt.Errorf("the record of %s lost its result", g.Name)
	case state.Cleaned:
		return &state, nil
	}
	if plan.Options.Cleanup.After(state.Result.Verdict) {
		say(headline(state.Result) + "; cleaning up")
		leave, err := r.mayLeave(ctx, plan, &state)
		if err != nil {
			return nil, err
		}
		if leave {
			return &state, r.s.cluster.DeleteJob(ctx, r.owner, r.names(g, attempt))
		}
		if err := r.remove(ctx, plan, g, attempt); err != nil {
			return nil, err
		}
	}
	return r.update(ctx, g.Name, clean(attempt))
}

// mayLeave says whether a group's pods may go after its step has ended: in a large run whose nodes nobody waits for. When hundreds
// of groups end together, a garbage collector takes minutes for their pods (a controller manager sends 20 requests a second unless
// it is told otherwise), and the report must not wait for it. finish looks for all of them at once.
func (r *run) mayLeave(ctx context.Context, plan *record.Plan, state *record.Group) (bool, error) {
	if !r.quiet() || plan.Options.Isolate {
		return false, nil
	}
	retries, err := r.retries(ctx, plan)
	if err != nil || state.Result.Verdict != v1alpha1.Pass && state.Retries < retries {
		return false, err
	}
	waits := false
	err = r.states.read(ctx, r.s.clock.Now(), r.fresh(), func(states map[string]record.Group) {
		for _, g := range plan.All() {
			if s := states[g.Name]; s.State(s.Admitted != nil) == partition.Waiting {
				waits = true
			}
		}
	})
	return err == nil && !waits, err
}

// remove deletes the attempt's objects and waits for its pods to go. Those of a dead node never do: the record says so, and
// the groups that wait for the nodes or for room go on.
func (r *run) remove(ctx context.Context, plan *record.Plan, g partition.Group, attempt int) error {
	kinds := cluster.AllKinds
	if objects, err := resolve.Objects(plan.Objects(r.owner, r.scope, g, attempt)); err == nil { // else there can be none
		kinds = nil
		for _, o := range objects {
			kinds = append(kinds, o.GetKind())
		}
	}
	selector := r.selector(g, attempt)
	err := r.s.cluster.DeleteJob(ctx, r.owner, r.names(g, attempt))
	if err == nil {
		_, err = awaitGone(ctx, r.s.cluster, r.s.clock, r.owner.Namespace, selector, nil, func(pods []corev1.Pod) { r.blameSilent(ctx, g, pods) })
	}
	if ctx.Err() == nil && bearable(err) == 0 { // what the pods use goes after them, or after the wait for them
		err = errors.Join(err, r.s.cluster.DeleteUsed(ctx, r.owner, selector, kinds))
	}
	if err == nil || bearable(err) > 0 || ctx.Err() != nil {
		return err
	}
	_, problem := r.update(ctx, g.Name, func(s *record.Group) error {
		if s.Attempt != attempt {
			return cluster.ErrUnchanged
		}
		s.Leftover = oneLine(err)
		return nil
	})
	return errors.Join(err, problem)
}

// headline is a result in one line.
func headline(g *v1alpha1.GroupResult) string {
	text := g.Verdict.String()
	if g.Verdict != v1alpha1.Pass {
		if g.Cause != "" {
			text += " (" + string(g.Cause) + ")"
		}
		return text + ": " + g.Message
	}
	if b := g.Bandwidth; b != nil && b.BusBandwidthGBps != nil {
		return text + fmt.Sprintf(": busbw %.4g GB/s", *b.BusBandwidthGBps)
	}
	return text + ": nothing was measured"
}
