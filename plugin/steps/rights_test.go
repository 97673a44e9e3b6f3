package steps

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// In every test that plays with a sim, the plugin has the rights of the manifests and no others: a request that no rule allows
// is forbidden, as in a cluster.

// granted are the requests that the plugin's roles allow, in its namespace and in the cluster.
var granted = sync.OnceValues(func() (map[cluster.Request]bool, error) {
	all := map[cluster.Request]bool{}
	for _, file := range []string{"../../manifests/namespace/plugin-role.yaml", "../../manifests/cluster/nodes.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			var role rbacv1.Role // a ClusterRole has the same rules
			if err := yaml.Unmarshal([]byte(document), &role); err != nil {
				return nil, err
			}
			for _, rule := range role.Rules {
				for _, group := range rule.APIGroups {
					for _, resource := range rule.Resources {
						for _, verb := range rule.Verbs {
							all[cluster.Request{Verb: verb, Group: group, Resource: resource}] = true
						}
					}
				}
			}
		}
	}
	return all, nil
})

// requests are those that the plugin sent, whether they were allowed or not.
type requests struct {
	allowed map[cluster.Request]bool

	mu   sync.Mutex
	sent map[cluster.Request]bool
}

func newRequests(t testing.TB) *requests {
	t.Helper()
	allowed, err := granted()
	require.NoError(t, err)
	return &requests{allowed: allowed, sent: map[cluster.Request]bool{}}
}

func (r *requests) may(q cluster.Request) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent[q] = true
	return r.allowed[q]
}

func lines(sets ...map[cluster.Request]bool) []string {
	all := map[string]bool{}
	for _, set := range sets {
		for q := range set {
			all[q.String()] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// TestTheRolesHoldWhatThePluginUsesAndNoMore plays what there is to play: whatever a role allows and nothing here asks for, it
// holds for nothing.
func TestTheRolesHoldWhatThePluginUsesAndNoMore(t *testing.T) {
	allowed, err := granted()
	require.NoError(t, err)
	var sent []map[cluster.Request]bool
	plays := func(test func(t *testing.T, s *sim)) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			test(t, s)
			s.used.mu.Lock()
			defer s.used.mu.Unlock()
			sent = append(sent, maps.Clone(s.used.sent))
		})
	}
	const everyKind = `{"description": "d", "dependencies": [
		{"apiVersion": "resource.nvidia.com/v1beta1", "kind": "ComputeDomain", "metadata": {"name": "[[ .run ]]-domain"}, "spec": {"numNodes": "[[ .numNodes ]]"}},
		{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "[[ .run ]]-claims"}, "spec": {"spec": {}}},
		{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "[[ .run ]]-service"}, "spec": {}},
		{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "[[ .run ]]-files"}, "data": {"a": "b"}},
		{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "[[ .run ]]-claim"}, "spec": {}}]}`

	plays(func(t *testing.T, s *sim) { // a run of everything, whose plugin dies once all is made
		s.install("every-kind", everyKind)
		s.plays["nccl-group-0"] = play{lasts: time.Minute}
		a := s.workflow("nccl", nil)
		a.underWay(1)
		a.restart()
		got := a.run()
		require.Equal(t, server.Succeeded, got["launch group-0"].Phase, got["launch group-0"].Message)
		require.Equal(t, "pass", got["report"].Outputs["verdict"], got["report"].Message)
	})
	plays(func(t *testing.T, s *sim) { // a worker that does not start
		s.plays["nccl-group-0"] = play{deaf: true, lasts: -1, broken: map[string]func(*corev1.Pod){"gpu-node-01": waiting("ContainerCreating")}}
		require.Equal(t, "fail", s.workflow("nccl", nil).run()["report"].Outputs["verdict"])
	})
	plays(func(t *testing.T, s *sim) { // a claim and a log profile of the user's
		a := s.workflow("nccl", map[string]string{"spec": "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]", "logProfile": "mine"})
		require.Equal(t, server.Failed, a.step(stepDiscover, "").Phase, "there is no such profile")
	})
	plays(func(t *testing.T, s *sim) { // a node whose product only DRA may know
		n, err := s.Kube.CoreV1().Nodes().Get(t.Context(), "gpu-node-02", metav1.GetOptions{})
		require.NoError(t, err)
		delete(n.Labels, resolve.LabelGPUProduct)
		_, err = s.Kube.CoreV1().Nodes().Update(t.Context(), n, metav1.UpdateOptions{})
		require.NoError(t, err)
		s.workflow("nccl", nil).step(stepDiscover, "")
	})
	plays(func(t *testing.T, s *sim) { // what finish does
		s.plays["nccl-group-0"] = play{lasts: -1}
		a := s.workflow("nccl", map[string]string{"timeoutPerJob": "1h"})
		a.underWay(1)
		a.kill()
		owner := cluster.Owner{Namespace: namespace, Name: "nccl", UID: "uid-of-nccl"}
		require.NoError(t, s.closer().Workflow(context.Background(), owner))
		for range 2 { // after `argo retry` it is written again
			require.NoError(t, s.plugin.KeepReports(context.Background(), owner, nil))
		}
	})
	require.Equal(t, lines(allowed), lines(sent...))
}

// TestAForbiddenRequestIsSaid: the message names the rule that is missing, for whoever has cut the role too small.
func TestAForbiddenRequestIsSaid(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.used.allowed = maps.Clone(s.used.allowed)
		delete(s.used.allowed, cluster.Request{Verb: "list", Resource: "nodes"})
		got := s.workflow("nccl", nil).step(stepDiscover, "")
		require.Equal(t, server.Failed, got.Phase)
		require.Contains(t, got.Message, "no rule allows /nodes: list")
	})
}
