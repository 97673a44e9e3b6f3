package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
)

func TestCheck(t *testing.T) {
	t.Run("a cluster with everything is exit 0", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.controller("argo", corev1.EnvVar{Name: "ARGO_EXECUTOR_PLUGINS", Value: "true"})
		got := w.seatrial(t.Context(), "check")
		require.Equal(t, outcome{Passed, `ok       Argo Workflows
ok       executor plugins in Argo's controller
ok       Kubeflow Trainer
ok       JobSet
ok       executor plugin seatrial
ok       namespace seatrial
ok       Secret seatrial-workflow.service-account-token in seatrial
ok       Secret seatrial-executor-plugin.service-account-token in seatrial
ok       WorkflowTemplate workloadrun-mpi in seatrial
ok       WorkflowTemplate workloadrun-torch in seatrial
ok       WorkflowTemplate workloadrun-exec in seatrial
ok       rights of ServiceAccount seatrial-workflow in seatrial
ok       rights of ServiceAccount seatrial-executor-plugin in seatrial
ok       rights of ServiceAccount seatrial-executor-plugin of seatrial in the whole cluster
`, ""}, got)
	})
	t.Run("nothing installed is exit 3", func(t *testing.T) {
		got := newWorkshop(t).seatrial(t.Context(), "check")
		require.Equal(t, Unsure, got.code)
		require.Equal(t, 5, strings.Count(got.stdout, "missing "), got.stdout)
	})
	t.Run("a controller with executor plugins off is exit 3", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.controller("argo")
		got := w.seatrial(t.Context(), "check")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stdout, "missing  executor plugins in Argo's controller: are off in Deployment argo/workflow-controller; set ARGO_EXECUTOR_PLUGINS=true")
	})
	t.Run("a controller that is not a Deployment is no reason against a run", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		got := w.seatrial(t.Context(), "check")
		require.Equal(t, Passed, got.code)
		require.Contains(t, got.stdout, "unseen   executor plugins")
	})
	t.Run("a plugin of another version is exit 3", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		require.NoError(t, w.Kube.CoreV1().ConfigMaps("argo").Delete(t.Context(), "seatrial-executor-plugin", metav1.DeleteOptions{}))
		w.plugin("argo", "9.9.9")
		got := w.seatrial(t.Context(), "check")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stdout, "missing  executor plugin seatrial: is of version 9.9.9, and this program is 0.1.0; kubectl apply -k manifests/cluster of 0.1.0")
	})
	t.Run("a rule that the plugin lacks is named, exit 3", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.Authorize(func(user string, a cluster.Action) (bool, error) {
			require.Contains(t, []string{"system:serviceaccount:seatrial:seatrial-executor-plugin", "system:serviceaccount:seatrial:seatrial-workflow"}, user)
			return !slices.Contains([]string{"nodes", "events", "pods/log"}, a.Resource), nil
		})
		got := w.seatrial(t.Context(), "check")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stdout, "missing  rights of ServiceAccount seatrial-executor-plugin in seatrial: may not get pods/log, list events; kubectl apply -k manifests/namespace")
		require.Contains(t, got.stdout, "in the whole cluster: may not list nodes; kubectl apply -k manifests/cluster, and kubectl apply -k manifests/namespace")
		require.Contains(t, got.stdout, "ok       rights of ServiceAccount seatrial-workflow in seatrial")
	})
	t.Run("what a run can do without is no reason against it", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.Authorize(func(_ string, a cluster.Action) (bool, error) { return !a.Everywhere || a.Resource == "nodes", nil })
		got := w.seatrial(t.Context(), "check")
		require.Equal(t, Passed, got.code)
		require.Contains(t, got.stdout, "unseen   rights of ServiceAccount seatrial-executor-plugin of seatrial in the whole cluster: may not list resourceslices, list pods; ")
	})
	t.Run("rights that may not be asked for are unknown, exit 3", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.Authorize(func(string, cluster.Action) (bool, error) { return false, errors.New("forbidden") })
		got := w.seatrial(t.Context(), "check")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stdout, "unknown  rights of ServiceAccount seatrial-workflow in seatrial: forbidden")
	})
	t.Run("a cluster that does not answer is exit 3", func(t *testing.T) {
		var stdout, stderr strings.Builder
		a := &app{stdout: &stdout, stderr: &stderr, connect: func(cluster.Flags) (*cluster.Cluster, string, error) {
			return nil, "", errors.Join(cluster.ErrUnreachable, errors.New("connection refused"))
		}}
		require.Equal(t, Unsure, a.main(t.Context(), []string{"check"}))
		require.Contains(t, stderr.String(), "the cluster is not reachable")
	})
}

func (w *workshop) controller(namespace string, env ...corev1.EnvVar) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "workflow-controller"}}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Image: "example/workflow-controller:v3.7.18", Env: env}}
	_, err := w.Kube.AppsV1().Deployments(namespace).Create(w.t.Context(), d, metav1.CreateOptions{})
	require.NoError(w.t, err)
}
