package record

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

func TestTurns_Next(t *testing.T) {
	groups := []partition.Group{{Name: "group-0", Nodes: []string{"a", "b"}}, {Name: "group-1", Nodes: []string{"b", "c"}}, {Name: "group-2", Nodes: []string{"d"}}}
	over := Group{Attempt: 1, Admitted: &started, Result: passed(), Cleaned: true}
	for name, c := range map[string]struct {
		turns  map[string]int
		states map[string]Group
		most   int
		want   map[string]int
	}{
		"all that asked and may start, in one go":        {nil, map[string]Group{"group-0": {Attempt: 1}, "group-1": {Attempt: 1}, "group-2": {Attempt: 1}}, 0, map[string]int{"group-0": 1, "group-2": 1}},
		"no more than may run at once":                   {nil, map[string]Group{"group-0": {Attempt: 1}, "group-2": {Attempt: 1}}, 1, map[string]int{"group-0": 1}},
		"nobody who has not asked":                       {nil, map[string]Group{"group-2": {Attempt: 1}}, 0, map[string]int{"group-2": 1}},
		"who has not asked goes first all the same":      {nil, map[string]Group{"group-1": {Attempt: 1}}, 0, map[string]int{}},
		"a turn lasts while its attempt does":            {map[string]int{"group-1": 1}, map[string]Group{"group-0": {Attempt: 1}, "group-1": {Attempt: 1}}, 0, map[string]int{"group-1": 1}},
		"and while its pods are there":                   {map[string]int{"group-1": 1}, map[string]Group{"group-0": {Attempt: 1}, "group-1": {Attempt: 1, Admitted: &started, Result: passed()}}, 0, map[string]int{"group-1": 1}},
		"one that is over makes room":                    {map[string]int{"group-1": 1}, map[string]Group{"group-0": {Attempt: 1}, "group-1": over}, 0, map[string]int{"group-0": 1}},
		"the turn of an attempt is not that of the next": {map[string]int{"group-1": 1}, map[string]Group{"group-0": {Attempt: 1}, "group-1": {Attempt: 2}}, 0, map[string]int{"group-0": 1}},
		"a record without turns has its admitted groups": {nil, map[string]Group{"group-0": {Attempt: 1}, "group-1": {Attempt: 1, Admitted: &started}}, 0, map[string]int{"group-1": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			before := Turns{Running: c.turns}
			next, changed := before.Next(groups, c.states, c.most)
			require.Equal(t, c.want, next.Running)
			require.Equal(t, !maps.Equal(c.turns, c.want), changed)
			again, changed := next.Next(groups, c.states, c.most)
			require.Equal(t, next, again)
			require.False(t, changed)
		})
	}
	t.Run("no attempt has no turn", func(t *testing.T) { require.False(t, Turns{}.Has("group-0", 0)) })
	t.Run("a group that the plan does not know is strange", func(t *testing.T) {
		require.True(t, Turns{Running: map[string]int{"isolate-1-0": 1, "group-0": 1}}.Strange(groups))
		require.False(t, Turns{Running: map[string]int{"group-0": 1}}.Strange(groups))
	})
}
