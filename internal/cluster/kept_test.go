package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestKeptReports(t *testing.T) {
	f := NewFake()
	owner := Owner{Namespace: "ns", Name: "pairs", UID: "first"}
	none, err := f.KeptReports(t.Context(), "ns", "pairs")
	require.NoError(t, err)
	require.Empty(t, none)

	require.NoError(t, f.KeepReports(t.Context(), owner, []v1alpha1.Report{{Name: "a", Verdict: v1alpha1.Fail}}))
	t.Run("nobody owns them, so that they outlive the workflow", func(t *testing.T) {
		list, err := f.Kube.CoreV1().ConfigMaps("ns").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
		require.Empty(t, list.Items[0].OwnerReferences)
		require.Equal(t, "seatrial", list.Items[0].Labels["app.kubernetes.io/managed-by"])
	})
	t.Run("a retry replaces them", func(t *testing.T) {
		require.NoError(t, f.KeepReports(t.Context(), owner, []v1alpha1.Report{{Name: "b", Verdict: v1alpha1.Pass}}))
		got, err := f.KeptReports(t.Context(), "ns", "pairs")
		require.NoError(t, err)
		require.Equal(t, []v1alpha1.Report{{Name: "b", Verdict: v1alpha1.Pass}}, got)
	})
	t.Run("another workflow of the same name has its own", func(t *testing.T) {
		require.NoError(t, f.KeepReports(t.Context(), Owner{Namespace: "ns", Name: "pairs", UID: "second"}, nil))
		list, err := f.Kube.CoreV1().ConfigMaps("ns").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, list.Items, 2)
	})
}
