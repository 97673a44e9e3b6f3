package cluster

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	kubefake "k8s.io/client-go/kubernetes/fake"
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

// Versioned makes the fake's ConfigMaps behave like an API server's: every write gives a new resourceVersion, and a patch that
// names another one is a conflict. The fake runs one reactor at a time.
func (f *Fake) Versioned() {
	kube, is := f.Kube.(*kubefake.Clientset)
	if !is {
		return
	}
	version := 0
	write := func(m *corev1.ConfigMap, to func(gvr schema.GroupVersionResource, o runtime.Object, ns string) error, a clienttesting.Action) (bool, runtime.Object, error) {
		version++
		m.ResourceVersion = strconv.Itoa(version)
		return true, m, to(a.GetResource(), m, a.GetNamespace())
	}
	kube.PrependReactor("create", "configmaps", func(a clienttesting.Action) (bool, runtime.Object, error) {
		create, is := a.(clienttesting.CreateAction)
		if !is {
			return false, nil, nil
		}
		m, is := create.GetObject().(*corev1.ConfigMap)
		if !is {
			return false, nil, nil
		}
		return write(m, func(gvr schema.GroupVersionResource, o runtime.Object, ns string) error {
			return kube.Tracker().Create(gvr, o, ns)
		}, a)
	})
	kube.PrependReactor("patch", "configmaps", func(a clienttesting.Action) (bool, runtime.Object, error) {
		patch, is := a.(clienttesting.PatchAction)
		if !is {
			return false, nil, nil
		}
		found, err := kube.Tracker().Get(a.GetResource(), a.GetNamespace(), patch.GetName())
		if err != nil {
			return true, nil, err
		}
		if m, is := found.(*corev1.ConfigMap); is && !strings.Contains(string(patch.GetPatch()), fmt.Sprintf("%q:%q", "resourceVersion", m.ResourceVersion)) {
			return true, nil, apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, patch.GetName(), errors.New("changed"))
		}
		// The tracker's own reaction applies the patch; the version that it leaves is replaced after it.
		_, patched, err := clienttesting.ObjectReaction(kube.Tracker())(a)
		m, is := patched.(*corev1.ConfigMap)
		if err != nil || !is {
			return true, nil, err
		}
		return write(m.DeepCopy(), func(gvr schema.GroupVersionResource, o runtime.Object, ns string) error {
			return kube.Tracker().Update(gvr, o, ns)
		}, a)
	})
}

// Process is another program that talks to the same API server: it shares no memory with the first.
func (f *Fake) Process() *Cluster { return &Cluster{kube: f.Kube, dynamic: f.Dynamic, openLog: f.log} }
