package steps

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/plugin/probe"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// retried calls a step over HTTP as an agent does whose calls time out: five times at once, and by two plugins, since two agents may
// live for a moment. It calls until an answer is final, and returns that.
func (a *argo) retried(plugins []http.Handler, step, group string) server.Reply {
	call := a.call(step, group)
	parameters := []any{}
	for name, value := range call.Parameters {
		parameters = append(parameters, map[string]string{"name": name, "value": value})
	}
	body, err := json.Marshal(map[string]any{
		"workflow": map[string]any{"metadata": call.Workflow},
		"template": map[string]any{"inputs": map[string]any{"parameters": parameters}, "plugin": map[string]any{"seatrial": json.RawMessage(call.Body)}},
	})
	require.NoError(a.t, err)
	type answer struct {
		Node *struct {
			Phase   server.Phase
			Message string
			Outputs struct {
				Parameters []struct{ Name, Value string }
			}
		}
		Requeue string
	}
	for range 10_000 {
		answers := make([]answer, 5)
		var wait sync.WaitGroup
		for i := range answers {
			wait.Go(func() {
				r := httptest.NewRequest(http.MethodPost, "/api/v1/template.execute", strings.NewReader(string(body)))
				r.Header.Set("Authorization", "Bearer x")
				w := httptest.NewRecorder()
				plugins[i%len(plugins)].ServeHTTP(w, r)
				if w.Code != http.StatusOK || json.Unmarshal(w.Body.Bytes(), &answers[i]) != nil || answers[i].Node == nil {
					a.t.Errorf("%d: %s", w.Code, w.Body)
				}
			})
		}
		wait.Wait()
		if a.t.Failed() {
			return server.Reply{}
		}
		for _, one := range answers {
			reply := server.Reply{Phase: one.Node.Phase, Message: one.Node.Message, Outputs: map[string]string{}}
			for _, p := range one.Node.Outputs.Parameters {
				reply.Outputs[p.Name] = p.Value
			}
			if final(reply) {
				return reply
			}
		}
		time.Sleep(3 * time.Second)
	}
	a.t.Errorf("%s %s never ends", step, group)
	return server.Reply{}
}

func TestFiveRetriesOfEachCallByTwoPluginsMakeOneRun(t *testing.T) {
	simulate(t, 4, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-1"] = play{log: wrongTable}
		a := s.workflow("nccl", nil)
		other := New(s.As(s.used.may), &probe.Prober{Clock: clock.RealClock{}, Dial: a.dial}, clock.RealClock{}, slog.New(slog.DiscardHandler))
		defer other.Close(context.Background())
		var plugins []http.Handler
		for _, work := range []*Steps{a.steps, other} {
			p := &server.Server{Steps: work.ByName(), Token: func() (string, error) { return "x", nil }}
			p.SetReady()
			plugins = append(plugins, p.Handler())
		}
		require.Equal(t, server.Succeeded, a.retried(plugins, stepDiscover, "").Phase)
		require.Equal(t, `["group-0","group-1"]`, a.retried(plugins, stepPartition, "").Outputs["batches"])
		var wait sync.WaitGroup
		for _, group := range []string{"group-0", "group-1"} {
			for _, step := range []string{stepLaunch, stepProbe, stepScore} {
				wait.Go(func() { a.retried(plugins, step, group) })
			}
		}
		wait.Wait()
		report := a.retried(plugins, stepReport, "")
		require.Equal(t, "fail", report.Outputs["verdict"], report.Message)
		require.Equal(t, []string{"nccl-group-0", "nccl-group-1"}, s.seen(), "each job was made once")
		_, groups := a.record()
		require.Equal(t, 1, groups["group-0"].Attempt)
		require.Equal(t, 1, groups["group-1"].Attempt)
		require.Empty(t, s.leftovers())
	})
}
