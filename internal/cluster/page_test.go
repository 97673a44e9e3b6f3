package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// pages answers as an API server with so many pods does. breakAt, if above 0, fails that page.
func pages(pods, breakAt int, err error) (list func(context.Context, metav1.ListOptions) (runtime.Object, error), asked *int) {
	asked = new(int)
	return func(_ context.Context, o metav1.ListOptions) (runtime.Object, error) {
		*asked++
		if *asked == breakAt {
			return nil, err
		}
		from, to := 0, pods
		if o.Limit > 0 {
			_, _ = fmt.Sscan(o.Continue, &from)
			to = min(pods, from+int(o.Limit))
		}
		page := &corev1.PodList{}
		for i := from; i < to; i++ {
			page.Items = append(page.Items, corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i)}})
		}
		if to < pods {
			page.Continue = fmt.Sprint(to)
		}
		return page, nil
	}, asked
}

func TestEachItem(t *testing.T) {
	seen := func(list func(context.Context, metav1.ListOptions) (runtime.Object, error)) (map[string]bool, error) {
		names := map[string]bool{}
		err := eachItem(t.Context(), "", list, func() { clear(names) }, func(o runtime.Object) error {
			p, is := o.(*corev1.Pod)
			require.True(t, is)
			names[p.Name] = true
			return nil
		})
		return names, err
	}
	t.Run("all_of_several_pages", func(t *testing.T) {
		list, asked := pages(1201, 0, nil)
		names, err := seen(list)
		require.NoError(t, err)
		require.Len(t, names, 1201)
		require.Equal(t, 3, *asked)
	})
	t.Run("a_page_that_came_too_late_is_no_loss", func(t *testing.T) {
		list, _ := pages(1201, 2, apierrors.NewResourceExpired("gone"))
		names, err := seen(list)
		require.NoError(t, err)
		require.Len(t, names, 1201)
	})
	t.Run("a_page_that_is_missing_is_an_error_and_no_short_list", func(t *testing.T) {
		list, _ := pages(1201, 2, errors.New("no answer"))
		_, err := seen(list)
		require.ErrorContains(t, err, "no answer")
	})
}

func TestPods_keeps_what_decides(t *testing.T) {
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "u", Labels: map[string]string{"l": "1"}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}}},
		Spec:       corev1.PodSpec{NodeName: "n", Hostname: "h", Subdomain: "s", Containers: []corev1.Container{{Name: "node"}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.0.0.1"},
	}
	s := slim(&p)
	require.Empty(t, s.ManagedFields)
	require.Empty(t, s.Spec.Containers)
	p.ManagedFields, p.Spec.Containers = nil, nil
	require.Equal(t, p, s)
}

func TestAKubeconfigThatIsNotThereIsNamed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "config")
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, []byte("apiVersion: v1\nkind: Config\n"), 0o600))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	t.Setenv("KUBECONFIG", missing+string(os.PathListSeparator)+empty)
	_, _, err := FromFlags(Flags{})
	require.ErrorIs(t, err, ErrUnreachable)
	require.EqualError(t, err, "the cluster is not reachable: there is no "+missing+", "+empty+" names no cluster; --kubeconfig FILE, or the variable KUBECONFIG, names another")
}
