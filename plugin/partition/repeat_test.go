package partition

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRepeat(t *testing.T) {
	groups := []Group{{Name: "group-0", Nodes: []string{"a", "b"}}, {Name: "group-1", Nodes: []string{"b", "c"}, Overflow: true, Borrowed: []string{"b"}}}
	t.Run("once_is_as_it_was", func(t *testing.T) { require.Equal(t, groups, Repeat(groups, 1)) })
	t.Run("all_run_once_before_any_runs_again", func(t *testing.T) {
		require.Equal(t, []Group{groups[0], groups[1],
			{Name: "group-0-i2", Nodes: []string{"a", "b"}}, {Name: "group-1-i2", Nodes: []string{"b", "c"}, Overflow: true, Borrowed: []string{"b"}},
		}, Repeat(groups, 2))
	})
	t.Run("the_same_nodes_are_never_in_two_running_groups", func(t *testing.T) {
		again := Repeat(groups, 3)
		require.Equal(t, []int{0}, Ready(again, nil, 0))
		require.Equal(t, []int{1}, Ready(again, []State{Done}, 0))
		require.Empty(t, Ready(again, []State{Done, Running}, 0))
	})
	t.Run("a_job_that_may_be_anywhere_runs_alone", func(t *testing.T) {
		again := Repeat(Anywhere(), 3)
		require.Equal(t, []int{0}, Ready(again, nil, 0))
		require.Empty(t, Ready(again, []State{Running}, 0))
		require.Equal(t, []int{1}, Ready(again, []State{Done}, 0))
	})
}
