package server

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// HealthHandler serves /healthz (the process answers), /readyz (calls are taken; else 503) and /metrics (Prometheus text).
// Nothing of it is protected, and nothing of it names a run.
func (s *Server) HealthHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if s.state.Load() != ready {
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		s.metrics.writeTo(w)
		if s.Requests != nil {
			_, _ = fmt.Fprintf(w, "# HELP seatrial_plugin_api_requests_total Requests that were sent to the Kubernetes API server.\n"+
				"# TYPE seatrial_plugin_api_requests_total counter\nseatrial_plugin_api_requests_total %d\n", s.Requests())
		}
	})
	return mux
}

// metrics are the counters. The zero value counts from nothing.
type metrics struct {
	mu       sync.Mutex
	calls    map[string]int
	inFlight int
	panics   int
}

func (m *metrics) begin(step string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls == nil {
		m.calls = map[string]int{}
	}
	m.calls[step]++
	m.inFlight++
}

func (m *metrics) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
}

func (m *metrics) panicked() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.panics++
}

func (m *metrics) writeTo(w http.ResponseWriter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	line("# HELP seatrial_plugin_calls_total Calls of a step by Argo's agent.")
	line("# TYPE seatrial_plugin_calls_total counter")
	for _, step := range slices.Sorted(maps.Keys(m.calls)) {
		line("seatrial_plugin_calls_total{step=%q} %d", step, m.calls[step])
	}
	line("# HELP seatrial_plugin_calls_in_flight Calls that are under way.")
	line("# TYPE seatrial_plugin_calls_in_flight gauge")
	line("seatrial_plugin_calls_in_flight %d", m.inFlight)
	line("# HELP seatrial_plugin_panics_total Steps that panicked.")
	line("# TYPE seatrial_plugin_panics_total counter")
	line("seatrial_plugin_panics_total %d", m.panics)
}
