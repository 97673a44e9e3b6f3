package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// agent calls as Argo's does (workflow/executor/agent.go, workflow/executor/plugins/rpc and workflow/util/plugins of v3.7.18): 30 s
// for a call; up to five of them after a timeout, a lost connection or 503, with pauses from 1 s on that double; any other status but
// 200 is final, and after 404 the plugin is never called again. It plays in a bubble of testing/synctest.
type agent struct {
	// plugin answers; it is replaced when the plugin is started anew.
	plugin atomic.Pointer[http.Handler]
	token  string

	mu      sync.Mutex
	calls   int
	invalid bool
}

const (
	agentTimeout = 30 * time.Second
	agentTries   = 5
)

func newAgent(h http.Handler) *agent {
	a := &agent{token: "secret"}
	a.plugin.Store(&h)
	return a
}

// errGone is a connection that ended before the answer.
var errGone = errors.New("EOF")

// once is one HTTP call. The handler goes on after its caller has given up, as it does behind a real connection.
func (a *agent) once(body string) (status int, answer []byte, err error) {
	a.mu.Lock()
	a.calls++
	a.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), agentTimeout)
	done := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		defer cancel()
		r := httptest.NewRequest(http.MethodPost, executePath, strings.NewReader(body)).WithContext(ctx)
		r.Header.Set("Authorization", "Bearer "+a.token)
		w := httptest.NewRecorder()
		defer func() {
			if recover() != nil {
				close(done)
			}
		}()
		(*a.plugin.Load()).ServeHTTP(w, r)
		done <- w
	}()
	timer := time.NewTimer(agentTimeout)
	defer timer.Stop()
	select {
	case w, is := <-done:
		if !is {
			return 0, nil, errGone
		}
		return w.Code, w.Body.Bytes(), nil
	case <-timer.C:
		return 0, nil, context.DeadlineExceeded
	}
}

// call is one call of a template, tries and all. Its error fails the node.
func (a *agent) call(body string) (wireReply, error) {
	a.mu.Lock()
	invalid := a.invalid
	a.mu.Unlock()
	if invalid {
		return wireReply{}, errors.New("no plugin executed the template")
	}
	pause := time.Second
	for try := 1; ; try++ {
		status, answer, err := a.once(body)
		transient := err != nil || status == http.StatusServiceUnavailable
		switch {
		case status == http.StatusNotFound:
			a.mu.Lock()
			a.invalid = true
			a.mu.Unlock()
			return wireReply{}, errors.New("no plugin executed the template")
		case !transient && status != http.StatusOK:
			return wireReply{}, fmt.Errorf("%d: %s", status, answer)
		case !transient:
			var reply wireReply
			err := json.NewDecoder(bytes.NewReader(answer)).Decode(&reply)
			return reply, err
		case try == agentTries:
			return wireReply{}, fmt.Errorf("%d: %s: %w", status, answer, err)
		}
		time.Sleep(pause)
		pause *= 2
	}
}

// run calls until the node is final, as often as the plugin asks to be called again.
func (a *agent) run(body string) (wireNode, error) {
	for {
		reply, err := a.call(body)
		if err != nil {
			return wireNode{Phase: Failed, Message: err.Error()}, err
		}
		if reply.Node == nil {
			return wireNode{Phase: Failed}, errors.New("no plugin executed the template")
		}
		if reply.Node.Phase != Running && reply.Node.Phase != Poll {
			return *reply.Node, nil
		}
		pause, err := time.ParseDuration(reply.Requeue)
		if err != nil {
			return wireNode{}, fmt.Errorf("the node hangs for ever: %w", err)
		}
		time.Sleep(pause)
	}
}

func TestTheAgentOfArgo(t *testing.T) {
	bubble := func(name string, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
	}
	bubble("a_step_that_waits_on_its_context_is_answered_before_the_agent_gives_up", func(t *testing.T) {
		ran := 0
		a := newAgent(newServer(map[string]Step{"score": stepFunc(func(ctx context.Context, _ Call) Reply {
			ran++
			if ran > 1 {
				return Reply{Phase: Succeeded}
			}
			<-ctx.Done()
			return Reply{Phase: Poll}
		})}).Handler())
		node, err := a.run(ask(score))
		require.NoError(t, err)
		require.Equal(t, Succeeded, node.Phase)
		require.Equal(t, 2, a.calls, "none was tried again")
	})
	bubble("a_step_that_hangs_is_called_five_times_at_once_and_fails_its_node_alone", func(t *testing.T) {
		var at, most atomic.Int32
		hang := make(chan struct{})
		s := newServer(map[string]Step{
			"score": stepFunc(func(context.Context, Call) Reply {
				most.Store(max(most.Load(), at.Add(1)))
				defer at.Add(-1)
				<-hang
				return Reply{Phase: Succeeded}
			}),
			"launch": answering(Reply{Phase: Succeeded, Message: "made"}),
		})
		a := newAgent(s.Handler())
		_, err := a.run(ask(score))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualValues(t, 5, most.Load())
		node, err := a.run(ask(`{"seatrial":{"step":"launch","version":"1.4"}}`))
		require.NoError(t, err)
		require.Equal(t, "made", node.Message)
		close(hang)
		synctest.Wait()
		require.Contains(t, scrape(s), "seatrial_plugin_calls_in_flight 0\n")
	})
	bubble("a_plugin_that_starts_within_15_s_costs_nothing", func(t *testing.T) {
		s := &Server{Steps: map[string]Step{"score": answering(Reply{Phase: Succeeded})}, Version: "1.4", Token: func() (string, error) { return "secret", nil }}
		a := newAgent(s.Handler())
		go func() {
			time.Sleep(14 * time.Second)
			s.SetReady()
		}()
		node, err := a.run(ask(score))
		require.NoError(t, err)
		require.Equal(t, Succeeded, node.Phase)
	})
	bubble("a_token_that_comes_later_costs_nothing", func(t *testing.T) {
		began := time.Now()
		s := newServer(map[string]Step{"score": answering(Reply{Phase: Succeeded})})
		s.Token = func() (string, error) {
			if time.Since(began) < 5*time.Second {
				return "", errors.New("no such file")
			}
			return "secret", nil
		}
		_, err := newAgent(s.Handler()).run(ask(score))
		require.NoError(t, err)
	})
	bubble("a_wrong_token_fails_at_once_and_is_not_tried_again", func(t *testing.T) {
		a := newAgent(newServer(map[string]Step{"score": answering(Reply{Phase: Succeeded})}).Handler())
		a.token = "stolen"
		_, err := a.run(ask(score))
		require.ErrorContains(t, err, "403: the bearer token is not the agent's")
		require.NotContains(t, err.Error(), "secret")
		require.Equal(t, 1, a.calls)
	})
	bubble("a_plugin_that_drains_is_called_again_by_the_agent_that_comes_after_it", func(t *testing.T) {
		old := newServer(map[string]Step{"score": answering(Reply{Phase: Running, Message: "half"})})
		a := newAgent(old.Handler())
		go func() {
			time.Sleep(10 * time.Second)
			old.Drain()
			time.Sleep(5 * time.Second)
			next := newServer(map[string]Step{"score": answering(Reply{Phase: Succeeded, Message: "whole"})}).Handler()
			a.plugin.Store(&next)
		}()
		node, err := a.run(ask(score))
		require.NoError(t, err)
		require.Equal(t, "whole", node.Message)
	})
	bubble("a_process_that_dies_in_a_call_is_called_again", func(t *testing.T) {
		dies := http.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
		a := newAgent(dies)
		go func() {
			time.Sleep(2 * time.Second)
			next := newServer(map[string]Step{"score": answering(Reply{Phase: Succeeded})}).Handler()
			a.plugin.Store(&next)
		}()
		_, err := a.run(ask(score))
		require.NoError(t, err)
		require.Greater(t, a.calls, 1)
	})
	bubble("no_state_of_the_plugin_makes_the_agent_forget_it", func(t *testing.T) {
		s := &Server{Steps: map[string]Step{"score": stepFunc(func(context.Context, Call) Reply { panic("x") })}, Version: "1.4", Token: func() (string, error) { return "secret", nil }}
		a := newAgent(s.Handler())
		for _, state := range []func(){func() {}, s.SetReady, func() { a.token = "stolen" }, func() { a.token = "secret" }, s.Drain} {
			state()
			for _, body := range []string{ask(score), ask(`{"hello":{}}`), "", "{", "null", ask(`{"seatrial":{"step":"x"}}`), strings.Repeat("x", maxBody+1)} {
				_, _ = a.call(body)
				require.False(t, a.invalid, body[:min(len(body), 80)])
			}
		}
	})
	bubble("404_is_what_it_is_feared_for", func(t *testing.T) {
		a := newAgent(http.NotFoundHandler())
		_, err := a.run(ask(score))
		require.Error(t, err)
		good := newServer(map[string]Step{"score": answering(Reply{Phase: Succeeded})}).Handler()
		a.plugin.Store(&good)
		_, err = a.run(ask(score))
		require.ErrorContains(t, err, "no plugin executed the template")
		require.Equal(t, 1, a.calls)
	})
}

// 2 MiB is more than Argo can send, whose templates are in an object of etcd.
func TestALargeRequestIsReadWhole(t *testing.T) {
	var got Call
	s := newServer(map[string]Step{"score": stepFunc(func(_ context.Context, call Call) Reply { got = call; return Reply{Phase: Succeeded} })})
	spec := strings.Repeat("ä\n", 2<<20/3)
	text, err := json.Marshal(map[string]any{"workflow": map[string]any{"metadata": map[string]string{"name": "wf"}}, "template": map[string]any{
		"inputs": map[string]any{"parameters": []any{map[string]string{"name": "spec", "value": spec}}},
		"plugin": map[string]any{"seatrial": map[string]string{"step": "score", "version": "1.4"}},
	}})
	require.NoError(t, err)
	require.Greater(t, len(text), 2<<20)
	require.Equal(t, http.StatusOK, post(s, string(text)).Code)
	require.Equal(t, spec, got.Parameters["spec"])
}

// A body that comes to no end is the connection's matter: the handler gives a reply, whatever was read.
func TestABodyThatBreaksOffIsAnErrorOfTheNode(t *testing.T) {
	s := newServer(map[string]Step{"score": answering(Reply{Phase: Succeeded})})
	whole := ask(score)
	for _, end := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
		r := httptest.NewRequest(http.MethodPost, executePath, io.MultiReader(strings.NewReader(whole[:end]), broken{}))
		r.Header.Set("Authorization", "Bearer secret")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code)
		require.JSONEq(t, `{"node":{"phase":"Error","message":"reading the request: connection reset by peer"}}`, w.Body.String())
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset by peer") }

// FuzzForeignBodies: whatever another plugin of the agent pod is called with, we take no part in it, unless the body has our key.
func FuzzForeignBodies(f *testing.F) {
	for _, plugin := range []string{`{"hello":{}}`, `{"slack":{"text":"seatrial"}}`, `{"seatriaL":{"step":"score","version":"1.4"}}`, `{"a":{"seatrial":{"step":"score"}}}`, `[]`, `"seatrial"`, `1`} {
		f.Add(plugin)
	}
	f.Fuzz(func(t *testing.T, plugin string) {
		var keys map[string]json.RawMessage
		if json.Unmarshal([]byte(plugin), &keys) != nil || keys["seatrial"] != nil {
			return
		}
		s := newServer(map[string]Step{"score": stepFunc(func(context.Context, Call) Reply { panic("must not be called") })})
		w := post(s, ask(plugin))
		require.Equal(t, http.StatusOK, w.Code)
		require.JSONEq(t, `{}`, w.Body.String())
	})
}
