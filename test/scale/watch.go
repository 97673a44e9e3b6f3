package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

var (
	trainJobs = schema.GroupVersionResource{Group: "trainer.kubeflow.org", Version: "v1alpha1", Resource: "trainjobs"}
	jobSets   = schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}
	jobs      = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	pods      = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	workflows = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "workflows"}
)

// arrivals notes when each TrainJob was seen for the first time, and when it was seen to be Complete.
type arrivals struct {
	mu             sync.Mutex
	seen, complete map[types.UID]bool
	last           time.Time
	lastComplete   time.Time
}

func (a *arrivals) live(ctx context.Context, client dynamic.Interface, namespace string) error {
	a.seen, a.complete = map[types.UID]bool{}, map[types.UID]bool{}
	informer := dynamicinformer.NewFilteredDynamicInformer(client, trainJobs, namespace, 0, cache.Indexers{}, nil).Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: a.note, UpdateFunc: func(_, object any) { a.note(object) }}); err != nil {
		return fmt.Errorf("watching TrainJobs: %w", err)
	}
	informer.Run(ctx.Done())
	return nil
}

func (a *arrivals) note(object any) {
	o, is := object.(*unstructured.Unstructured)
	if !is {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if id := o.GetUID(); !a.seen[id] {
		a.seen[id], a.last = true, time.Now()
	}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if fields, is := c.(map[string]any); is && fields["type"] == "Complete" && fields["status"] == "True" && !a.complete[o.GetUID()] {
			a.complete[o.GetUID()], a.lastComplete = true, time.Now()
		}
	}
}

// completed is how many TrainJobs were seen to be Complete so far, and when the last of them was.
func (a *arrivals) completed() (int, time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.complete), a.lastComplete
}

// count is how many TrainJobs there were so far, and when the last of them came.
func (a *arrivals) count() (int, time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.seen), a.last
}
