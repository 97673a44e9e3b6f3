package cluster

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

var owner = Owner{Namespace: "ns", Name: "run", UID: "uid-1"}

func object(kind, name string, labels map[string]string) *unstructured.Unstructured {
	apiVersion := "trainer.kubeflow.org/v1alpha1"
	if kind == "ConfigMap" {
		apiVersion = "v1"
	}
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	u.SetName(name)
	u.SetLabels(labels)
	return u
}

// as says what a value is known to be.
func as[T any](value any) T {
	t, is := value.(T)
	if !is {
		panic(fmt.Sprintf("a %T is no %T", value, t))
	}
	return t
}

func dynamicOf(f *Fake) *dynamicfake.FakeDynamicClient {
	return as[*dynamicfake.FakeDynamicClient](f.Dynamic)
}

// requests returns what was asked of the dynamic API, as verb and resource.
func requests(f *Fake) []string {
	var all []string
	for _, a := range dynamicOf(f).Actions() {
		all = append(all, a.GetVerb()+" "+a.GetResource().Resource)
	}
	return all
}

func TestCreate(t *testing.T) {
	ctx := context.Background()
	mine := map[string]string{resolve.LabelScope: "abc123"}
	t.Run("creates_under_the_workflow_and_leaves_its_argument_alone", func(t *testing.T) {
		f := NewFake()
		o := object("TrainJob", "run-group-0", mine)
		require.NoError(t, f.Create(ctx, o, owner))
		require.Empty(t, o.GetOwnerReferences())
		got, err := f.Dynamic.Resource(trainJobs).Namespace("ns").Get(ctx, "run-group-0", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, []metav1.OwnerReference{{APIVersion: "argoproj.io/v1alpha1", Kind: "Workflow", Name: "run", UID: "uid-1"}}, got.GetOwnerReferences())
	})
	t.Run("never_touches_what_exists_and_is_its_own", func(t *testing.T) {
		f := NewFake()
		require.NoError(t, f.Create(ctx, object("TrainJob", "run-group-0", mine), owner))
		changed := object("TrainJob", "run-group-0", mine)
		changed.SetAnnotations(map[string]string{"changed": "yes"})
		require.NoError(t, f.Create(ctx, changed, owner))
		got, err := f.Dynamic.Resource(trainJobs).Namespace("ns").Get(ctx, "run-group-0", metav1.GetOptions{})
		require.NoError(t, err)
		require.Empty(t, got.GetAnnotations())
		require.Equal(t, []string{"create trainjobs", "create trainjobs", "get trainjobs", "get trainjobs"}, requests(f))
	})
	t.Run("refuses_what_is_somebody_elses_and_names_it", func(t *testing.T) {
		for name, other := range map[string]Owner{"another_workflow": {"ns", "run", "uid-2"}, "nobody": {}} {
			f := NewFake()
			if other.UID != "" {
				require.NoError(t, f.Create(ctx, object("ConfigMap", "run-group-0-config", mine), other), name)
			} else {
				_, err := f.Dynamic.Resource(configMaps).Namespace("ns").Create(ctx, object("ConfigMap", "run-group-0-config", mine), metav1.CreateOptions{})
				require.NoError(t, err)
			}
			err := f.Create(ctx, object("ConfigMap", "run-group-0-config", mine), owner)
			require.EqualError(t, err, "creating ConfigMap run-group-0-config: one of that name exists that is not this run's; delete it or give the run another name")
			require.NotErrorIs(t, err, ErrTerminating)
		}
	})
	t.Run("refuses_what_is_another_scopes", func(t *testing.T) {
		f := NewFake()
		require.NoError(t, f.Create(ctx, object("ConfigMap", "x", map[string]string{resolve.LabelScope: ""}), owner))
		require.ErrorContains(t, f.Create(ctx, object("ConfigMap", "x", mine), owner), "is not this run's")
	})
	t.Run("waits_for_what_is_going_away", func(t *testing.T) {
		f := NewFake()
		gone := object("TrainJob", "x", mine)
		gone.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
		gone.SetFinalizers([]string{"f"})
		require.NoError(t, f.Create(ctx, gone, owner))
		require.ErrorIs(t, f.Create(ctx, object("TrainJob", "x", mine), owner), ErrTerminating)
	})
	t.Run("waits_for_what_went_away_between_two_requests", func(t *testing.T) {
		f := NewFake()
		require.NoError(t, f.Create(ctx, object("TrainJob", "x", mine), owner))
		dynamicOf(f).PrependReactor("get", "trainjobs", func(a clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, notFound("trainjobs", as[clienttesting.GetAction](a).GetName())
		})
		require.ErrorIs(t, f.Create(ctx, object("TrainJob", "x", mine), owner), ErrTerminating)
	})
	t.Run("refuses_a_kind_that_it_does_not_know", func(t *testing.T) {
		err := NewFake().Create(ctx, object("Pod", "x", nil), owner)
		require.EqualError(t, err, "creating Pod x: Seatrial creates no objects of that kind")
	})
	t.Run("passes_the_reason_of_a_refusal_on", func(t *testing.T) {
		f := NewFake()
		dynamicOf(f).PrependReactor("create", "trainjobs", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, context.DeadlineExceeded
		})
		require.ErrorIs(t, f.Create(ctx, object("TrainJob", "x", mine), owner), context.DeadlineExceeded)
	})
}

func TestDelete(t *testing.T) {
	ctx := context.Background()
	in := map[string]string{resolve.LabelWorkflow: "run"}
	other := Owner{"ns", "run", "uid-2"}
	fill := func(t *testing.T) *Fake {
		t.Helper()
		f := NewFake()
		for _, kind := range []string{"ConfigMap", "TrainingRuntime", "TrainJob"} {
			require.NoError(t, f.Create(ctx, object(kind, "mine", in), owner))
			require.NoError(t, f.Create(ctx, object(kind, "theirs", in), other))
			require.NoError(t, f.Create(ctx, object(kind, "unlabelled", nil), owner))
		}
		require.NoError(t, f.Create(ctx, object("ConfigMap", "run-seatrial", map[string]string{resolve.LabelWorkflow: "run", labelRecord: "0"}), owner))
		dynamicOf(f).ClearActions()
		return f
	}
	t.Run("deletes_only_the_owners_and_keeps_the_record", func(t *testing.T) {
		f := fill(t)
		require.NoError(t, f.Delete(ctx, owner, resolve.LabelWorkflow+"=run"))
		left := map[string]int{}
		for _, resource := range resources {
			list, err := f.Dynamic.Resource(resource).Namespace("ns").List(ctx, metav1.ListOptions{})
			require.NoError(t, err)
			for _, o := range list.Items {
				left[o.GetName()]++
			}
		}
		require.Equal(t, map[string]int{"theirs": 3, "unlabelled": 3, "run-seatrial": 1}, left)
	})
	t.Run("what_refers_to_others_goes_first", func(t *testing.T) {
		f := fill(t)
		require.NoError(t, f.Delete(ctx, owner, resolve.LabelWorkflow+"=run"))
		require.Equal(t, []string{
			"list trainjobs", "delete trainjobs", "list trainingruntimes", "delete trainingruntimes", "list configmaps", "delete configmaps", "list persistentvolumeclaims",
		}, requests(f))
	})
	t.Run("twice_is_no_error", func(t *testing.T) {
		f := fill(t)
		require.NoError(t, f.Delete(ctx, owner, resolve.LabelWorkflow+"=run"))
		require.NoError(t, f.Delete(ctx, owner, resolve.LabelWorkflow+"=run"))
	})
	t.Run("one_failure_does_not_stop_the_rest_and_is_told", func(t *testing.T) {
		f := fill(t)
		dynamicOf(f).PrependReactor("delete", "trainjobs", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, context.DeadlineExceeded
		})
		err := f.Delete(ctx, owner, resolve.LabelWorkflow+"=run")
		require.ErrorContains(t, err, "deleting trainjobs mine")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Contains(t, requests(f), "delete configmaps")
	})
	t.Run("what_somebody_else_deleted_is_no_error", func(t *testing.T) {
		f := fill(t)
		dynamicOf(f).PrependReactor("delete", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, notFound(a.GetResource().Resource, "mine")
		})
		require.NoError(t, f.Delete(ctx, owner, resolve.LabelWorkflow+"=run"))
	})
}

func TestTrainJobs(t *testing.T) {
	ctx := context.Background()
	f := NewFake()
	job := object("TrainJob", "a", map[string]string{"l": "1"})
	require.NoError(t, unstructured.SetNestedSlice(job.Object, []any{map[string]any{"type": "Complete", "status": "True"}}, "status", "conditions"))
	require.NoError(t, f.Create(ctx, job, owner))
	require.NoError(t, f.Create(ctx, object("TrainJob", "b", nil), owner))
	jobs, err := f.TrainJobs(ctx, "ns", "l=1")
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	require.Equal(t, "Complete", jobs["a"].Status.Conditions[0].Type)
	require.NoError(t, f.Create(ctx, func() *unstructured.Unstructured {
		bad := object("TrainJob", "c", nil)
		bad.Object["spec"] = "text"
		return bad
	}(), owner))
	_, err = f.TrainJobs(ctx, "ns", "")
	require.ErrorContains(t, err, "reading TrainJob c")
}
