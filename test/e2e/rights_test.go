//go:build cluster

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// That the role is enough is what every other test here shows, whose plugin has no other. That it is as small as the code, down to
// each verb, is plugin/steps' to hold. Here: what must never be in it, as the API server understands what was installed.
func TestThePluginsAccountMayReadNoSecretAndChangeNoNode(t *testing.T) {
	s := newStand(t, "smoke-rights")
	for request, want := range map[string]string{
		"list nodes": "yes", "get pods --subresource=log": "yes", "create trainjobs.trainer.kubeflow.org": "yes",
		"get secrets": "no", "list secrets": "no", "create secrets": "no",
		"patch nodes": "no", "update nodes": "no", "delete nodes": "no", "create pods": "no", "create pods --subresource=exec": "no",
		"update trainjobs.trainer.kubeflow.org": "no", "patch workflows.argoproj.io": "no", "create workflows.argoproj.io": "no",
		"list pods --all-namespaces": "yes", "get pods --all-namespaces": "no", "get configmaps --all-namespaces": "no", // to count GPUs that others use
	} {
		args := append([]string{"auth", "can-i"}, strings.Fields(request)...)
		r := s.run("kubectl", append(args, "--as=system:serviceaccount:smoke-rights:seatrial-executor-plugin")...)
		require.Equal(t, want, strings.Fields(r.stdout + " ?")[0], "%s: %s", request, r.stderr)
	}
}

func TestCheckNamesTheRightThatTheNamespaceLacks(t *testing.T) {
	s := newStand(t, "smoke-check")
	whole := s.run("seatrial", "check")
	require.Zero(t, whole.code, whole.stdout)
	require.Equal(t, 3, strings.Count(whole.stdout, "ok       rights of ServiceAccount seatrial-"), whole.stdout)

	s.must("kubectl", "delete", "rolebinding", "seatrial-workflow")
	s.must("kubectl", "patch", "role", "seatrial-executor-plugin", "--type=json",
		`--patch=[{"op":"replace","path":"/rules","value":[{"apiGroups":[""],"resources":["pods/log"],"verbs":["get"]}]}]`)
	lacks := s.run("seatrial", "check")
	require.Equal(t, 3, lacks.code)
	require.Contains(t, lacks.stdout, "missing  rights of ServiceAccount seatrial-workflow in smoke-check: may not list workflowtasksets, watch workflowtasksets, "+
		"patch workflowtasksets/status, create workflowtaskresults, patch workflowtaskresults; kubectl apply -k manifests/namespace")
	require.Contains(t, lacks.stdout, "missing  rights of ServiceAccount seatrial-executor-plugin in smoke-check: may not get workflows, ")
	require.NotContains(t, lacks.stdout, "pods/log", "that rule is there")
	require.Contains(t, lacks.stdout, "ok       rights of ServiceAccount seatrial-executor-plugin of smoke-check in the whole cluster")
}
