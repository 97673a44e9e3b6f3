package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

type stepFunc func(ctx context.Context, call Call) Reply

func (f stepFunc) Execute(ctx context.Context, call Call) Reply { return f(ctx, call) }

func answering(r Reply) Step {
	return stepFunc(func(context.Context, Call) Reply { return r })
}

func newServer(steps map[string]Step) *Server {
	s := &Server{
		Steps: steps, Version: "1.4", AnyVersion: map[string]bool{"fragment": true},
		Token: func() (string, error) { return "secret\n", nil },
		Rand:  func() float64 { return 0.5 },
	}
	s.SetReady()
	return s
}

func send(s *Server, method, path, auth, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if auth != "" {
		r.Header.Set("Authorization", auth)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func post(s *Server, body string) *httptest.ResponseRecorder {
	return send(s, http.MethodPost, executePath, "Bearer secret", body)
}

// ask is a whole request of the agent with the given plugin field.
func ask(plugin string) string {
	return `{"workflow":{"metadata":{"name":"wf","namespace":"ns","uid":"u-1"}},"template":{"name":"score","inputs":{"parameters":[
		{"name":"image","value":"example.org/x:1"},{"name":"numNodes","value":"2"},{"name":"bare","value":4},{"name":"none"},{"name":"null","value":null}]},
		"outputs":{},"plugin":` + plugin + `}}`
}

const score = `{"seatrial":{"step":"score","groups":"groups 32-47","node":"wf.groups(3:group-3).score","version":"1.4","extra":{"a":[1]}}}`

func TestACallReachesItsStepWhole(t *testing.T) {
	var got Call
	s := newServer(map[string]Step{"score": stepFunc(func(ctx context.Context, call Call) Reply {
		got = call
		_, bounded := ctx.Deadline()
		require.True(t, bounded)
		return Reply{Phase: Succeeded, Message: "pass", Outputs: map[string]string{"verdict": "pass", "failed": "[]", "passed": `["n1"]`}}
	})})
	w := post(s, ask(score))
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.JSONEq(t, `{"node":{"phase":"Succeeded","message":"pass","outputs":{"parameters":[
		{"name":"failed","value":"[]"},{"name":"passed","value":"[\"n1\"]"},{"name":"verdict","value":"pass"}]}}}`, w.Body.String())

	require.JSONEq(t, `{"step":"score","groups":"groups 32-47","node":"wf.groups(3:group-3).score","version":"1.4","extra":{"a":[1]}}`, string(got.Body))
	got.Body = nil
	require.Equal(t, Call{
		Workflow: Workflow{Name: "wf", Namespace: "ns", UID: "u-1"},
		Step:     "score", Group: "groups 32-47", Node: "wf.groups(3:group-3).score", Version: "1.4",
		Parameters: map[string]string{"image": "example.org/x:1", "numNodes": "2", "bare": "4"},
	}, got)
}

func TestRepliesFollowTheWire(t *testing.T) {
	long := strings.Repeat("ä", 2000)
	for name, tt := range map[string]struct {
		reply Reply
		want  string
	}{
		"running has a requeue with jitter":     {Reply{Phase: Running, Message: "2 of 4 ready", Requeue: 10 * time.Second}, `{"node":{"phase":"Running","message":"2 of 4 ready"},"requeue":"11s"}`},
		"running without a requeue gets one":    {Reply{Phase: Running}, `{"node":{"phase":"Running"},"requeue":"3.3s"}`},
		"a silent poll has a node all the same": {Reply{}, `{"node":{"phase":""},"requeue":"16.5s"}`},
		"a negative requeue is none":            {Reply{Requeue: -time.Second}, `{"node":{"phase":""},"requeue":"16.5s"}`},
		"a requeue is never zero":               {Reply{Requeue: 1}, `{"node":{"phase":""},"requeue":"1ms"}`},
		"a final phase has no requeue":          {Reply{Phase: Failed, Message: "slow", Requeue: time.Second}, `{"node":{"phase":"Failed","message":"slow"}}`},
		"a final phase has a message":           {Reply{Phase: Succeeded}, `{"node":{"phase":"Succeeded","message":"score succeeded"}}`},
		"a blank message is none":               {Reply{Phase: Error, Message: "\x00\n"}, `{"node":{"phase":"Error","message":"score error"}}`},
		"a message is one printable line":       {Reply{Phase: Failed, Message: "\x1b[31ma\nb\x00\u202e"}, `{"node":{"phase":"Failed","message":"a b"}}`},
		"a message is cut":                      {Reply{Phase: Failed, Message: long}, `{"node":{"phase":"Failed","message":"` + strings.Repeat("ä", 999) + `…"}}`},
		"pending is no phase":                   {Reply{Phase: "Pending", Message: "m", Requeue: time.Second}, `{"node":{"phase":"Error","message":"step score answered the phase \"Pending\", which is none: m"}}`},
		"outputs of a failure are kept":         {Reply{Phase: Failed, Message: "m", Outputs: map[string]string{"verdict": "fail"}}, `{"node":{"phase":"Failed","message":"m","outputs":{"parameters":[{"name":"verdict","value":"fail"}]}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := post(newServer(map[string]Step{"score": answering(tt.reply)}), ask(score))
			require.Equal(t, http.StatusOK, w.Code)
			require.JSONEq(t, tt.want, w.Body.String())
		})
	}
}

func TestWhatIsNotOursIsAnsweredWithNothing(t *testing.T) {
	s := newServer(map[string]Step{"score": stepFunc(func(context.Context, Call) Reply { panic("must not be called") })})
	for name, w := range map[string]*httptest.ResponseRecorder{
		"another plugin":    post(s, ask(`{"hello":{}}`)),
		"a key like ours":   post(s, ask(`{"Seatrial":{"step":"score"}}`)),
		"a null plugin":     post(s, ask(`null`)),
		"an empty plugin":   post(s, ask(`{}`)),
		"no template":       post(s, `{}`),
		"null":              post(s, `null`),
		"the root":          send(s, http.MethodPost, "/", "Bearer secret", ask(score)),
		"another path":      send(s, http.MethodPost, "/api/v1/template.execute/", "", ask(score)),
		"another method":    send(s, http.MethodGet, executePath, "", ""),
		"a path with dots":  send(s, http.MethodPost, "/../x//y", "", ""),
		"the agent's probe": send(s, http.MethodHead, executePath, "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, http.StatusOK, w.Code)
			require.JSONEq(t, `{}`, w.Body.String())
		})
	}
}

func TestWhatCannotBeServedIsAnErrorOfTheNode(t *testing.T) {
	s := newServer(map[string]Step{"score": answering(Reply{Phase: Succeeded}), "launch": answering(Reply{}), "fragment": answering(Reply{Phase: Succeeded, Message: "fine"})})
	for name, tt := range map[string]struct{ body, message string }{
		"not JSON":                {"{", "reading the request: unexpected end of JSON input"},
		"an empty body":           {"", "reading the request: unexpected end of JSON input"},
		"a body of another type":  {ask(`{"seatrial":"score"}`), "reading the template's seatrial body: json: cannot unmarshal string into Go value of type struct"},
		"a step that is a number": {ask(`{"seatrial":{"step":1}}`), "reading the template's seatrial body: json: cannot unmarshal number into Go struct field .step of type string"},
		"a null body":             {ask(`{"seatrial":null}`), `the template's seatrial body has no "step"`},
		"no step":                 {ask(`{"seatrial":{"version":"1.4"}}`), `the template's seatrial body has no "step"`},
		"an unknown step":         {ask(`{"seatrial":{"step":"x","version":"1.4"}}`), `step "x" is not one of fragment, launch, score`},
		"another version":         {ask(`{"seatrial":{"step":"score","version":"1.3"}}`), "the templates have version 1.3, the plugin has version 1.4: apply the WorkflowTemplates of version 1.4 to namespace ns"},
		"no version":              {ask(`{"seatrial":{"step":"score"}}`), "the templates have no version, the plugin has version 1.4: apply the WorkflowTemplates of version 1.4 to namespace ns"},
		"a later version's step":  {ask(`{"seatrial":{"step":"x","version":"2"}}`), "the templates have version 2, the plugin has version 1.4: apply the WorkflowTemplates of version 1.4 to namespace ns"},
		"too large":               {ask(`{"seatrial":{"step":"score","version":"1.4","pad":"` + strings.Repeat("x", 4<<20) + `"}}`), "the request is larger than 4 MiB: pass large inputs by a ConfigMap (specFrom)"},
	} {
		t.Run(name, func(t *testing.T) {
			w := post(s, tt.body)
			require.Equal(t, http.StatusOK, w.Code)
			var reply wireReply
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &reply))
			require.Equal(t, Error, reply.Node.Phase)
			require.Contains(t, reply.Node.Message, tt.message)
			require.Empty(t, reply.Requeue)
		})
	}
	t.Run("a step of any version needs none", func(t *testing.T) {
		require.JSONEq(t, `{"node":{"phase":"Succeeded","message":"fine"}}`, post(s, ask(`{"seatrial":{"step":"fragment"}}`)).Body.String())
	})
}

func TestAPanicIsAnErrorOfTheNode(t *testing.T) {
	var log bytes.Buffer
	s := newServer(map[string]Step{"score": stepFunc(func(context.Context, Call) Reply { panic(errors.New("index out of range")) })})
	s.Log = slog.New(slog.NewTextHandler(&log, nil))
	w := post(s, ask(score))
	require.Equal(t, http.StatusOK, w.Code)
	require.JSONEq(t, `{"node":{"phase":"Error","message":"step score panicked: index out of range; the plugin's log has the stack"}}`, w.Body.String())
	require.Contains(t, log.String(), "server_test.go")
	require.Contains(t, scrape(s), "seatrial_plugin_panics_total 1\n")
	require.Contains(t, scrape(s), "seatrial_plugin_calls_in_flight 0\n")
}

func TestTheToken(t *testing.T) {
	called := false
	s := newServer(map[string]Step{"score": stepFunc(func(context.Context, Call) Reply { called = true; return Reply{Phase: Succeeded} })})
	for name, tt := range map[string]struct {
		auth  string
		token func() (string, error)
		want  int
	}{
		"the agent's":          {"Bearer secret", s.Token, http.StatusOK},
		"none":                 {"", s.Token, http.StatusUnauthorized},
		"another scheme":       {"Basic secret", s.Token, http.StatusUnauthorized},
		"another token":        {"Bearer secreT", s.Token, http.StatusForbidden},
		"a part of it":         {"Bearer secre", s.Token, http.StatusForbidden},
		"an empty one":         {"Bearer ", s.Token, http.StatusForbidden},
		"a file not there yet": {"Bearer secret", func() (string, error) { return "", errors.New("no such file") }, http.StatusServiceUnavailable},
		"an empty file":        {"Bearer ", func() (string, error) { return "\n", nil }, http.StatusServiceUnavailable},
		"no way to know":       {"Bearer secret", nil, http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			called, s.Token = false, tt.token
			require.Equal(t, tt.want, send(s, http.MethodPost, executePath, tt.auth, ask(score)).Code)
			require.Equal(t, tt.want == http.StatusOK, called)
		})
	}
	t.Run("is read again for each call", func(t *testing.T) {
		token := "old"
		s.Token = func() (string, error) { return token, nil }
		require.Equal(t, http.StatusForbidden, post(s, ask(score)).Code)
		token = "secret"
		require.Equal(t, http.StatusOK, post(s, ask(score)).Code)
	})
}

func scrape(s *Server) string { return health(s, "/metrics").Body.String() }

func health(s *Server, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.HealthHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func TestStartingReadyDraining(t *testing.T) {
	fresh := newServer(nil)
	s := &Server{Steps: map[string]Step{"score": answering(Reply{Phase: Succeeded})}, Version: "1.4", Token: fresh.Token}
	expect := func(call, ready int, what string) {
		require.Equal(t, call, post(s, ask(score)).Code, what)
		require.Equal(t, ready, health(s, "/readyz").Code, what)
		require.Equal(t, http.StatusOK, health(s, "/healthz").Code, what)
		require.Equal(t, http.StatusOK, send(s, http.MethodGet, "/", "", "").Code, "never 404, nor 503 to a stranger")
	}
	expect(http.StatusServiceUnavailable, http.StatusServiceUnavailable, "starting")
	s.SetReady()
	expect(http.StatusOK, http.StatusOK, "ready")
	s.Drain()
	expect(http.StatusServiceUnavailable, http.StatusServiceUnavailable, "draining")
	s.SetReady()
	expect(http.StatusServiceUnavailable, http.StatusServiceUnavailable, "draining is final")
}

func TestDrainLetsACallEnd(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	s := newServer(map[string]Step{"score": stepFunc(func(context.Context, Call) Reply {
		close(entered)
		<-leave
		return Reply{Phase: Succeeded, Message: "done"}
	})})
	answer := make(chan *httptest.ResponseRecorder)
	go func() { answer <- post(s, ask(score)) }()
	<-entered
	s.Drain()
	require.Contains(t, scrape(s), "seatrial_plugin_calls_in_flight 1\n")
	close(leave)
	require.JSONEq(t, `{"node":{"phase":"Succeeded","message":"done"}}`, (<-answer).Body.String())
}

func TestMetrics(t *testing.T) {
	s := newServer(map[string]Step{"score": answering(Reply{}), "launch": answering(Reply{})})
	post(s, ask(score))
	post(s, ask(score))
	post(s, ask(`{"seatrial":{"step":"launch","version":"1.4"}}`))
	post(s, ask(`{"seatrial":{"step":"evil\"} 1\n","version":"1.4"}}`))
	post(s, ask(`{"hello":{}}`))
	require.Equal(t, `# HELP seatrial_plugin_calls_total Calls of a step by Argo's agent.
# TYPE seatrial_plugin_calls_total counter
seatrial_plugin_calls_total{step="launch"} 1
seatrial_plugin_calls_total{step="other"} 1
seatrial_plugin_calls_total{step="score"} 2
# HELP seatrial_plugin_calls_in_flight Calls that are under way.
# TYPE seatrial_plugin_calls_in_flight gauge
seatrial_plugin_calls_in_flight 0
# HELP seatrial_plugin_panics_total Steps that panicked.
# TYPE seatrial_plugin_panics_total counter
seatrial_plugin_panics_total 0
`, scrape(s))
}

// For every body: 200 and one JSON reply; a step runs only when the body is ours; no Running or Poll without a requeue,
// no final phase with one or without a message.
func FuzzRequest(f *testing.F) {
	for _, plugin := range []string{score, `{"hello":{}}`, `{"seatrial":null}`, `{"seatrial":{"step":1}}`, `{"seatrial":{"step":"score","version":"1.4"},"hello":1}`} {
		f.Add([]byte(ask(plugin)), "Running", "m", int64(0))
	}
	f.Add([]byte(`{"template":{"plugin":[]}}`), "", "\x1b[31m", int64(-1))
	f.Add([]byte("\xff"), "Pending", strings.Repeat("x", 2000), int64(1)<<62)
	f.Fuzz(func(t *testing.T, body []byte, phase, message string, requeue int64) {
		ran := false
		s := newServer(map[string]Step{"score": stepFunc(func(context.Context, Call) Reply {
			ran = true
			return Reply{Phase: Phase(phase), Message: message, Outputs: map[string]string{message: phase}, Requeue: time.Duration(requeue)}
		})})
		w := post(s, string(body))
		require.Equal(t, http.StatusOK, w.Code)
		var reply wireReply
		decoder := json.NewDecoder(w.Body)
		require.NoError(t, decoder.Decode(&reply))
		require.ErrorIs(t, decoder.Decode(new(any)), io.EOF)
		if ran {
			require.Contains(t, string(body), "s", "the key may be written with escapes, never without a body")
			require.NotNil(t, reply.Node)
		}
		if reply.Node == nil {
			require.Empty(t, reply.Requeue)
			return
		}
		require.LessOrEqual(t, utf8.RuneCountInString(reply.Node.Message), maxMessage)
		switch reply.Node.Phase {
		case Running, Poll:
			pause, err := time.ParseDuration(reply.Requeue)
			require.NoError(t, err)
			require.Positive(t, pause)
		case Succeeded, Failed, Error:
			require.Empty(t, reply.Requeue)
			require.NotEmpty(t, reply.Node.Message)
		default:
			t.Fatalf("phase %q", reply.Node.Phase)
		}
	})
}

func BenchmarkCalls(b *testing.B) {
	s := newServer(map[string]Step{"score": answering(Reply{Phase: Running, Message: "16 of 64 groups done"})})
	body := ask(score)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if w := post(s, body); w.Code != http.StatusOK {
				b.Fail()
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
