package steps

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// readAtOnce is the buffer of each log in bytes: a thousand are read side by side, and io.Copy's own buffers would be 32 MiB of that.
const readAtOnce = 4 << 10

// readWithin bounds the reading of what is left of a log once its container has ended.
const readWithin = time.Minute

// followers reads the logs of an attempt's watched containers while they are written, so that a rotation loses nothing.
type followers struct {
	r    *run
	ctx  context.Context //nolint:containedctx // ends with close, which waits for every reader
	stop context.CancelFunc
	wait sync.WaitGroup
	logs map[logID]*follower
	// profile adds patterns; nil for none.
	profile *parse.Profile
	// noted is how far another process came with the logs, by logID.String; nil when there was none.
	noted map[string]json.RawMessage
}

// logID names one run of one container: rows of two runs are never added up.
type logID struct {
	uid     string
	restart int32
}

// follower reads one log. A stream that broke is opened again where it broke.
type follower struct {
	pod, container string

	mu   sync.Mutex
	text logReader
	// whole: the stream ended by itself, at the time ended.
	whole bool
	ended time.Time
	err   error
	done  chan struct{}
}

const (
	// statusStep is the unit of a status' times: a container may have written for that much longer than its status says.
	statusStep = time.Second
	// endedEarly is how long before its container a stream may end and still be believed to have shown all of it, where it cannot be
	// opened again: clocks differ a little.
	endedEarly = 5 * time.Second
)

func newFollower(pod string, profile *parse.Profile) *follower {
	return &follower{pod: pod, container: containerNode, text: logReader{parser: &parse.Parser{Profile: profile}, tail: &parse.Tail{}}}
}

func newFollowers(r *run, ctx context.Context) *followers { //nolint:revive // the run is the receiver in spirit
	ctx, stop := context.WithCancel(ctx)
	return &followers{r: r, ctx: ctx, stop: stop, logs: map[logID]*follower{}}
}

func (f *followers) close() {
	f.stop()
	f.wait.Wait()
}

// follow starts to read the log of each pod's workload container that runs or has run and is not followed yet.
func (f *followers) follow(pods []corev1.Pod) {
	for i := range pods {
		p := &pods[i]
		s := containerStatus(p)
		if s == nil || s.State.Running == nil && s.State.Terminated == nil {
			continue
		}
		id := logID{string(p.UID), s.RestartCount}
		if old, has := f.logs[id]; has && !old.broke(f.until(s)) {
			continue
		}
		f.start(id, p.Name, cluster.LogOptions{Container: containerNode, Follow: true})
	}
}

// start begins to read a log, or goes on with it where its stream broke, or where another process has noted that it was.
func (f *followers) start(id logID, pod string, o cluster.LogOptions) {
	l := f.logs[id]
	if l == nil {
		l = newFollower(pod, f.profile)
		l.text.restore(f.noted[id.String()])
		f.logs[id] = l
	}
	l.mu.Lock()
	o.Timestamps = true
	l.done = make(chan struct{})
	l.mu.Unlock()
	f.wait.Go(func() { l.read(f.ctx, f.r, o) })
}

// String is the key of the log in the run record.
func (id logID) String() string { return fmt.Sprintf("%s/%d", id.uid, id.restart) }

// progress is how far every log has been read, for a process that may have to go on.
func (f *followers) progress() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for id, l := range f.logs {
		l.mu.Lock()
		saved := l.text.save()
		l.mu.Unlock()
		if saved != nil {
			all[id.String()] = saved
		}
	}
	return all
}

// until is the time to which a container has written at least, by its status: a kubelet ends a stream before that when it
// rotates the log or restarts.
func (f *followers) until(s *corev1.ContainerStatus) time.Time {
	if t := s.State.Terminated; t != nil {
		return t.FinishedAt.Time
	}
	return f.r.s.clock.Now().Add(-2 * f.r.fresh()) // it ran when it was last looked at
}

// broke says whether the reading ended and left something out that was written before a time.
func (l *follower) broke(until time.Time) bool {
	select {
	case <-l.done:
		l.mu.Lock()
		defer l.mu.Unlock()
		return !l.whole || l.ended.Before(until.Add(statusStep))
	default:
		return false
	}
}

// againAfter is the pause before a stream that ended is opened once more. It bounds what a rotation in between may take away,
// and holds a container whose streams all break to four requests a second.
const againAfter = 250 * time.Millisecond

// read reads a log to its end. A stream that ended is opened once more, until nothing new comes: a kubelet that has no watches
// left ends every stream where the log ends for the moment, and the next look at the pod may come after another rotation.
func (l *follower) read(ctx context.Context, r *run, o cluster.LogOptions) {
	defer close(l.done)
	defer r.s.recovered("the log of "+l.pod, func(message string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.err = errors.New(message)
	})
	for {
		before := l.lines()
		if err := l.stream(ctx, r, o); err != nil || l.lines() == before || r.s.pause(ctx, againAfter) != nil {
			return
		}
	}
}

// stream reads what one stream gives that has not been read.
func (l *follower) stream(ctx context.Context, r *run, o cluster.LogOptions) error {
	l.locked(func() { o.Since = l.text.since() })
	stream, err := r.s.cluster.Log(ctx, r.owner.Namespace, l.pod, o)
	if err == nil {
		l.locked(l.text.reopen)
		_, err = io.CopyBuffer(l, stream, make([]byte, readAtOnce))
		err = errors.Join(err, stream.Close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && l.whole {
		return err // it ended by itself before, and the runtime keeps no more of it: what was read is all there is
	}
	l.err, l.whole, l.ended = err, err == nil, r.s.clock.Now()
	return err
}

// lines counts those that have been read, of a log whose lines have times.
func (l *follower) lines() (n int) {
	l.locked(func() { n = l.text.seen.n })
	return n
}

// locked does something with what is read, and lets go of it even when that panics.
func (l *follower) locked(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
}

// Write takes more of the log.
func (l *follower) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

// finish ends the reading and scores every log that there is. problem says why one could not be read to its end. A log of a
// container that still runs, because its time is over, is scored as far as it goes.
func (f *followers) finish(ctx context.Context, pods []corev1.Pod, cut bool) (scores []v1alpha1.LogScore, problem string) {
	ids := f.decisive(pods)
	followed := map[logID]*follower{}
	for _, id := range ids {
		l := f.logs[id.logID]
		if l != nil && id.previous {
			// A container that was started again between the look at its pod and the opening of its log was followed in its
			// next run: its first one is read by name.
			followed[id.logID] = l
			delete(f.logs, id.logID)
			delete(f.noted, id.String())
			l = nil
		}
		if l == nil || !cut && l.broke(id.until) {
			f.start(id.logID, id.pod, cluster.LogOptions{Container: containerNode, Previous: id.previous})
		}
	}
	until := f.r.s.clock.Now().Add(readWithin) // for all of them: they are read side by side
	for more := !cut; more; {
		more = f.again(ctx, ids, until)
	}
	var (
		names []string
		logs  []parse.Log
	)
	for _, id := range ids {
		l := f.logs[id.logID]
		if old := followed[id.logID]; old != nil && old.sawMore(l, id.until) {
			l = old
			f.logs[id.logID] = l
		}
		l.mu.Lock()
		l.text.finish()
		names, logs = append(names, id.pod), append(logs, l.text.parser.Finish())
		l.text.parser = &parse.Parser{} // a log that is still being written goes on into this one, which nobody reads
		if !l.whole && !cut {
			problem = id.pod + ": " + reasonOf(l.err)
		}
		l.mu.Unlock()
	}
	scores = score.Logs(names, logs)
	if len(ids) == 0 && !cut {
		problem = "no container ran"
	}
	return scores, problem
}

// again waits for the logs to be read, and opens those again that broke: a kubelet that starts anew refuses for a while. It is false
// when all are whole, or the time is up.
func (f *followers) again(ctx context.Context, ids []decisiveLog, until time.Time) bool {
	var broken []decisiveLog
	for _, id := range ids {
		l := f.logs[id.logID]
		f.await(ctx, l, until)
		if l.failed() {
			broken = append(broken, id)
		}
	}
	if len(broken) == 0 || !f.r.s.clock.Now().Add(poll).Before(until) || f.r.s.pause(ctx, poll) != nil {
		return false
	}
	for _, id := range broken {
		f.start(id.logID, id.pod, cluster.LogOptions{Container: containerNode, Previous: id.previous})
	}
	return true
}

// failed says whether the reading ended with an error that may pass.
func (l *follower) failed() bool {
	select {
	case <-l.done:
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.err != nil && !l.whole && !apierrors.IsNotFound(l.err)
	default:
		return false
	}
}

// replaced says whether another pod than those that are there now was followed in the same attempt.
func (f *followers) replaced(pods []corev1.Pod) bool {
	there := map[string]bool{}
	for i := range pods {
		there[string(pods[i].UID)] = true
	}
	for id := range f.logs {
		if !there[id.uid] {
			return true
		}
	}
	for key := range f.noted {
		if uid, _, _ := strings.Cut(key, "/"); !there[uid] {
			return true
		}
	}
	return false
}

// sawMore says whether a log that was followed holds more than what a runtime still had of it afterwards: it was read to its
// end, and begins earlier, since the log was rotated, or the other could not be read.
func (l *follower) sawMore(later *follower, until time.Time) bool {
	if l.broke(until.Add(-endedEarly)) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	later.mu.Lock()
	defer later.mu.Unlock()
	return l.whole && (!later.whole || l.text.first < later.text.first)
}

func reasonOf(err error) string {
	if err == nil {
		return fmt.Sprintf("it did not end within %s", readWithin)
	}
	return err.Error()
}

func (f *followers) await(ctx context.Context, l *follower, until time.Time) {
	timer := f.r.s.clock.NewTimer(until.Sub(f.r.s.clock.Now()))
	defer timer.Stop()
	select {
	case <-l.done:
	case <-ctx.Done():
	case <-timer.C():
	}
}

type decisiveLog struct {
	logID
	pod string
	// previous: the container was started again since; its first run decides.
	previous bool
	// until is when the run of the container ended; it may have written up to then.
	until time.Time
}

// decisive picks the log of each pod that counts: that of the run whose exit decided.
func (f *followers) decisive(pods []corev1.Pod) []decisiveLog {
	var ids []decisiveLog
	stays := slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.DeletionTimestamp == nil })
	for i := range pods {
		p := &pods[i]
		s := containerStatus(p)
		if s == nil || stays && p.DeletionTimestamp != nil { // another one has taken its place
			continue
		}
		id := decisiveLog{logID: logID{string(p.UID), s.RestartCount}, pod: p.Name}
		if last := s.LastTerminationState.Terminated; last != nil && last.ExitCode != 0 && s.RestartCount > 0 {
			id.restart, id.previous, id.until = s.RestartCount-1, true, last.FinishedAt.Time
		} else if s.State.Running == nil && s.State.Terminated == nil {
			continue
		}
		if t := s.State.Terminated; t != nil && !id.previous {
			id.until = t.FinishedAt.Time
		}
		ids = append(ids, id)
	}
	return ids
}

// best is the best bus bandwidth so far, as a phrase; "" when there is none.
func (f *followers) best() string {
	for _, l := range f.ordered() {
		l.mu.Lock()
		peak, ok := l.text.parser.PeakBusGBps()
		l.mu.Unlock()
		if ok {
			return fmt.Sprintf("best busbw %.4g GB/s", peak)
		}
	}
	return ""
}

// tail is the end of the log that says most: that of a container which failed, else the first that is not empty.
func (f *followers) tail(pods []corev1.Pod) *v1alpha1.FailureLog {
	failed := map[string]bool{}
	for i := range pods {
		failed[pods[i].Name] = badExit(&pods[i]) != nil
	}
	all := f.ordered()
	slices.SortStableFunc(all, func(a, b *follower) int {
		switch {
		case failed[a.pod] == failed[b.pod]:
			return 0
		case failed[a.pod]:
			return -1
		}
		return 1
	})
	for _, l := range all {
		l.mu.Lock()
		text := strings.TrimRight(l.text.tail.String(), "\n")
		l.mu.Unlock()
		if text != "" {
			return &v1alpha1.FailureLog{Pod: l.pod, Container: l.container, Tail: text}
		}
	}
	return nil
}

func (f *followers) ordered() []*follower {
	ids := slices.SortedFunc(maps.Keys(f.logs), func(a, b logID) int {
		return cmp.Or(strings.Compare(f.logs[a].pod, f.logs[b].pod), cmp.Compare(b.restart, a.restart), strings.Compare(a.uid, b.uid))
	})
	all := make([]*follower, len(ids))
	for i, id := range ids {
		all[i] = f.logs[id]
	}
	return all
}
