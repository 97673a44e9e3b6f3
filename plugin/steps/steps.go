package steps

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/probe"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// quietAbove is the number of groups from which on the steps poll silently: each message rewrites the whole Workflow.
const quietAbove = 32

// Steps executes the steps of all runs whose agent this plugin serves: those of one workflow.
type Steps struct {
	cluster *cluster.Cluster
	prober  *probe.Prober
	clock   clock.Clock
	log     *slog.Logger

	// ctx ends when the plugin does; every task and watcher works under it.
	ctx    context.Context //nolint:containedctx // the life of the process, handed to the goroutines that Execute starts
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu    sync.Mutex
	runs  map[runKey]*run
	tasks map[taskKey]*task
	// closed: nothing new is started.
	closed bool
}

type runKey struct{ uid, scope string }

type taskKey struct {
	runKey
	step, groups string
}

// New returns Steps that works until Close is called.
func New(c *cluster.Cluster, p *probe.Prober, clk clock.Clock, log *slog.Logger) *Steps {
	ctx, cancel := context.WithCancel(context.Background())
	return &Steps{
		cluster: c, prober: p, clock: steady(clk), log: log, ctx: ctx, cancel: cancel,
		runs: map[runKey]*run{}, tasks: map[taskKey]*task{},
	}
}

// Execute answers one call. It reports how far the step's work is, and waits for no more than a moment.
func (s *Steps) Execute(ctx context.Context, call server.Call) server.Reply {
	work, known := steps[call.Step]
	if !known {
		return failed("step %q is not one of this plugin's", call.Step)
	}
	r := s.run(call)
	t, ok := s.task(r, call, work)
	if !ok {
		return server.Reply{}
	}
	if call.Group == "" {
		s.linger(ctx, t)
	}
	reply := t.reply(r.quiet())
	if s.ctx.Err() != nil { // a task that ended just now may have done so for this reason; the next process says how it went
		return server.Reply{}
	}
	if reply.Phase == server.Succeeded || reply.Phase == server.Failed || reply.Phase == server.Error {
		s.forget(t)
	}
	return reply
}

// steps are the works behind the names. Each may be called again at any time, and finds its state in the record.
var steps = map[string]func(ctx context.Context, r *run, call server.Call, say func(string)) outcome{
	stepDiscover:  discover,
	stepPartition: partitionNodes,
	stepLaunch:    eachGroup(launch),
	stepProbe:     eachGroup(probeWorkers),
	stepScore:     eachGroup(scoreGroup),
	stepReport:    reportRun,
	stepRound:     isolationRound,
	stepFragment:  checkFragment,
}

// outcome is a step's final answer.
type outcome struct {
	failed  bool
	message string
	outputs map[string]string
	// err is what broke the step, if it did not come to its end.
	err error
}

func broken(err error) outcome {
	return outcome{failed: true, message: oneLine(err), err: err}
}

func failed(format string, args ...any) server.Reply {
	return server.Reply{Phase: server.Error, Message: fmt.Sprintf(format, args...)}
}

func (s *Steps) run(call server.Call) *run {
	owner := cluster.Owner{Namespace: call.Workflow.Namespace, Name: call.Workflow.Name, UID: call.Workflow.UID}
	key := runKey{owner.UID, scopeOf(owner.Name, call.Node, call.Step, roundOf(call))}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, has := s.runs[key]
	if !has {
		r = newRun(s, owner, key.scope)
		s.runs[key] = r
		if !s.closed {
			s.wait.Go(func() { r.watch(s.ctx) })
		}
	}
	return r
}

// groupWork is a step for one group. An error is an infrastructure problem, which the answer shows.
type groupWork func(ctx context.Context, r *run, g partition.Group, say func(string)) (ok bool, message string, err error)

// eachGroup runs the work for every group of the call's batch, side by side, and joins the answers.
func eachGroup(work groupWork) func(ctx context.Context, r *run, call server.Call, say func(string)) outcome {
	return func(ctx context.Context, r *run, call server.Call, say func(string)) outcome {
		plan, err := r.planned(ctx)
		if err != nil {
			return broken(err)
		}
		batch, err := batchOf(plan, call.Group)
		if errors.Is(err, errStale) {
			if plan, err = r.reread(ctx); err == nil {
				batch, err = batchOf(plan, call.Group)
			}
		}
		if err != nil {
			return broken(err)
		}
		answers := make([]answer, len(batch))
		var wait sync.WaitGroup
		for i, g := range batch {
			wait.Go(func() {
				tell := say
				if len(batch) > 1 {
					tell = func(string) {}
				}
				answers[i] = r.answer(ctx, g, tell, work)
			})
		}
		wait.Wait()
		return joined(answers)
	}
}

type answer struct {
	group   string
	ok      bool
	message string
}

// answer is what work comes to for one group, whatever happens to it.
func (r *run) answer(ctx context.Context, g partition.Group, say func(string), work groupWork) (a answer) {
	a.group = g.Name
	defer r.s.recovered(g.Name, func(message string) { a.ok, a.message = false, message })
	err := r.s.insist(ctx, say, func() (err error) {
		a.ok, a.message, err = work(ctx, r, g, say)
		return err
	})
	if err != nil {
		a.ok, a.message = false, oneLine(err)
	}
	return a
}

// recovered, deferred, turns a panic into a message: one fault must not end the process, which works for all groups.
func (s *Steps) recovered(where string, say func(message string)) {
	if p := recover(); p != nil {
		s.log.Error("a panic", "where", where, "panic", p, "stack", string(debug.Stack()))
		say(fmt.Sprintf("%s: a fault of Seatrial, see the plugin's log: %v", where, p))
	}
}

func joined(answers []answer) outcome {
	if len(answers) == 1 {
		return outcome{failed: !answers[0].ok, message: answers[0].message}
	}
	good, first := 0, ""
	for _, a := range answers {
		switch {
		case a.ok:
			good++
		case first == "":
			first = "; " + a.group + ": " + a.message
		}
	}
	return outcome{failed: good < len(answers), message: fmt.Sprintf("%d of %d groups%s", good, len(answers), first)}
}

// Close stops every task, cleans up what belongs to workflows that are stopped or over, and returns when all is still or
// ctx ends. It is what SIGTERM leads to.
func (s *Steps) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	runs := make([]*run, 0, len(s.runs))
	for _, r := range s.runs {
		runs = append(runs, r)
	}
	s.mu.Unlock()
	s.cancel()
	if !s.still(ctx) {
		s.log.Warn("some tasks did not stop in time")
	}
	var wait sync.WaitGroup
	for _, r := range runs {
		wait.Go(func() {
			if err := r.closeIfEnding(ctx); err != nil {
				s.log.Error("cleaning up", "workflow", r.owner.Name, "scope", r.scope, "error", err)
			}
		})
	}
	wait.Wait()
}

// still waits until every task has stopped, or until ctx ends, and says whether they have.
func (s *Steps) still(ctx context.Context) bool {
	stopped := make(chan struct{})
	go func() {
		s.wait.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
		return true
	case <-ctx.Done():
		return false
	}
}

// pause waits for d, or until ctx ends, which it says.
func (s *Steps) pause(ctx context.Context, d time.Duration) error { return pause(ctx, s.clock, d) }

func pause(ctx context.Context, clk clock.Clock, d time.Duration) error {
	timer := clk.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C():
		return nil
	}
}

// ByName returns the steps by the name that a plugin body has in "step".
func (s *Steps) ByName() map[string]server.Step {
	byName := make(map[string]server.Step, len(steps))
	for name := range steps {
		byName[name] = s
	}
	return byName
}
