package steps

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

// twoProcesses are two agents of one workflow for a moment: each has its own memory, and both have the same record.
func twoProcesses(t *testing.T, maxConcurrent int32, groups ...partition.Group) (*record.Plan, [2]*run) {
	t.Helper()
	f := cluster.NewFake()
	f.Versioned()
	owner := cluster.Owner{Namespace: namespace, Name: "nccl", UID: "uid"}
	plan := &record.Plan{Run: "nccl", Epoch: "now", Groups: groups}
	plan.Spec.Orchestration = &v1alpha1.Orchestration{MaxConcurrent: &maxConcurrent}
	_, err := cluster.Update(t.Context(), f.Record(owner, "", "nccl"), record.KeyPlan, func(p *record.Plan) error { *p = *plan; return nil })
	require.NoError(t, err)
	var runs [2]*run
	for i := range runs {
		s := New(f.Process(), nil, clock.RealClock{}, slog.New(slog.DiscardHandler))
		runs[i] = newRun(s, owner, "")
	}
	return plan, runs
}

// put writes a group's state, as some process does.
func put(t *testing.T, r *run, group string, change func(s *record.Group)) {
	_, err := cluster.Update(context.Background(), r.record(), group, func(s *record.Group) error { change(s); return nil })
	if err != nil {
		t.Error(err)
	}
}

func asked(attempt int) func(*record.Group) { return func(s *record.Group) { s.Attempt = attempt } }

func failedAndCleaned(s *record.Group) {
	now := time.Now()
	s.Attempt, s.Admitted, s.Cleaned, s.Result = 1, &now, true, &v1alpha1.GroupResult{Verdict: v1alpha1.Fail}
}

func TestTurnsHoldAcrossProcesses(t *testing.T) {
	ctx := context.Background()
	sharing := []partition.Group{{Name: "group-0", Nodes: []string{"a", "b"}}, {Name: "group-1", Nodes: []string{"b", "c"}}}
	t.Run("one that was over may run again when another process looks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			plan, runs := twoProcesses(t, 0, sharing...)
			put(t, runs[0], "group-0", failedAndCleaned)
			put(t, runs[0], "group-1", asked(1))
			_, err := runs[0].states.within(ctx, time.Now(), 0) // its view: group-0 is over
			require.NoError(t, err)
			put(t, runs[1], "group-0", func(s *record.Group) { *s = record.Group{Attempt: 2} })
			again, err := runs[1].tryTurn(ctx, plan, sharing[0], 2)
			require.NoError(t, err)
			require.NotNil(t, again)
			early, err := runs[0].tryTurn(ctx, plan, sharing[1], 1)
			require.NoError(t, err)
			require.Nil(t, early, "they share a node")
		})
	})
	t.Run("a turn that was given is found by the next process, though the last one died before it wrote the group's state", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			plan, runs := twoProcesses(t, 0, sharing...)
			put(t, runs[0], "group-1", asked(1))
			put(t, runs[0], "group-0", failedAndCleaned)
			turns, err := runs[0].decide(ctx, plan) // and it dies
			require.NoError(t, err)
			require.True(t, turns.Has("group-1", 1))
			put(t, runs[1], "group-0", func(s *record.Group) { *s = record.Group{Attempt: 2} })
			early, err := runs[1].tryTurn(ctx, plan, sharing[0], 2)
			require.NoError(t, err)
			require.Nil(t, early)
			admitted, err := runs[1].tryTurn(ctx, plan, sharing[1], 1)
			require.NoError(t, err)
			require.NotNil(t, admitted.Admitted)
		})
	})
	t.Run("a process whose plan lacks a round of isolation reads it anew", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			plan, runs := twoProcesses(t, 0, sharing...)
			more := *plan
			more.Rounds = []record.Round{{Groups: []partition.Group{{Name: "isolate-1-0", Nodes: []string{"b"}}}}}
			_, err := cluster.Update(ctx, runs[0].record(), record.KeyPlan, func(p *record.Plan) error { *p = more; return nil })
			require.NoError(t, err)
			put(t, runs[0], "group-0", failedAndCleaned)
			put(t, runs[0], "group-1", failedAndCleaned)
			put(t, runs[0], "isolate-1-0", asked(1))
			admitted, err := runs[0].tryTurn(ctx, &more, more.Rounds[0].Groups[0], 1)
			require.NoError(t, err)
			require.NotNil(t, admitted)
			put(t, runs[1], "group-1", func(s *record.Group) { *s = record.Group{Attempt: 2} })
			early, err := runs[1].tryTurn(ctx, plan, sharing[1], 2)
			require.NoError(t, err)
			require.Nil(t, early)
		})
	})
}

// TestTwoProcessesNeverStartMoreThanMayRun: eight groups in a ring, each of which shares a node with the next, at most three at
// once, asked for by two processes at the same moments; every other group fails and runs again.
func TestTwoProcessesNeverStartMoreThanMayRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count, most = 8, 3
		var ring []partition.Group
		for i := range count {
			ring = append(ring, partition.Group{Name: fmt.Sprintf("group-%d", i), Nodes: []string{fmt.Sprint(i), fmt.Sprint((i + 1) % count)}})
		}
		plan, runs := twoProcesses(t, most, ring...)
		var mu sync.Mutex
		running, started := map[string]bool{}, map[string]bool{}
		start := func(g partition.Group, attempt int) (first bool) {
			mu.Lock()
			defer mu.Unlock()
			key := fmt.Sprint(g.Name, attempt)
			if started[key] {
				return false // the other process was told the same
			}
			started[key] = true
			for _, other := range ring {
				if running[other.Name] && slices.ContainsFunc(other.Nodes, func(n string) bool { return slices.Contains(g.Nodes, n) }) {
					t.Errorf("%s and %s run at once", g.Name, other.Name)
				}
			}
			running[g.Name] = true
			if len(running) > most {
				t.Errorf("%d groups run at once", len(running))
			}
			return true
		}
		var wait sync.WaitGroup
		for i, g := range ring {
			for _, r := range runs {
				wait.Go(func() {
					for attempt := 1; attempt <= 1+i%2; attempt++ {
						put(t, r, g.Name, func(s *record.Group) {
							if s.Attempt < attempt {
								*s = record.Group{Attempt: attempt}
							}
						})
						for {
							admitted, err := r.tryTurn(context.Background(), plan, g, attempt)
							if errors.Is(err, errSuperseded) {
								break
							}
							if err != nil {
								t.Error(err)
								return
							}
							if admitted != nil && start(g, attempt) {
								time.Sleep(time.Duration(7+3*i) * time.Second)
								mu.Lock()
								delete(running, g.Name)
								mu.Unlock()
								put(t, r, g.Name, func(s *record.Group) { s.Result, s.Cleaned = &v1alpha1.GroupResult{Verdict: v1alpha1.Fail}, true })
								break
							}
							time.Sleep(r.fresh())
						}
					}
				})
			}
		}
		wait.Wait()
		require.Len(t, started, count+count/2)
	})
}
