package steps

import (
	"time"

	"k8s.io/utils/clock"
)

// steadyClock goes on as the machine counts time from the moment it was made, whatever is done to the machine's clock since:
// a clock that is set by an hour must not end a job's time, nor stretch it by one.
type steadyClock struct {
	clock.Clock
	from time.Time
}

func steady(clk clock.Clock) clock.Clock { return steadyClock{clk, clk.Now()} }

// Now is the time at the beginning and what has passed since, which Go counts by the monotonic clock.
func (c steadyClock) Now() time.Time { return c.from.Add(c.Clock.Since(c.from)) }

// Since is the time that has passed since t.
func (c steadyClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }
