package steps

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCopy(t *testing.T) {
	now := time.Now()
	t.Run("those_who_ask_at_once_share_a_load", func(t *testing.T) {
		var loads atomic.Int64
		c := copyOf[int64]{load: func(context.Context) (int64, error) { return loads.Add(1), nil }}
		var wait sync.WaitGroup
		for range 100 {
			wait.Go(func() {
				v, err := c.within(t.Context(), now, time.Minute)
				require.NoError(t, err)
				require.EqualValues(t, 1, v)
			})
		}
		wait.Wait()
	})
	t.Run("after_is_never_older_than_the_call", func(t *testing.T) {
		var written atomic.Int64
		c := copyOf[int64]{load: func(context.Context) (int64, error) { return written.Load(), nil }}
		var wait sync.WaitGroup
		for range 100 {
			wait.Go(func() {
				for range 100 {
					mine := written.Add(1)
					v, err := c.after(t.Context(), now)
					require.NoError(t, err)
					require.GreaterOrEqual(t, v, mine)
				}
			})
		}
		wait.Wait()
	})
	t.Run("those_who_called_while_another_loaded_share_the_next_load", func(t *testing.T) {
		var loads atomic.Int64
		c := copyOf[int64]{load: func(context.Context) (int64, error) { return loads.Add(1), nil }}
		for _, called := range []int64{0, 0, 1, 1, 1} { // before the first load; while it was under way
			v, err := c.since(t.Context(), now, called)
			require.NoError(t, err)
			require.Greater(t, v, called)
		}
		require.EqualValues(t, 2, loads.Load())
	})
	t.Run("a_load_that_fails_answers_nobody_else", func(t *testing.T) {
		fails := true
		c := copyOf[int]{load: func(context.Context) (int, error) {
			if fails {
				return 7, errors.New("no answer")
			}
			return 1, nil
		}}
		_, err := c.after(t.Context(), now)
		require.Error(t, err)
		fails = false
		v, err := c.after(t.Context(), now)
		require.NoError(t, err)
		require.Equal(t, 1, v)
	})
	t.Run("a_change_is_seen_until_the_next_load", func(t *testing.T) {
		c := copyOf[map[string]int]{load: func(context.Context) (map[string]int, error) { return map[string]int{"a": 1}, nil }}
		c.change(func(map[string]int) { t.Error("there is no copy to change yet") })
		_, err := c.within(t.Context(), now, time.Minute)
		require.NoError(t, err)
		c.change(func(m map[string]int) { m["a"] = 2 })
		require.NoError(t, c.read(t.Context(), now, time.Minute, func(m map[string]int) { require.Equal(t, 2, m["a"]) }))
		require.NoError(t, c.read(t.Context(), now.Add(time.Hour), time.Minute, func(m map[string]int) { require.Equal(t, 1, m["a"]) }))
	})
}
