package cluster

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes"
	kubefake "k8s.io/client-go/kubernetes/fake"
)

// Fake is a Cluster in memory. It keeps objects and logs, and no controller acts on them.
type Fake struct {
	*Cluster
	Kube    kubernetes.Interface
	Dynamic dynamic.Interface

	mu      sync.Mutex
	logs    map[string]string
	rotated map[string]int // lines that are gone, by the same key
}

// NewFake returns a Cluster that holds nothing but the core objects given.
func NewFake(objects ...runtime.Object) *Fake {
	f := &Fake{
		Kube:    kubefake.NewClientset(objects...),
		Dynamic: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), listKinds()),
		logs:    map[string]string{},
	}
	f.Cluster = &Cluster{kube: f.Kube, dynamic: f.Dynamic, openLog: f.log}
	return f
}

func listKinds() map[schema.GroupVersionResource]string {
	return map[schema.GroupVersionResource]string{
		workflows: "WorkflowList", trainJobs: "TrainJobList", trainingRuntimes: "TrainingRuntimeList", configMaps: "ConfigMapList",
		volumeClaims: "PersistentVolumeClaimList", services: "ServiceList", claimTemplates: "ResourceClaimTemplateList",
		computeDomains: "ComputeDomainList", workflowTemplates: "WorkflowTemplateList",
	}
}

// SetLog sets what a container's log holds. previous is the container's last run.
func (f *Fake) SetLog(pod, container string, previous bool, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logs[logKey(pod, container, previous)] = text
}

// DeleteLog takes a container's log away, as a kubelet does with that of a pod that is gone.
func (f *Fake) DeleteLog(pod, container string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.logs, logKey(pod, container, false))
}

func logKey(pod, container string, previous bool) string {
	return fmt.Sprintf("%s/%s/%t", pod, container, previous)
}

func (f *Fake) log(_ context.Context, _, pod string, o LogOptions) (io.ReadCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, has := f.logs[logKey(pod, o.Container, o.Previous)]
	if !has {
		return nil, fmt.Errorf("opening the log of %s/%s: not found", pod, o.Container)
	}
	return io.NopCloser(strings.NewReader(f.kept(text, f.rotated[logKey(pod, o.Container, o.Previous)], o))), nil
}

// RotateLog takes the first lines of a container's log away, as a kubelet does that begins another file.
func (f *Fake) RotateLog(pod, container string, lines int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rotated == nil {
		f.rotated = map[string]int{}
	}
	f.rotated[logKey(pod, container, false)] = lines
}

// kept is what a kubelet sends of a text, whose lines were written a millisecond apart.
func (f *Fake) kept(text string, rotated int, o LogOptions) string {
	var b strings.Builder
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for line := range strings.Lines(text) {
		at = at.Add(time.Millisecond)
		if rotated--; rotated >= 0 || at.Before(o.Since.Truncate(time.Second)) {
			continue
		}
		if o.Timestamps {
			b.WriteString(at.Format(time.RFC3339Nano) + " ")
		}
		b.WriteString(line)
	}
	return b.String()
}
