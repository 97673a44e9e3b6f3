package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

var (
	trainJobs = schema.GroupVersionResource{Group: "trainer.kubeflow.org", Version: "v1alpha1", Resource: "trainjobs"}
	jobSets   = schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}
	jobs      = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	pods      = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	workflows = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "workflows"}
)

// arrivals notes when each TrainJob was seen for the first time.
type arrivals struct {
	mu   sync.Mutex
	seen map[types.UID]bool
	last time.Time
}

func (a *arrivals) live(ctx context.Context, client metadata.Interface, namespace string) error {
	a.seen = map[types.UID]bool{}
	informer := metadatainformer.NewFilteredMetadataInformer(client, trainJobs, namespace, 0, cache.Indexers{}, nil).Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		if o, is := object.(metav1.Object); is {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.seen[o.GetUID()], a.last = true, time.Now()
		}
	}}); err != nil {
		return fmt.Errorf("watching TrainJobs: %w", err)
	}
	informer.Run(ctx.Done())
	return nil
}

// count is how many TrainJobs there were so far, and when the last of them came.
func (a *arrivals) count() (int, time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.seen), a.last
}
