package steps

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
)

// copyOf keeps a copy of something that the cluster says, and loads it anew when it is too old. Callers that ask at once share one load.
type copyOf[T any] struct {
	load func(ctx context.Context) (T, error)
	// begun counts loads.
	begun atomic.Int64

	mu sync.Mutex
	// at is when the load began that gave the value, and number which one it was; zero where there is no copy.
	at     time.Time
	number int64
	value  T
}

// within returns a copy that is younger than age.
func (c *copyOf[T]) within(ctx context.Context, now time.Time, age time.Duration) (value T, err error) {
	err = c.read(ctx, now, age, func(v T) { value = v })
	return value, err
}

// read lets look see a copy that is younger than age, while nobody changes it.
func (c *copyOf[T]) read(ctx context.Context, now time.Time, age time.Duration, look func(T)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || now.Sub(c.at) >= age {
		if err := c.renew(ctx, now); err != nil {
			return err
		}
	}
	look(c.value)
	return nil
}

// after returns what the cluster says by a load that began after the call. Those who call while another loads share the next
// load, so that a hundred of them cost two.
func (c *copyOf[T]) after(ctx context.Context, now time.Time) (T, error) {
	return c.since(ctx, now, c.begun.Load())
}

// since returns the value of a load after that of a number.
func (c *copyOf[T]) since(ctx context.Context, now time.Time, number int64) (T, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.number > number && !c.at.IsZero() {
		return c.value, nil
	}
	err := c.renew(ctx, now)
	return c.value, err
}

func (c *copyOf[T]) renew(ctx context.Context, now time.Time) error {
	number := c.begun.Add(1)
	value, err := c.load(ctx)
	if err != nil {
		return err
	}
	c.value, c.at, c.number = value, now, number
	return nil
}

// change changes the copy, if there is one.
func (c *copyOf[T]) change(f func(T)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.at.IsZero() {
		f(c.value)
	}
}

// stale makes the next reader load again.
func (c *copyOf[T]) stale() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = time.Time{}
}

// update changes a group's state in the record, and in the copy of all states: to read them all anew for each group's change
// would cost the square of their number.
func (r *run) update(ctx context.Context, group string, change func(*record.Group) error) (*record.Group, error) {
	state, err := cluster.Update(ctx, r.record(), group, change)
	if err != nil {
		r.states.stale() // whether it was written, nobody knows
		return nil, err
	}
	r.states.change(func(all map[string]record.Group) { all[group] = *state })
	return state, nil
}

// state is a group's state in a copy that is younger than age; the zero Group where the record has none.
func (r *run) state(ctx context.Context, group string, age time.Duration) (state record.Group, err error) {
	err = r.states.read(ctx, r.s.clock.Now(), age, func(all map[string]record.Group) { state = all[group] })
	return state, err
}
