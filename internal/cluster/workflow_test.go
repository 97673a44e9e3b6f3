package cluster

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func workflow(status, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow",
		"metadata": map[string]any{"namespace": "ns", "name": "run", "uid": "uid-1", "labels": map[string]any{"l": "1"}},
		"spec":     spec, "status": status,
	}}
}

func TestWorkflowOf(t *testing.T) {
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	t.Run("a_workflow_that_nobody_has_seen_yet", func(t *testing.T) {
		w := workflowOf(workflow(nil, nil))
		require.Equal(t, Workflow{Owner: owner, Labels: map[string]string{"l": "1"}}, w)
		require.False(t, w.Ending())
	})
	t.Run("running", func(t *testing.T) {
		w := workflowOf(workflow(map[string]any{"phase": "Running", "startedAt": "2026-01-02T03:04:05Z", "finishedAt": nil, "message": "m"}, map[string]any{}))
		require.Equal(t, Workflow{Owner: owner, Labels: map[string]string{"l": "1"}, Phase: "Running", Message: "m", StartedAt: started}, w)
		require.Equal(t, "2026-01-02T03:04:05Z", w.Epoch())
		require.False(t, w.Ending())
	})
	t.Run("the_first_plugin_node_that_failed_says_why", func(t *testing.T) {
		node := func(kind, phase, finished, message string) map[string]any {
			return map[string]any{"type": kind, "phase": phase, "finishedAt": finished, "message": message}
		}
		nodes := map[string]any{
			"a": node("Plugin", "Failed", "2026-01-02T03:04:09Z", "late"),
			"b": node("Plugin", "Error", "2026-01-02T03:04:06Z", "BuildFailed: x"),
			"c": node("Plugin", "Succeeded", "2026-01-02T03:04:01Z", "good"),
			"d": node("Steps", "Failed", "2026-01-02T03:04:01Z", "child failed"),
			"e": node("Plugin", "Failed", "2026-01-02T03:04:01Z", ""),
			"f": "hostile",
		}
		require.Equal(t, "BuildFailed: x", workflowOf(workflow(map[string]any{"nodes": nodes}, nil)).FirstFailure)
		require.Empty(t, workflowOf(workflow(map[string]any{"nodes": nodes}, nil)).AgentFailure)
		nodes["g"] = node("Plugin", "Error", "2026-01-02T03:04:02Z", `agent pod failed with reason:""`)
		require.Empty(t, workflowOf(workflow(map[string]any{"nodes": nodes}, nil)).AgentFailure, "Argo makes another one")
		nodes["h"] = node("Plugin", "Error", "2026-01-02T03:04:09Z", `agent pod failed with reason:"Evicted"`)
		require.Equal(t, `agent pod failed with reason:"Evicted"`, workflowOf(workflow(map[string]any{"nodes": nodes}, nil)).AgentFailure)
		for _, none := range []any{nil, "", []any{}, map[string]any{}} {
			require.Empty(t, workflowOf(workflow(map[string]any{"nodes": none, "compressedNodes": "H4sI"}, nil)).FirstFailure)
		}
	})
	t.Run("stopped_or_over_is_ending", func(t *testing.T) {
		require.True(t, workflowOf(workflow(nil, map[string]any{"shutdown": "Terminate"})).Ending())
		require.True(t, workflowOf(workflow(map[string]any{"finishedAt": "2026-01-02T03:04:05Z"}, nil)).Ending())
	})
	t.Run("a_retry_begins_another_epoch", func(t *testing.T) {
		first := workflowOf(workflow(map[string]any{"startedAt": "2026-01-02T03:04:05Z"}, nil))
		same := workflowOf(workflow(map[string]any{"startedAt": "2026-01-02T04:04:05+01:00"}, nil))
		second := workflowOf(workflow(map[string]any{"startedAt": "2026-01-02T03:09:05Z"}, nil))
		require.Equal(t, first.Epoch(), same.Epoch())
		require.NotEqual(t, first.Epoch(), second.Epoch())
	})
	t.Run("fields_of_another_type_are_as_good_as_absent", func(t *testing.T) {
		w := workflowOf(workflow(map[string]any{"phase": int64(1), "startedAt": "soon", "message": []any{}}, nil))
		require.Equal(t, Workflow{Owner: owner, Labels: map[string]string{"l": "1"}}, w)
	})
}

func TestWorkflows(t *testing.T) {
	ctx := context.Background()
	f := NewFake()
	_, err := f.Workflow(ctx, "ns", "run")
	require.True(t, apierrors.IsNotFound(err), err)
	created, err := f.CreateWorkflow(ctx, "ns", workflow(nil, map[string]any{}).Object)
	require.NoError(t, err)
	require.Equal(t, owner, created.Owner)
	_, err = f.CreateWorkflow(ctx, "ns", workflow(nil, nil).Object)
	require.True(t, apierrors.IsAlreadyExists(err), err)

	all, err := f.Workflows(ctx, "ns", "l=1")
	require.NoError(t, err)
	require.Len(t, all, 1)
	none, err := f.Workflows(ctx, "ns", "l=2")
	require.NoError(t, err)
	require.Empty(t, none)

	require.NoError(t, f.ShutdownWorkflow(ctx, "ns", "run"))
	w, err := f.Workflow(ctx, "ns", "run")
	require.NoError(t, err)
	require.Equal(t, "Stop", w.Shutdown)

	require.NoError(t, f.DeleteWorkflow(ctx, "ns", "run"))
	require.True(t, apierrors.IsNotFound(f.DeleteWorkflow(ctx, "ns", "run")))
	require.True(t, apierrors.IsNotFound(f.ShutdownWorkflow(ctx, "ns", "run")))
}

func TestLog_of_the_fake(t *testing.T) {
	ctx := context.Background()
	f := NewFake()
	f.SetLog("pod", "node", false, "now")
	f.SetLog("pod", "node", true, "before")
	for _, previous := range []bool{false, true} {
		stream, err := f.Log(ctx, "ns", "pod", LogOptions{Container: "node", Previous: previous, Follow: true})
		require.NoError(t, err)
		text, err := io.ReadAll(stream)
		require.NoError(t, err)
		require.NoError(t, stream.Close())
		require.Equal(t, map[bool]string{false: "now", true: "before"}[previous], string(text))
	}
	_, err := f.Log(ctx, "ns", "pod", LogOptions{Container: "other"})
	require.ErrorContains(t, err, "opening the log of pod/other")
}

func TestReads(t *testing.T) {
	ctx := context.Background()
	pod := func(namespace, name, label string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"l": label}}}
	}
	f := NewFake(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "gpu", Labels: map[string]string{"l": "1"}}},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "cpu"}},
		pod("ns", "a", "1"), pod("ns", "b", "2"), pod("other", "c", "1"),
		&corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "e"}, InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "a"}},
	)
	nodes, err := f.Nodes(ctx, "l=1")
	require.NoError(t, err)
	require.Len(t, nodes, 1)
	nodes, err = f.Nodes(ctx, "")
	require.NoError(t, err)
	require.Len(t, nodes, 2)
	pods, err := f.Pods(ctx, "ns", "l=1")
	require.NoError(t, err)
	require.Len(t, pods, 1)
	require.Equal(t, "a", pods[0].Name)
	events, err := f.PodEvents(ctx, "ns")
	require.NoError(t, err)
	require.Len(t, events, 1)
}
