package steps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

// errSuperseded says that another process has brought the attempt to its end.
var errSuperseded = errors.New("another process has brought the attempt to its end")

// awaitTurn returns when the attempt is admitted: no running group shares its nodes, and maxConcurrent leaves room.
func (r *run) awaitTurn(ctx context.Context, g partition.Group, state *record.Group, say func(string)) error {
	for state.Admitted == nil {
		w, err := r.running(ctx)
		if err != nil {
			return err
		}
		plan, err := r.planned(ctx)
		if err != nil {
			return err
		}
		// Whoever waits for the last turn waits for every other group once.
		most := boundOf(plan, w)
		if most.before(r.s.clock.Now()) {
			return errOverTime{most}
		}
		bound := w.StartedAt.Add(time.Duration(len(plan.All())) * (plan.Spec.Timeout() + 30*time.Minute))
		if r.s.clock.Now().After(bound) {
			return fmt.Errorf("the group's turn did not come before %s", bound.UTC().Format(time.RFC3339))
		}
		admitted, err := r.tryTurn(ctx, plan, g, state.Attempt)
		if errors.Is(err, errForgotten) && state.Attempt == 1 {
			admitted, err = nil, r.remind(ctx, g, state)
		}
		if err != nil {
			return err
		}
		if admitted != nil {
			*state = *admitted
			return nil
		}
		if most.before(bound) {
			bound = most.until
		}
		say(fmt.Sprintf("waiting for its turn until %s at the latest", bound.UTC().Format(time.RFC3339)))
		if err := r.s.pause(ctx, r.fresh()); err != nil {
			return err
		}
	}
	return nil
}

// remind begins the first attempt again in a record that lost it.
func (r *run) remind(ctx context.Context, g partition.Group, state *record.Group) error {
	again, err := r.ensureAttempt(ctx, g)
	if err == nil {
		*state = *again
	}
	return err
}

// tryTurn admits the attempt if it is its turn, and is nil if not.
func (r *run) tryTurn(ctx context.Context, plan *record.Plan, g partition.Group, attempt int) (*record.Group, error) {
	now := r.s.clock.Now().UTC()
	if mine, err := r.isTurn(ctx, plan, g, attempt, now); err != nil || !mine {
		return nil, err
	}
	admitted, err := r.update(ctx, g.Name, func(s *record.Group) error {
		switch {
		case s.Attempt < attempt:
			return errForgotten
		case s.Attempt > attempt || s.Admitted != nil:
			return cluster.ErrUnchanged
		}
		s.Admitted = &now
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case admitted.Attempt > attempt || admitted.Attempt == attempt && admitted.Result != nil:
		return nil, errSuperseded
	}
	return admitted, nil
}

// isTurn says whether it is the attempt's turn. Whose turn it is, is one value of the record, written only over the version that
// was read: of two processes that decide at once, one decides again. What this process last saw of the record may say that it is
// too early to ask, and never that it is not.
func (r *run) isTurn(ctx context.Context, plan *record.Plan, g partition.Group, attempt int, now time.Time) (bool, error) {
	r.turn.Lock() // one question at a time is enough: it is answered for all groups
	defer r.turn.Unlock()
	turns, err := r.turns.within(ctx, now, r.fresh())
	if err != nil || turns.Has(g.Name, attempt) {
		return err == nil, err
	}
	superseded, forgotten, early := false, false, false
	err = r.states.read(ctx, now, r.fresh(), func(states map[string]record.Group) {
		s := states[g.Name]
		superseded = s.Attempt > attempt || s.Attempt == attempt && s.Result != nil
		forgotten = s.Attempt < attempt
		next, _ := turns.Next(plan.All(), states, plan.Spec.MaxConcurrent())
		early = !next.Has(g.Name, attempt)
	})
	switch {
	case err != nil:
		return false, err
	case superseded:
		return false, errSuperseded
	case forgotten:
		return false, r.mustRemember(ctx, g, attempt)
	case early:
		return false, nil
	}
	turns, err = r.decide(ctx, plan)
	return err == nil && turns.Has(g.Name, attempt), err
}

// mustRemember is errForgotten when the record itself, and not only a copy of it, knows nothing of the attempt.
func (r *run) mustRemember(ctx context.Context, g partition.Group, attempt int) error {
	r.states.stale()
	var s record.Group
	if _, err := r.record().Read(ctx, g.Name, &s); err != nil {
		return err
	}
	if s.Attempt < attempt {
		return errForgotten
	}
	return nil
}

// decide says whose turn it is from now on, by the states of all groups as they are.
func (r *run) decide(ctx context.Context, plan *record.Plan) (record.Turns, error) {
	defer r.turns.stale()
	for {
		turns, err := cluster.Update(ctx, r.record(), record.KeyTurns, func(t *record.Turns) error {
			if t.Strange(plan.All()) {
				return errStale
			}
			states, err := record.Groups(ctx, r.record()) // after the turns
			if err == nil {
				err = r.recall(ctx, plan, states)
			}
			if err != nil {
				return err
			}
			next, changed := t.Next(plan.All(), states, plan.Spec.MaxConcurrent())
			if !changed {
				return cluster.ErrUnchanged
			}
			*t = next
			return nil
		})
		switch {
		case errors.Is(err, errStale):
			if plan, err = r.reread(ctx); err != nil {
				return record.Turns{}, err
			}
		case err != nil:
			return record.Turns{}, err
		default:
			return *turns, nil
		}
	}
}

// recall admits, in the states, the attempts that have a job and that a record which lost them says nothing of: their nodes are in use.
func (r *run) recall(ctx context.Context, plan *record.Plan, states map[string]record.Group) error {
	now := r.s.clock.Now()
	jobs, err := r.jobs.within(ctx, now, r.fresh())
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, job := range jobs {
		has[job.Labels[resolve.LabelGroup]] = true
	}
	for _, g := range plan.All() {
		s := states[g.Name]
		if s.Admitted != nil || !has[g.Name] {
			continue
		}
		s.Attempt = max(s.Attempt, 1)
		if jobs[r.base(g, s.Attempt)] != nil {
			s.Admitted = &now
			states[g.Name] = s
		}
	}
	return nil
}
