package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// executePath is where the agent calls; it is fixed in Argo.
	executePath = "/api/v1/template.execute"
	// maxBody bounds a request, in bytes. Argo keeps templates in an object of etcd, which takes 1.5 MiB.
	maxBody = 4 << 20
	// callTimeout is below the agent's own 30 s, after which it would call again while the first call runs on.
	callTimeout = 20 * time.Second
)

// Step is one kind of work that a template can ask for. Execute answers within a second, is called again for the same node, and may be
// called by several goroutines at once, for the same node too. Ctx ends when the agent hangs up, or after 20 s.
type Step interface {
	Execute(ctx context.Context, call Call) Reply
}

// Server answers Argo's agent. Its zero state is starting: it answers 503 until SetReady.
type Server struct {
	// Steps are the steps by the name that a template has in "step".
	Steps map[string]Step
	// Version is ours, which a template must have in "version".
	Version string
	// AnyVersion names the steps that may be called by a template without a version, since a user writes it.
	AnyVersion map[string]bool
	// Token returns the agent's token. It is called for each request, since the agent writes the file when it starts.
	// A nil Token, an error or an empty token answers 503: nothing is served unprotected.
	Token func() (string, error)
	// Requests is how many requests were sent to the Kubernetes API server so far, for the metrics; nil leaves that out.
	Requests func() int64
	// Rand spreads requeues; it returns a number from 0 up to, not including, 1. Nil means math/rand/v2.
	Rand func() float64
	// Log takes panics with their stack, and refused requests; nil drops them.
	Log *slog.Logger

	state   atomic.Int32
	metrics metrics
}

const (
	starting int32 = iota
	ready
	draining
)

// SetReady begins to serve. It does not undo Drain.
func (s *Server) SetReady() { s.state.CompareAndSwap(starting, ready) }

// Drain answers 503 from now on; calls that are under way come to their end. It is final.
func (s *Server) Drain() { s.state.Store(draining) }

// Handler serves the agent. Every path and method that is not the agent's call is answered with {}, never 404 or 405.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	// 1. Admit.
	if r.URL.Path != executePath || r.Method != http.MethodPost {
		write(w, notOurs)
		return
	}
	if reason := map[int32]string{starting: "the plugin is starting", draining: "the plugin is shutting down"}[s.state.Load()]; reason != "" {
		s.refuse(w, http.StatusServiceUnavailable, reason)
		return
	}
	if status, reason := s.authorize(r); status != http.StatusOK {
		s.refuse(w, status, reason)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
		write(w, s.settle("", failed("the request is larger than 4 MiB: pass large inputs by a ConfigMap (specFrom)")))
		return
	} else if err != nil {
		write(w, s.settle("", failed("reading the request: "+err.Error())))
		return
	}
	// 2. Read.
	call, ours, err := parseCall(body)
	if !ours && err == nil {
		write(w, notOurs)
		return
	}
	// 3. Execute. 4. Settle.
	var reply Reply
	if err != nil {
		reply = failed(err.Error())
	} else {
		ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
		defer cancel()
		reply = s.execute(ctx, call)
	}
	write(w, s.settle(call.Step, reply))
}

func (s *Server) refuse(w http.ResponseWriter, status int, reason string) {
	s.logger().Warn("refusing a call", "status", status, "reason", reason)
	http.Error(w, reason, status)
}

func (s *Server) logger() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}
