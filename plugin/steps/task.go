package steps

import (
	"context"
	"sync"
	"time"

	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// A task works for one step, however often it is called: five retries of one call and a second agent find the same task.
type task struct {
	key  taskKey
	done chan struct{}

	mu      sync.Mutex
	message string
	// told is the message that Argo has.
	told   string
	result outcome
}

// task returns the task of a call, and starts it when there is none. It is not ok when the plugin is shutting down.
func (s *Steps) task(r *run, call server.Call, work func(context.Context, *run, server.Call, func(string)) outcome) (t *task, ok bool) {
	key := taskKey{runKey{call.Workflow.UID, r.scope}, call.Step, call.Group}
	if call.Step == stepRound {
		key.groups = partition.RoundName(roundOf(call))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, has := s.tasks[key]; has {
		return t, true
	}
	if s.closed {
		return nil, false
	}
	t = &task{key: key, done: make(chan struct{})}
	s.tasks[key] = t
	s.wait.Go(func() {
		defer close(t.done)
		defer s.recovered(call.Step, func(message string) { t.end(outcome{failed: true, message: message}) })
		var end outcome
		err := s.insist(s.ctx, t.say, func() error {
			end = work(s.ctx, r, call, t.say)
			return end.err
		})
		if err != nil {
			end.message = oneLine(err)
		}
		t.end(end)
	})
	return t, true
}

func (t *task) say(message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.message = message
}

func (t *task) end(o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.result = o
}

// forget drops a task whose end was told: a further call, after `argo retry` or a lost answer, starts anew from the record.
func (s *Steps) forget(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tasks[t.key] == t {
		delete(s.tasks, t.key)
	}
}

// quietRequeue is how often a silent step of a large run is called. Such a call is between two processes of one pod; at most 256
// steps are under way (partition.MaxBatches, launch or probe and score), which makes 40 calls a second. The report waits for it.
const quietRequeue = 6 * time.Second

// lingerFor is how long a call of a step of the whole run waits for its end: most are done in a moment, and another call costs
// seconds. A call must be answered within a second.
const lingerFor = 500 * time.Millisecond

// linger waits a moment for the task's end.
func (s *Steps) linger(ctx context.Context, t *task) {
	timer := s.clock.NewTimer(lingerFor)
	defer timer.Stop()
	select {
	case <-t.done:
	case <-ctx.Done():
	case <-s.ctx.Done():
	case <-timer.C():
	}
}

// reply says how far the task is. quiet keeps messages of unfinished work to itself.
func (t *task) reply(quiet bool) server.Reply {
	select {
	case <-t.done:
		t.mu.Lock()
		defer t.mu.Unlock()
		phase := server.Succeeded
		if t.result.failed {
			phase = server.Failed
		}
		return server.Reply{Phase: phase, Message: t.result.message, Outputs: t.result.outputs}
	default:
	}
	if quiet {
		return server.Reply{Requeue: quietRequeue}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.message == t.told {
		return server.Reply{Requeue: 3 * time.Second}
	}
	t.told = t.message
	return server.Reply{Phase: server.Running, Message: t.message, Requeue: 3 * time.Second}
}
