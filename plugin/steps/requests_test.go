package steps

import (
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// simsOwn are the requests of the simulated cluster, which are counted by nobody.
var simsOwn = []string{"list pods", "create pods", "get pods", "update pods", "delete pods", "list trainjobs", "update trainjobs"}

// tally counts what a run asks of the API server, but for what the simulated cluster asks as well.
func (s *sim) tally() func() map[string]int {
	var mu sync.Mutex
	count := map[string]int{}
	s.Refuse(func(verb, resource, _ string) error {
		if what := verb + " " + resource; !slices.Contains(simsOwn, what) {
			mu.Lock()
			defer mu.Unlock()
			count[what]++
		}
		return nil
	})
	return func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(count)
	}
}

// Every group of a large run costs a bounded number of requests, whatever the number of groups: the client sends 100 a second.
func TestRequests(t *testing.T) {
	const groups = 80
	simulate(t, 2*groups, 2, func(t *testing.T, s *sim) {
		count := s.tally()
		all := s.workflow("large", nil).run()
		require.Equal(t, server.Succeeded, all["report"].Phase, all["report"].Message)
		total := 0
		for what, n := range count() {
			t.Logf("%s: %d, %.1f a group", what, n, float64(n)/groups)
			total += n
		}
		require.Less(t, total/groups, 25, "requests a group")
	})
}

// The last groups of a large run do not wait for their pods, which a garbage collector may take minutes for: finish does.
func TestTheReportOfALargeRunDoesNotWaitForPodsThatNobodyWaitsFor(t *testing.T) {
	dead := map[string]play{"large-group-3": {stays: true}}
	t.Run("all_at_once", func(t *testing.T) {
		simulate(t, 80, 2, func(t *testing.T, s *sim) {
			s.plays = dead
			began := time.Now()
			a := s.workflow("large", nil)
			all := a.run()
			require.Equal(t, server.Succeeded, all["report"].Phase, all["report"].Message)
			require.Less(t, time.Since(began), 2*time.Minute)
			_, groups := a.record()
			require.False(t, groups["group-3"].Cleaned, "nobody has seen its pods gone")
			require.Empty(t, groups["group-3"].Leftover)

			s.mu.Lock()
			s.jobs["large-group-3"].play.stays = false
			s.mu.Unlock()
			a.over()
			closer := Closer{Cluster: s.Cluster, Clock: clock.RealClock{}, Log: slog.New(slog.DiscardHandler)}
			require.NoError(t, closer.Workflow(t.Context(), cluster.Owner{Namespace: namespace, Name: "large", UID: "uid-of-large"}))
			require.Empty(t, s.leftovers())
			_, groups = a.record()
			for name, g := range groups {
				require.True(t, g.Cleaned, name)
			}
		})
	})
	t.Run("not_while_a_group_waits_for_its_turn", func(t *testing.T) {
		simulate(t, 80, 2, func(t *testing.T, s *sim) {
			s.plays = dead
			a := s.workflow("large", map[string]string{"maxConcurrent": "10"})
			a.run()
			_, groups := a.record()
			require.Contains(t, groups["group-3"].Leftover, "not gone")
			require.LessOrEqual(t, s.most, 10)
		})
	})
}
