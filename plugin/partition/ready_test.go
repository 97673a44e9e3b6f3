package partition

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReady(t *testing.T) {
	// group-2 is the overflow group: it shares a node with group-1.
	groups, err := Chunk(fleet(5), 2)
	require.NoError(t, err)
	require.Len(t, groups, 3)

	for name, tt := range map[string]struct {
		state []State
		limit int
		want  []int
	}{
		"a group that shares a node waits":              {nil, 0, []int{0, 1}},
		"one at a time":                                 {nil, 1, []int{0}},
		"the lower index goes first":                    {[]State{Done, Waiting, Waiting}, 1, []int{1}},
		"overflow starts when its lender is done":       {[]State{Running, Done, Waiting}, 0, []int{2}},
		"overflow waits while its lender runs":          {[]State{Done, Running, Waiting}, 0, nil},
		"a full limit starts nothing":                   {[]State{Running, Waiting, Waiting}, 1, nil},
		"the lender waits while the overflow runs":      {[]State{Waiting, Waiting, Running}, 0, []int{0}},
		"nothing waits when all is done":                {[]State{Done, Done, Done}, 0, nil},
		"a group without a state is waiting":            {[]State{Done}, 0, []int{1}},
		"more running than the limit allows, none more": {[]State{Running, Running, Waiting}, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, Ready(groups, tt.state, tt.limit))
		})
	}
}

// Runs whole runs with random finishing orders: nothing shares a node, nothing exceeds the limit, everything gets its turn.
func TestReadyLetsEveryGroupRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		size := 1 + rng.IntN(6)
		groups, err := Chunk(fleet(size+rng.IntN(60)), size)
		require.NoError(t, err)
		state, limit := make([]State, len(groups)), rng.IntN(4)

		for done := 0; done < len(groups); {
			for _, i := range Ready(groups, state, limit) {
				require.Equal(t, Waiting, state[i])
				state[i] = Running
			}
			require.Empty(t, Ready(groups, state, limit), "asked again, nothing more may start")
			var running []int
			owner := map[string]int{}
			for i, s := range state {
				if s != Running {
					continue
				}
				running = append(running, i)
				for _, node := range groups[i].Nodes {
					require.NotContains(t, owner, node)
					owner[node] = i
				}
			}
			require.NotEmpty(t, running, "a run never stalls")
			if limit > 0 {
				require.LessOrEqual(t, len(running), limit)
			}
			state[running[rng.IntN(len(running))]] = Done
			done++
		}
	}
}

func BenchmarkReady10000Nodes(b *testing.B) {
	groups, err := Chunk(fleet(10_000), 7)
	require.NoError(b, err)
	state := make([]State, len(groups))
	for i := range state {
		state[i] = State(i % 3)
	}
	b.ReportAllocs()
	for b.Loop() {
		Ready(groups, state, 0)
	}
}
