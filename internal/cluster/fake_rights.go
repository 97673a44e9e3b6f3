package cluster

import (
	"context"
	"errors"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// Request is a request to the API server, as far as a rule of RBAC tells one from another.
type Request struct {
	Verb, Group string
	// Resource has its subresource with it, such as pods/log.
	Resource string
}

// String is the request as group/resource: verb.
func (r Request) String() string { return r.Group + "/" + r.Resource + ": " + r.Verb }

// As returns a Cluster on the same memory for an account of its own. Each of its requests is shown to may first, and is forbidden,
// as an API server forbids it, when may says no.
func (f *Fake) As(may func(Request) bool) *Cluster {
	admit := func(r Request) error {
		if may(r) {
			return nil
		}
		return apierrors.NewForbidden(schema.GroupResource{Group: r.Group, Resource: r.Resource}, "", errors.New("no rule allows "+r.String()))
	}
	kube := &kubefake.Clientset{} // all that it needs to pass requests on
	dynamic := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), listKinds())
	for own, behind := range map[reactive]any{kube: f.Kube, dynamic: f.Dynamic} {
		behind, is := behind.(invoker)
		if !is {
			panic("a client of the fake is not client-go's")
		}
		own.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if err := admit(requestOf(action)); err != nil {
				return true, nil, err
			}
			object, err := behind.Invokes(action, nil)
			return true, object, err
		})
	}
	openLog := func(ctx context.Context, namespace, pod string, o LogOptions) (io.ReadCloser, error) {
		if err := admit(Request{"get", "", "pods/log"}); err != nil {
			return nil, err
		}
		return f.log(ctx, namespace, pod, o)
	}
	return &Cluster{kube: kube, dynamic: dynamic, openLog: openLog}
}

type invoker interface {
	Invokes(action clienttesting.Action, object runtime.Object) (runtime.Object, error)
}

func requestOf(action clienttesting.Action) Request {
	r := Request{Verb: action.GetVerb(), Group: action.GetResource().Group, Resource: action.GetResource().Resource}
	if sub := action.GetSubresource(); sub != "" {
		r.Resource += "/" + sub
	}
	return r
}
