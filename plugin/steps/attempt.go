package steps

import (
	"context"
	"fmt"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

// ensureAttempt returns the state of the attempt that launch and score are to work on. It begins the next attempt of a group
// that has a result and did not pass, when `argo retry` began another epoch since (argo retries only the steps that failed, so
// that a retried score must launch again) or when retryFailedGroups leaves one.
func (r *run) ensureAttempt(ctx context.Context, g partition.Group) (*record.Group, error) {
	w, err := r.running(ctx)
	if err != nil {
		return nil, err
	}
	plan, err := r.planned(ctx)
	if err != nil {
		return nil, err
	}
	retries, err := r.retries(ctx, plan)
	if err != nil {
		return nil, err
	}
	return r.update(ctx, g.Name, func(state *record.Group) error {
		next, changed := nextAttempt(*state, w.Epoch(), retries)
		if !changed {
			return cluster.ErrUnchanged
		}
		*state = next
		return nil
	})
}

func nextAttempt(s record.Group, epoch string, retries int) (record.Group, bool) {
	switch {
	case s.Attempt == 0:
		return record.Group{Attempt: 1, Epoch: epoch}, true
	case s.Result == nil || s.Result.Verdict == v1alpha1.Pass:
		return s, false
	case s.Epoch != epoch:
		return record.Group{Attempt: s.Attempt + 1, Epoch: epoch, Earlier: append(s.Earlier, earlier(s))}, true
	case s.Retries < retries && s.Cleaned:
		return record.Group{Attempt: s.Attempt + 1, Epoch: epoch, Retries: s.Retries + 1, Earlier: append(s.Earlier, earlier(s))}, true
	}
	return s, false
}

func earlier(s record.Group) string {
	return fmt.Sprintf("attempt %d: %s: %s", s.Attempt, s.Result.Verdict, s.Result.Message)
}
