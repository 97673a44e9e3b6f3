package steps

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
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
	simulate(t, 200, 1, func(t *testing.T, s *sim) {
		count := s.tally()
		all := s.workflow("large", nil).run()
		require.Contains(t, all["report"].Message, v1alpha1.Pass.String(), all["report"].Message)
		total := 0
		for what, n := range count() {
			t.Logf("%s: %d, %.1f a group", what, n, float64(n)/200)
			total += n
		}
		require.Less(t, float64(total)/200, 25.0, "requests a group")
	})
}
