package cluster

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

func holding(name, node string) corev1.Pod {
	gpus := corev1.ResourceList{resolve.ResourceGPU: resource.MustParse("2")}
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Limits: gpus}}}},
	}
}

func TestBusy(t *testing.T) {
	t.Run("page by page", func(t *testing.T) {
		f := NewFake()
		pages := 0
		as[*kubefake.Clientset](f.Kube).PrependReactor("list", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
			o := as[clienttesting.ListActionImpl](a).GetListOptions()
			require.Equal(t, int64(podsAtOnce), o.Limit)
			require.Empty(t, a.GetNamespace(), "those of all namespaces")
			require.Equal(t, "spec.nodeName!=,status.phase!=Failed,status.phase!=Succeeded", as[clienttesting.ListAction](a).GetListRestrictions().Fields.String())
			page := &corev1.PodList{Items: []corev1.Pod{holding(fmt.Sprintf("p%d", pages), "a"), holding(fmt.Sprintf("q%d", pages), fmt.Sprint(pages))}}
			require.Equal(t, pages > 0, o.Continue != "", "the next page begins where the last one ended")
			if pages++; pages < 3 {
				page.Continue = "more"
			}
			return true, page, nil
		})
		busy, unknown, err := f.Busy(context.Background(), Owner{Namespace: "ns", Name: "wf"})
		require.NoError(t, err)
		require.Empty(t, unknown)
		require.Equal(t, resolve.Busy{"a": 6, "0": 2, "1": 2, "2": 2}, busy)
	})
	for name, c := range map[string]struct {
		err     error
		unknown string
	}{
		"forbidden":          {apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no")), "may not be listed"},
		"a page that is old": {apierrors.NewResourceExpired("the continue token is too old"), "took too long"},
		"an outage":          {apierrors.NewServiceUnavailable("etcd"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFake()
			f.Refuse(func(string, string, string) error { return c.err })
			busy, unknown, err := f.Busy(context.Background(), Owner{})
			require.Empty(t, busy)
			require.Contains(t, unknown, c.unknown)
			require.Equal(t, c.unknown == "", err != nil)
		})
	}
}
