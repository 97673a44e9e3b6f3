package cluster

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	clienttesting "k8s.io/client-go/testing"
)

type reactive interface {
	PrependReactor(verb, resource string, reaction clienttesting.ReactionFunc)
}

// Stamp lets the fake give everything that is created a uid and the time, as an API server does.
func (f *Fake) Stamp(now func() time.Time) {
	f.prepend("create", func(action clienttesting.Action) error {
		create, is := action.(clienttesting.CreateAction)
		if !is {
			return nil
		}
		object, err := meta.Accessor(create.GetObject())
		if err != nil {
			return err
		}
		if object.GetUID() == "" {
			object.SetUID(types.UID(uuid.NewUUID()))
		}
		if created := object.GetCreationTimestamp(); created.IsZero() {
			object.SetCreationTimestamp(metav1.NewTime(now()))
		}
		return nil
	})
}

// Refuse lets every request fail for which refuse returns an error. name is empty for a list.
func (f *Fake) Refuse(refuse func(verb, resource, name string) error) {
	f.prepend("*", func(action clienttesting.Action) error {
		name := ""
		switch a := action.(type) {
		case clienttesting.CreateAction: // an update is one too
			if object, err := meta.Accessor(a.GetObject()); err == nil {
				name = object.GetName()
			}
		case interface{ GetName() string }:
			name = a.GetName()
		}
		return refuse(action.GetVerb(), action.GetResource().Resource, name)
	})
}

// prepend lets a check see each request first; its error is the answer.
func (f *Fake) prepend(verb string, check func(clienttesting.Action) error) {
	reaction := func(action clienttesting.Action) (bool, runtime.Object, error) {
		err := check(action)
		return err != nil, nil, err
	}
	for _, client := range []any{f.Kube, f.Dynamic} {
		if r, is := client.(reactive); is { // both fakes are
			r.PrependReactor(verb, "*", reaction)
		}
	}
}
