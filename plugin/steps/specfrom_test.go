package steps

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

func TestTheSpecOfAConfigMap(t *testing.T) {
	const text = "image: registry.example.com/other:2\nenv: [{name: A, value: '{{workflow.name}}'}]\n"
	hold := func(t *testing.T, s *sim, data map[string]string) {
		t.Helper()
		_, err := s.Kube.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "big"}, Data: data}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	t.Run("is the run's, and parameters win over it", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			hold(t, s, map[string]string{"run.yaml": text})
			a := s.workflow("nccl", map[string]string{"specFrom": "big/run.yaml", "image": ""})
			require.Equal(t, "pass", a.run()["report"].Outputs["verdict"])
			plan, _ := a.record()
			require.Equal(t, "registry.example.com/other:2", plan.Spec.Image)
			require.Equal(t, "{{workflow.name}}", plan.Spec.Env[0].Value)
			require.Equal(t, int32(2), plan.Spec.NumNodes)
		})
	})
	t.Run("is somebody else's to delete", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			hold(t, s, map[string]string{"spec.yaml": text})
			a := s.workflow("nccl", map[string]string{"specFrom": "big", "image": ""})
			a.run()
			_, err := s.Kube.CoreV1().ConfigMaps(namespace).Get(t.Context(), "big", metav1.GetOptions{})
			require.NoError(t, err)
		})
	})
	for name, tt := range map[string]struct {
		data       map[string]string
		parameters map[string]string
		want       string
	}{
		"no ConfigMap":   {nil, map[string]string{"specFrom": "big"}, "BuildFailed: specFrom: there is no ConfigMap big in namespace lab; one with the spec under the key spec.yaml would do"},
		"no such key":    {map[string]string{"run.yaml": text}, map[string]string{"specFrom": "big"}, "BuildFailed: specFrom: ConfigMap big has no key spec.yaml; big/KEY with one of run.yaml would do"},
		"no name":        {nil, map[string]string{"specFrom": "a/b/c"}, `BuildFailed: specFrom: is "a/b/c"; the name of a ConfigMap, or NAME/KEY, would do`},
		"a mistake":      {map[string]string{"spec.yaml": "imgae: i\n"}, map[string]string{"specFrom": "big"}, "BuildFailed: big/spec.yaml:1: spec.imgae: unknown field; did you mean image?"},
		"both":           {map[string]string{"spec.yaml": text}, map[string]string{"specFrom": "big", "spec": "gpusPerNode: 1"}, "BuildFailed: specFrom: is given beside spec; one of them would do"},
		"another's text": {map[string]string{"spec.yaml": text}, map[string]string{"specFrom": "big", "numNodes": "none"}, `BuildFailed: numNodes: is "none"; a whole number, at least 1, would do`},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, 2, 2, func(t *testing.T, s *sim) {
				if tt.data != nil {
					hold(t, s, tt.data)
				}
				a := s.workflow("nccl", tt.parameters)
				got := a.run()
				require.Equal(t, server.Failed, got["discover"].Phase)
				require.Equal(t, tt.want, got["discover"].Message)
				require.Equal(t, `[]`, got["report"].Outputs["failedNodes"], "a mistake blames nobody")
				require.Empty(t, s.leftovers())
			})
		})
	}
	t.Run("that may not be read is the cluster's word", func(t *testing.T) {
		simulate(t, 2, 2, func(t *testing.T, s *sim) {
			s.Refuse(func(verb, resource, name string) error {
				if verb == "get" && resource == "configmaps" && name == "big" {
					return apierrors.NewForbidden(schema.GroupResource{Resource: resource}, name, errors.New("no rule"))
				}
				return nil
			})
			a := s.workflow("nccl", map[string]string{"specFrom": "big"})
			got := a.step(stepDiscover, "")
			require.Equal(t, server.Failed, got.Phase)
			require.Contains(t, got.Message, "reading ConfigMap lab/big, which specFrom names: ")
			require.Contains(t, got.Message, "forbidden")
		})
	})
}
