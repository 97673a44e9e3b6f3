package steps

import (
	"context"
	"sync"
	"time"

	"github.com/seed-95c1acfe/seatrial/internal/planning"
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
			end.message = planning.OneLine(err)
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
		return server.Reply{Requeue: 15 * time.Second}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.message == t.told {
		return server.Reply{Requeue: 3 * time.Second}
	}
	t.told = t.message
	return server.Reply{Phase: server.Running, Message: t.message, Requeue: 3 * time.Second}
}
