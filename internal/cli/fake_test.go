package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/internal/version"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

const space = "seatrial"

// began is when every run of these tests was started.
var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// workshop is a command line before a cluster in memory. Its time passes only where a command waits.
type workshop struct {
	*cluster.Fake
	t *testing.T
	// now is the time. waits is called with the number of the wait, from 1, before the wait ends.
	now   time.Time
	waits func(n int)
	n     int
	stdin string
	// terminal: both streams are one.
	terminal bool
}

func newWorkshop(t *testing.T) *workshop {
	return &workshop{Fake: cluster.NewFake(), t: t, now: began.Add(time.Minute)}
}

// Now is the time of the commands.
func (w *workshop) Now() time.Time { return w.now }

// After lets the time pass at once.
func (w *workshop) After(d time.Duration) <-chan time.Time {
	w.n++
	w.now = w.now.Add(d)
	if w.waits != nil {
		w.waits(w.n)
	}
	done := make(chan time.Time, 1)
	done <- w.now
	return done
}

// outcome is what a command did.
type outcome struct {
	code           Code
	stdout, stderr string
}

func (w *workshop) seatrial(ctx context.Context, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(w.stdin), stdout: &stdout, stderr: &stderr, clock: w,
		terminal: func(io.Writer) bool { return w.terminal },
		connect: func(f cluster.Flags) (*cluster.Cluster, string, error) {
			if f.Namespace == "" {
				f.Namespace = space
			}
			return w.Cluster, f.Namespace, nil
		}}
	code := a.main(ctx, args)
	return outcome{code, stdout.String(), stderr.String()}
}

// install makes the cluster ready for runs.
func (w *workshop) install() {
	ctx := w.t.Context()
	w.Serve("argoproj.io/v1alpha1", "workflows", "workflowtemplates")
	w.Serve("trainer.kubeflow.org/v1alpha1", "trainjobs", "trainingruntimes")
	w.Serve("jobset.x-k8s.io/v1alpha2", "jobsets")
	w.plugin("argo", version.Number)
	_, err := w.Kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	for _, account := range []string{"seatrial-workflow", "seatrial-executor-plugin"} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: account + ".service-account-token"}}
		_, err := w.Kube.CoreV1().Secrets(space).Create(ctx, secret, metav1.CreateOptions{})
		require.NoError(w.t, err)
	}
	for _, framework := range v1alpha1.Frameworks {
		w.template(generator.TemplateName(framework), version.Number)
	}
	w.Authorize(func(string, cluster.Action) (bool, error) { return true, nil })
}

func (w *workshop) plugin(namespace, of string) {
	_, err := w.Kube.CoreV1().ConfigMaps(namespace).Create(w.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name:   "seatrial-executor-plugin",
		Labels: map[string]string{"workflows.argoproj.io/configmap-type": "ExecutorPlugin", "app.kubernetes.io/version": of},
	}}, metav1.CreateOptions{})
	require.NoError(w.t, err)
}

func (w *workshop) template(name, of string) {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "argoproj.io/v1alpha1", "kind": "WorkflowTemplate"}}
	u.SetName(name)
	u.SetLabels(map[string]string{"app.kubernetes.io/version": of})
	_, err := w.Dynamic.Resource(argo("workflowtemplates")).Namespace(space).Create(w.t.Context(), u, metav1.CreateOptions{})
	require.NoError(w.t, err)
}

func argo(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: resource}
}

// workflow makes a workflow that was begun; finished says how long it took, 0 that it goes on.
func (w *workshop) workflow(name, phase string, finished time.Duration) cluster.Owner {
	status := map[string]any{"phase": phase, "startedAt": began.Format(time.RFC3339)}
	if finished > 0 {
		status["finishedAt"] = began.Add(finished).Format(time.RFC3339)
	}
	made, err := w.CreateWorkflow(w.t.Context(), space, map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "status": status,
		"metadata": map[string]any{"name": name, "namespace": space, "uid": "uid-of-" + name, "labels": map[string]any{
			resolve.LabelManagedBy: resolve.ManagedBy, resolve.LabelRun: name, labelFramework: "mpi",
		}},
	})
	require.NoError(w.t, err)
	return made.Owner
}

// update changes the status of the workflow pairs, as Argo's controller would.
func (w *workshop) update(status map[string]any) {
	api := w.Dynamic.Resource(argo("workflows")).Namespace(space)
	u, err := api.Get(w.t.Context(), "pairs", metav1.GetOptions{})
	require.NoError(w.t, err)
	u.Object["status"] = status
	_, err = api.Update(w.t.Context(), u, metav1.UpdateOptions{})
	require.NoError(w.t, err)
}

func running() map[string]any {
	return map[string]any{"phase": "Running", "startedAt": began.Format(time.RFC3339)}
}

func over(phase string) map[string]any {
	s := running()
	s["phase"], s["finishedAt"] = phase, began.Add(5*time.Minute).Format(time.RFC3339)
	return s
}

// plan records a run of three nodes in two groups.
func (w *workshop) plan(owner cluster.Owner, scope string) *cluster.Record {
	r := w.Record(owner, scope, owner.Name)
	_, err := cluster.Update(w.t.Context(), r, record.KeyPlan, func(p *record.Plan) error {
		p.Epoch, p.Started, p.Run, p.Framework = began.Format(time.RFC3339), began, owner.Name, "mpi"
		for _, n := range []string{"gpu-node-01", "gpu-node-02", "gpu-node-03"} {
			p.Nodes = append(p.Nodes, resolve.Node{Name: n, Hostname: n, GPUs: 1})
		}
		p.Groups = []partition.Group{
			{Name: "group-0", Nodes: []string{"gpu-node-01", "gpu-node-02"}},
			{Name: "group-1", Nodes: []string{"gpu-node-02", "gpu-node-03"}, Overflow: true, Borrowed: []string{"gpu-node-02"}},
		}
		return nil
	})
	require.NoError(w.t, err)
	return r
}

// result records how a group ended.
func (w *workshop) result(r *cluster.Record, group string, v v1alpha1.Verdict, busGBps float64) {
	_, err := cluster.Update(w.t.Context(), r, group, func(g *record.Group) error {
		g.Attempt = 1
		g.Result = &v1alpha1.GroupResult{Verdict: v, Attempts: 1, DurationSec: 42, Bandwidth: &v1alpha1.Bandwidth{PeakBusGBps: &busGBps, BusBandwidthGBps: &busGBps}}
		if v == v1alpha1.Fail {
			g.Result.Cause, g.Result.Message = v1alpha1.CauseThreshold, "busBandwidthGBps is too low"
		}
		return nil
	})
	require.NoError(w.t, err)
}

// close records the end of a run, in the execution that began at a time.
func (w *workshop) close(r *cluster.Record, epoch time.Time) {
	_, err := cluster.Update(w.t.Context(), r, record.KeyClose, func(c *record.Close) error {
		*c = record.Close{Epoch: epoch.Format(time.RFC3339), Reason: record.ReasonReported, Finished: epoch.Add(4 * time.Minute)}
		return nil
	})
	require.NoError(w.t, err)
}

// early records that a group was ended with its run, in the middle of a table.
func (w *workshop) early(r *cluster.Record, group string) {
	_, err := cluster.Update(w.t.Context(), r, group, func(g *record.Group) error {
		g.Attempt, g.EndedEarly = 1, true
		g.Result = &v1alpha1.GroupResult{Cause: v1alpha1.CauseInfrastructure, Attempts: 1, Bandwidth: &v1alpha1.Bandwidth{PeakBusGBps: new(0.0)}}
		return nil
	})
	require.NoError(w.t, err)
}

// stopped records that a run was closed since somebody stopped it.
func (w *workshop) stopped(r *cluster.Record) {
	w.close(r, began)
	_, err := cluster.Update(w.t.Context(), r, record.KeyClose, func(c *record.Close) error { c.Reason = "Stop was asked for"; return nil })
	require.NoError(w.t, err)
}

// finished makes a run that is over, whose first group passed.
func (w *workshop) finished(name string, second v1alpha1.Verdict) {
	r := w.plan(w.workflow(name, "Succeeded", 5*time.Minute), "")
	w.result(r, "group-0", v1alpha1.Pass, 400)
	w.result(r, "group-1", second, 390)
	w.close(r, began)
}
