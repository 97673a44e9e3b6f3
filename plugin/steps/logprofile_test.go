package steps

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const steadyProfile = `apiVersion: nvcre.nvidia.com/v1alpha1
kind: LogProfile
metadata: {name: mine}
spec:
  timestamp: {layout: "2006-01-02"}
  patterns:
    trainingStep: {regex: 'step (?P<step>\d+)'}
`

func TestProfileNamed(t *testing.T) {
	configMap := func(name, key, text string) corev1.ConfigMap {
		return corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{key: text}}
	}
	mine := configMap("b", "p.yaml", steadyProfile)
	broken := configMap("a", "q.yaml", strings.Replace(steadyProfile, "(?P", "(?Q", 1))
	t.Run("a ConfigMap's profile is found, beside one that cannot be read", func(t *testing.T) {
		p, err := profileNamed("mine", []corev1.ConfigMap{mine, broken})
		require.NoError(t, err)
		require.Equal(t, "mine", p.Metadata.Name)
	})
	t.Run("a name that nothing has is a mistake that says what there is", func(t *testing.T) {
		_, err := profileNamed("yours", []corev1.ConfigMap{mine, broken})
		require.ErrorContains(t, err, `no log profile is named "yours"; one of nccl-bandwidth, `)
		require.ErrorContains(t, err, ", mine would do")
		require.ErrorContains(t, err, "not read: ConfigMap a/q.yaml:7: spec.patterns.trainingStep.regex: is no regular expression")
	})
}

// TestTheLogProfileIsKeptInThePlan: what somebody does to the ConfigMap later changes nothing.
func TestTheLogProfileIsKeptInThePlan(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		_, err := s.Kube.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "profiles", Namespace: namespace, Labels: map[string]string{labelLogProfile: "true"}},
			Data:       map[string]string{"mine.yaml": steadyProfile},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		a := s.workflow("nccl", map[string]string{"logProfile": "mine"})
		r := a.steps.run(a.call(stepScore, "group-0"))
		a.run()
		plan, err := r.planned(t.Context())
		require.NoError(t, err)
		require.Equal(t, "mine", plan.LogProfile.Metadata.Name)
		require.Equal(t, "mine", plan.Spec.GoodputMeasurement.LogProfileRef, "it reads steps")
	})
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		a := s.workflow("nccl", map[string]string{"logProfile": "yours"})
		require.Contains(t, a.run()["discover"].Message, `BuildFailed: logProfile: no log profile is named "yours"`)
	})
}
