package cluster

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/proc"
)

func TestParseNodes(t *testing.T) {
	node := func(status string) string { return `{"items":[{"metadata":{"name":"n"},"status":` + status + `}]}` }
	for name, test := range map[string]struct {
		list    string
		trouble string
	}{
		"ready_with_its_gpus_is_well":           {node(`{"conditions":[{"type":"Ready","status":"True"}],"allocatable":{"nvidia.com/gpu":"8"}}`), ""},
		"unknown_is_not_ready":                  {node(`{"conditions":[{"type":"Ready","status":"Unknown"}],"allocatable":{"nvidia.com/gpu":"8"}}`), "node n is not ready"},
		"a_node_that_says_nothing_is_not_ready": {node(`{}`), "node n is not ready"},
		"ready_without_gpus_is_not_well":        {node(`{"conditions":[{"type":"Ready","status":"True"}]}`), "node n has 0 GPUs, not 8"},
	} {
		t.Run(name, func(t *testing.T) {
			facts, err := parseNodes([]byte(test.list))
			require.NoError(t, err)
			require.Len(t, facts, 1)
			if test.trouble == "" {
				require.NoError(t, facts[0].trouble())
			} else {
				require.EqualError(t, facts[0].trouble(), test.trouble)
			}
		})
	}
	t.Run("garbage_is_an_error", func(t *testing.T) {
		_, err := parseNodes([]byte("\x1b[31mno"))
		require.Error(t, err)
		_, err = parseNodes([]byte(node(`{"allocatable":{"nvidia.com/gpu":"many"}}`)))
		require.ErrorContains(t, err, "GPUs of node n")
	})
}

func FuzzParseNodes(f *testing.F) {
	f.Add([]byte(`{"items":[{"metadata":{"name":"n"},"status":{"allocatable":{"nvidia.com/gpu":"8"}}}]}`))
	f.Fuzz(func(t *testing.T, list []byte) {
		facts, err := parseNodes(list)
		if err != nil {
			require.Empty(t, facts, "an unreadable list has no nodes")
		}
		for _, fact := range facts {
			if !fact.Ready {
				require.Error(t, fact.trouble())
			}
		}
	})
}

func BenchmarkParseNodes(b *testing.B) {
	list := []byte(`{"items":[` + strings.TrimSuffix(strings.Repeat(`{"metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"True"}]}},`, 64), ",") + `]}`)
	for b.Loop() {
		if _, err := parseNodes(list); err != nil {
			b.Fatal(err)
		}
	}
}

func healthy() Report {
	return Report{
		State:      State{Nodes: 1, Complete: true, Requeue: "2s", Folder: "/cache"},
		Components: []ComponentFact{{Name: "etcd", PID: 7}},
		Nodes:      []NodeFact{{Name: "gpu-node-01", Ready: true, GPUs: 8}},
	}
}

func TestReport(t *testing.T) {
	require.True(t, healthy().Healthy())
	for name, test := range map[string]struct {
		spoil func(*Report)
		says  string
	}{
		"nothing_is_not_healthy":                    {func(r *Report) { *r = Report{} }, "there is no cluster"},
		"a_dead_component_is_not_healthy":           {func(r *Report) { r.Components[0].Trouble = errors.New("process 7 has ended") }, "process 7 has ended"},
		"a_missing_node_is_not_healthy":             {func(r *Report) { r.Nodes = nil }, "NOT healthy"},
		"a_node_that_is_not_ready_is_not_healthy":   {func(r *Report) { r.Nodes[0].Ready = false }, "node gpu-node-01 is not ready"},
		"nodes_that_cannot_be_read_are_not_healthy": {func(r *Report) { r.NodesError = errors.New("no answer") }, "(no answer)"},
		"a_start_that_did_not_end_is_not_healthy":   {func(r *Report) { r.State.Complete = false }, "NOT healthy"},
	} {
		t.Run(name, func(t *testing.T) {
			report := healthy()
			test.spoil(&report)
			require.False(t, report.Healthy())
			var out bytes.Buffer
			require.NoError(t, report.Print(&out))
			require.Contains(t, out.String(), test.says)
		})
	}
}

func TestState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	t.Run("no_record_is_no_cluster", func(t *testing.T) {
		state, err := readState(path)
		require.NoError(t, err)
		require.Zero(t, state)
	})
	t.Run("what_is_recorded_is_read_again", func(t *testing.T) {
		r := &record{path: path}
		identity := proc.Identity{PID: 7, StartTicks: 4711, Boot: "b"}
		require.NoError(t, r.change(func(s *State) { s.Nodes, s.Processes["etcd"] = 3, identity }))
		state, err := readState(path)
		require.NoError(t, err)
		require.Equal(t, State{Nodes: 3, Processes: map[string]proc.Identity{"etcd": identity}}, state)
		require.Equal(t, identity, r.process("etcd"))
	})
	t.Run("a_damaged_record_is_an_error", func(t *testing.T) {
		require.NoError(t, os.WriteFile(path, []byte(`{"nodes":`), 0o600))
		_, err := readState(path)
		require.ErrorContains(t, err, path)
	})
}

func TestIsShim(t *testing.T) {
	ours := []string{"/usr/bin/containerd-shim-runc-v2", "-namespace", "k8s.io", "-id", "x", "-address", runFolder + "/gpu-node-01/containerd.sock"}
	require.True(t, isShim(ours))
	t.Run("of_another_containerd_is_not_ours", func(t *testing.T) {
		require.False(t, isShim([]string{"containerd-shim-runc-v2", "-address", "/run/containerd/containerd.sock"}))
		require.False(t, isShim([]string{"containerd-shim-runc-v2", "-address", runFolder + "-2/containerd.sock"}))
		require.False(t, isShim([]string{"containerd-shim-runc-v2", "-address"}))
	})
	t.Run("a_program_that_only_names_the_socket_is_not_one", func(t *testing.T) {
		require.False(t, isShim(append([]string{"vi"}, ours[1:]...)))
		require.False(t, isShim([]string{""}))
	})
}

func TestUp(t *testing.T) {
	for name, test := range map[string]struct {
		want Want
		says string
	}{
		"no_node_is_refused":         {Want{Nodes: 0, Requeue: time.Second}, "0 nodes; 1 to 64 would do"},
		"too_many_nodes_are_refused": {Want{Nodes: 65, Requeue: time.Second}, "65 nodes"},
		"no_requeue_time_is_refused": {Want{Nodes: 1}, "above zero"},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, (&Cluster{}).Up(t.Context(), test.want), test.says)
		})
	}
}

func TestRetry(t *testing.T) {
	t.Run("gives_the_last_error_when_patience_ends", func(t *testing.T) {
		require.EqualError(t, retry(t.Context(), 0, time.Hour, func() error { return errors.New("not yet") }), "not yet")
	})
	t.Run("ends_with_its_context_and_says_what_was_last", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := retry(ctx, time.Hour, time.Hour, func() error { return errors.New("not yet") })
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "not yet")
	})
}

func TestComponent(t *testing.T) {
	c := &Cluster{}
	state := State{Nodes: 2, Requeue: "1s"}
	t.Run("is_found_by_its_name", func(t *testing.T) {
		component, err := c.component(state, "kubelet-gpu-node-02")
		require.NoError(t, err)
		require.Equal(t, "kubelet-gpu-node-02", component.Name)
		require.Equal(t, 2, (&starter{Cluster: c, record: &record{state: state}}).indexOf(component.Name))
	})
	t.Run("keeps_the_requeue_time_that_argo_was_started_with", func(t *testing.T) {
		component, err := c.component(state, "argo")
		require.NoError(t, err)
		require.Contains(t, component.Env, "DEFAULT_REQUEUE_TIME=1s")
	})
	for name, says := range map[string]string{
		"kubelet-gpu-node-03": `there is no component "kubelet-gpu-node-03"; one of etcd, apiserver, `,
		"":                    `there is no component ""`,
	} {
		t.Run("another_name_is_an_error_that_says_which_there_are", func(t *testing.T) {
			_, err := c.component(state, name)
			require.ErrorContains(t, err, says)
		})
	}
	t.Run("of_no_cluster_there_is_none", func(t *testing.T) {
		_, err := c.component(State{}, "etcd")
		require.EqualError(t, err, "etcd: there is no cluster; run `up` first")
	})
}
