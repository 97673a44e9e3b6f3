package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// writtenFor is the time over which a log is written from its beginning on, but for its last lines.
	writtenFor = 20 * time.Second
	// atTheEnd is how many lines are written when the container ends: the footer of nccl-tests.
	atTheEnd = 4
)

// logText is a log that grows while its container runs.
type logText struct {
	lines []string
	began time.Time

	mu    sync.Mutex
	end   time.Time // zero: not known yet
	known chan struct{}
}

func newLogText(text string, began time.Time) *logText {
	return &logText{lines: strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n"), began: began, known: make(chan struct{})}
}

func (l *logText) endAt(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = at
	close(l.known)
}

func (l *logText) isOver(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.end.IsZero() && !now.Before(l.end)
}

// at is when a line is written; ok is false while nobody knows.
func (l *logText) at(i int) (at time.Time, ok bool) {
	if i < len(l.lines)-atTheEnd {
		return l.began.Add(writtenFor * time.Duration(i) / time.Duration(len(l.lines))), true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end, !l.end.IsZero()
}

// logOptions are what a kubelet is asked for with a log.
type logOptions struct {
	follow, timestamps bool
	since              time.Time
}

func optionsOf(r *http.Request) (o logOptions, err error) {
	q := r.URL.Query()
	for name, into := range map[string]*bool{"follow": &o.follow, "timestamps": &o.timestamps} {
		if text := q.Get(name); text != "" {
			if *into, err = strconv.ParseBool(text); err != nil {
				return o, fmt.Errorf("reading %s: %w", name, err)
			}
		}
	}
	if text := q.Get("sinceTime"); text != "" {
		if o.since, err = time.Parse(time.RFC3339, text); err != nil {
			return o, fmt.Errorf("reading sinceTime: %w", err)
		}
	}
	return o, nil
}

// send writes what there is of the log, and with follow what comes, to the container's end.
func (l *logText) send(ctx context.Context, out io.Writer, flush func(), o logOptions) error {
	for i := range l.lines {
		at, ok := l.at(i)
		if !ok || time.Now().Before(at) {
			if !o.follow {
				return nil
			}
			flush()
			if !ok {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-l.known:
				}
				at, _ = l.at(i)
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Until(at)):
			}
		}
		if at.Before(o.since) {
			continue
		}
		line := strings.TrimSuffix(l.lines[i], "\n") + "\n"
		if o.timestamps {
			line = at.UTC().Format(time.RFC3339Nano) + " " + line
		}
		if _, err := io.WriteString(out, line); err != nil {
			return err
		}
	}
	flush()
	return nil
}

// serveLogs is the part of a kubelet that the API server asks for logs.
func (k *kubelet) serveLogs() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		log := k.launcher(r.PathValue("pod"))
		if log == nil || r.URL.Query().Get("previous") == "true" {
			http.Error(w, "there is no such log", http.StatusNotFound)
			return
		}
		o, err := optionsOf(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		flush := http.NewResponseController(w)
		_ = log.send(r.Context(), w, func() { _ = flush.Flush() }, o) // whoever hung up wants no more
	})
	return mux
}
