package steps

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

func TestDiscoverFragments(t *testing.T) {
	t.Run("those that match are in the message and in the report", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			s.install("aws", `{"description": "d", "order": 9, "when": {"platform": {"equals": "aws"}}}`)
			s.install("site", `{"description": "d", "order": 5, "when": {"platform": {"equals": "onprem"}}, "env": [{"name": "SITE", "value": "1"}]}`)
			a := s.workflow("nccl", nil)
			got := a.run()
			require.Contains(t, got["discover"].Message, "2 nodes (onprem, h100), 1 GPU each (what the nodes advertise)")
			require.True(t, strings.HasSuffix(got["discover"].Message, "fragments: defaults site"), got["discover"].Message)
			require.Equal(t, "onprem", got["discover"].Outputs["platform"])
			r := a.report()
			require.Equal(t, "onprem", r.Platform)
			require.Equal(t, []string{"defaults", "site"}, []string{r.Fragments[0].Name, r.Fragments[1].Name})
		})
	})
	t.Run("one that is edited changes the next run and not the one under way", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			a := s.workflow("first", nil)
			require.Equal(t, server.Succeeded, a.step(stepDiscover, "").Phase)
			s.install("defaults", `{"description": "d", "defaults": true, "env": [{"name": "NCCL_DEBUG", "value": "TRACE"}]}`)
			before, _ := a.record()
			b := s.workflow("second", nil)
			require.Equal(t, server.Succeeded, b.step(stepDiscover, "").Phase)
			after, _ := b.record()
			require.Equal(t, "INFO", before.Fragments[0].Fragment.Env[0].Value)
			require.Equal(t, "TRACE", after.Fragments[0].Fragment.Env[0].Value)
		})
	})
	t.Run("a broken one ends the run with its name and line, though it would not match", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			s.install("bad", `{"description": "d", "when": {"platform": {"equals": "gcp"}}, "env": [{"name": "A=", "value": "1"}], "orders": 1}`)
			a := s.workflow("nccl", nil)
			got := a.step(stepDiscover, "")
			require.Equal(t, server.Failed, got.Phase)
			require.Equal(t, "BuildFailed: platform-bad:20: orders: unknown field; did you mean order?", got.Message)
			require.Empty(t, s.seen())
			require.Equal(t, v1alpha1.Unknown, a.report().Verdict)
		})
	})
	t.Run("none is an error that says what to do", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			require.NoError(t, s.Dynamic.Resource(gvrTemplate).Namespace(namespace).Delete(t.Context(), "platform-defaults", metav1.DeleteOptions{}))
			got := s.workflow("nccl", nil).step(stepDiscover, "")
			require.Equal(t, server.Failed, got.Phase)
			require.Contains(t, got.Message, "BuildFailed: there are no platform fragments in the namespace")
			require.Contains(t, got.Message, "kubectl apply -k templates")
		})
	})
	t.Run("planOnly ends after the plan and is no pass", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", map[string]string{"planOnly": "true"})
			got := a.step(stepDiscover, "")
			require.Equal(t, server.Failed, got.Phase)
			require.True(t, strings.HasPrefix(got.Message, "PlanOnly: 2 nodes (onprem, h100)"), got.Message)
			require.Empty(t, s.seen())
			require.Equal(t, v1alpha1.Unknown, a.report().Verdict)
		})
	})
}

// What pods use is there before them and goes after them.
func TestDependenciesOfAGroup(t *testing.T) {
	const domain = `{"description": "d", "dependencies": [
		{"apiVersion": "resource.nvidia.com/v1beta1", "kind": "ComputeDomain", "metadata": {"name": "[[ .run ]]-domain"}, "spec": {"numNodes": "[[ .numNodes ]]"}},
		{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "[[ .run ]]-claims"}, "spec": {"spec": {}}}]}`
	simulate(t, 3, 2, func(t *testing.T, s *sim) {
		s.install("domain", domain)
		var history []string
		s.Refuse(func(verb, resource, name string) error {
			if (verb == "create" || verb == "delete") && slices.Contains([]string{"computedomains", "resourceclaimtemplates", "trainjobs", "pods"}, resource) && strings.Contains(name, "group-0") {
				s.note(&history, verb+" "+resource)
			}
			return nil
		})
		a := s.workflow("nccl", nil)
		got := a.run()
		require.Equal(t, "pass", got["report"].Outputs["verdict"], got["report"].Message)
		at := func(event string) int {
			i := slices.Index(history, event)
			require.GreaterOrEqual(t, i, 0, "%s: %v", event, history)
			return i
		}
		require.Less(t, at("create computedomains"), at("create trainjobs"))
		require.Less(t, at("create resourceclaimtemplates"), at("create trainjobs"))
		require.Less(t, at("delete trainjobs"), at("delete pods"))
		last := len(history) - 1 - slices.Index(reversed(history), "delete pods")
		require.Less(t, last, at("delete computedomains"), "after the last pod: %v", history)
		require.Less(t, last, at("delete resourceclaimtemplates"))
		list, err := s.Dynamic.Resource(gvrDomain).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Empty(t, list.Items)
	})
	t.Run("pods that never go do not keep them for ever", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			s.install("domain", domain)
			s.plays["nccl-group-0"] = play{stays: true}
			a := s.workflow("nccl", nil)
			started := time.Now()
			a.run()
			require.Less(t, time.Since(started), goneWithin+5*time.Minute)
			list, err := s.Dynamic.Resource(gvrDomain).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			require.Empty(t, list.Items)
		})
	})
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func TestCheckFragment(t *testing.T) {
	check := func(body string) outcome {
		return checkFragment(context.Background(), nil, server.Call{Body: json.RawMessage(body)}, nil)
	}
	t.Run("a sound one prints what it sets", func(t *testing.T) {
		got := check(`{"step": "fragment", "fragment": {"description": "Sets A.", "when": {"platform": {"equals": "aws"}}, "env": [{"name": "A", "value": "1"}]}}`)
		require.False(t, got.failed, got.message)
		require.Equal(t, "valid: Sets A.", got.message)
		require.Equal(t, "| | |\n|---|---|\n| applies to | platform `aws` |\n| environment | `A=1` |\n", got.outputs["effect"])
	})
	for want, body := range map[string]string{
		`has no "fragment"`:            `{"step": "fragment"}`,
		`"lab", which matches nothing`: `{"fragment": {"description": "d", "when": {"platform": {"equals": "lab"}}}}`,
		"fragment:4: runtimePatch.spec.tempate: unknown field; did you mean template?": `{"fragment": {"description": "d", "runtimePatch": {"spec": {"tempate": {}}}}}`,
		`changes the replicated job "launcher"`:                                        `{"fragment": {"description": "d", "runtimePatch": {"spec": {"template": {"spec": {"replicatedJobs": [{"name": "launcher"}]}}}}}}`,
		"contains {{, which belongs to Argo":                                           `{"fragment": {"description": "d", "env": [{"name": "A", "value": "{{x}}"}]}}`,
		`map has no entry for key "gpusPerNod"`:                                        `{"fragment": {"description": "d", "env": [{"name": "A", "value": "[[ .gpusPerNod ]]"}]}}`,
		"description: is missing; a sentence that":                                     `{"fragment": {}}`,
	} {
		got := check(body)
		require.True(t, got.failed, body)
		require.Contains(t, got.message, want)
	}
}
