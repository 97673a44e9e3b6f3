package generator_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// forbidden is what Kubernetes' own admission for the restricted Pod Security Standard has against a pod.
func forbidden(t *testing.T, pod corev1.PodSpec) []string {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	require.NoError(t, err)
	var all []string
	for _, r := range evaluator.EvaluatePod(api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}, &metav1.ObjectMeta{}, &pod) {
		if !r.Allowed {
			all = append(all, r.ForbiddenReason+": "+r.ForbiddenDetail)
		}
	}
	return all
}

// Both pods that run our image are admitted into a namespace that enforces the restricted standard. The pods of a run's jobs are the
// user's, and docs/security.md says what they need.
func TestThePodsFitTheRestrictedStandard(t *testing.T) {
	_, plugin := committedPlugin(t)
	sidecar := plugin.Spec.Sidecar.Container
	t.Run("the agent's pod with the plugin beside it", func(t *testing.T) {
		// Argo gives the pod its own restricted settings (common.MinimalPodSC, v3.7.18); a user may replace them, so the sidecar must
		// fit without.
		require.Empty(t, forbidden(t, corev1.PodSpec{Containers: []corev1.Container{sidecar}}))
	})
	for name, template := range frameworks(t) {
		t.Run("finish of "+name, func(t *testing.T) {
			finish := template.GetTemplateByName("finish")
			require.Empty(t, forbidden(t, corev1.PodSpec{SecurityContext: finish.SecurityContext, Volumes: finish.Volumes, Containers: []corev1.Container{*finish.Container}}))
		})
	}
	t.Run("nothing of it is superfluous", func(t *testing.T) {
		for what, change := range map[string]func(*corev1.SecurityContext){
			"capabilities":             func(s *corev1.SecurityContext) { s.Capabilities = nil },
			"runAsNonRoot":             func(s *corev1.SecurityContext) { s.RunAsNonRoot = nil },
			"runAsUser":                func(s *corev1.SecurityContext) { s.RunAsUser = new(int64(0)) },
			"allowPrivilegeEscalation": func(s *corev1.SecurityContext) { s.AllowPrivilegeEscalation = nil },
			"seccompProfile":           func(s *corev1.SecurityContext) { s.SeccompProfile = nil },
		} {
			weak := *sidecar.DeepCopy()
			change(weak.SecurityContext)
			require.NotEmpty(t, forbidden(t, corev1.PodSpec{Containers: []corev1.Container{weak}}), what)
		}
	})
	t.Run("what the standard does not ask for", func(t *testing.T) {
		require.True(t, *sidecar.SecurityContext.ReadOnlyRootFilesystem)
		require.EqualValues(t, 8737, *sidecar.SecurityContext.RunAsUser)
		require.Empty(t, sidecar.VolumeMounts)
		require.Empty(t, sidecar.Env)
	})
}
