package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Labels of pods. The first two are JobSet's.
const (
	labelJobSet     = "jobset.sigs.k8s.io/jobset-name"
	labelReplicated = "jobset.sigs.k8s.io/replicatedjob-name"
	// labelWorkflow is on the pods that Argo makes for itself.
	labelWorkflow = "workflows.argoproj.io/workflow"
)

// firstPod begins the addresses of the pods. All of them are ours (network.go).
var firstPod = netip.MustParseAddr("100.67.1.0")

// kubelet acts for the pods on all nodes of the fleet. Every pod runs and is ready at once. The launchers run until there is one
// for each group, so that all logs are followed at the same time, and then end one by one within spread.
type kubelet struct {
	kube      kubernetes.Interface
	namespace string
	address   string
	groups    int
	spread    time.Duration
	// text makes the log of a launcher, by the name of its JobSet.
	text func(job string) string
	say  func(string, ...any)

	queue  workqueue.TypedRateLimitingInterface[string]
	lister listers.PodNamespaceLister

	mu   sync.Mutex
	pods map[types.UID]*simPod
	next netip.Addr
	// byName finds the launcher whose log is asked for.
	byName    map[string]*simPod
	argos     map[types.UID]bool
	launchers int
	ends      int
	lastEnd   time.Time
	allRun    time.Time
}

// simPod is a pod that was begun.
type simPod struct {
	name, ip string
	log      *logText // nil for a worker
}

func newKubelet(kube kubernetes.Interface, namespace, address string) *kubelet {
	return &kubelet{
		kube: kube, namespace: namespace, address: address, next: firstPod,
		pods: map[types.UID]*simPod{}, byName: map[string]*simPod{}, argos: map[types.UID]bool{},
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
}

// live watches the namespace's pods until ctx ends.
func (k *kubelet) live(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(k.kube, 0, informers.WithNamespace(k.namespace))
	pods := factory.Core().V1().Pods()
	k.lister = pods.Lister().Pods(k.namespace)
	changed := func(object any) {
		p, is := object.(*corev1.Pod)
		switch {
		case is && strings.HasPrefix(p.Spec.NodeName, "sim-node-"):
			k.queue.Add(p.Name)
		case is && p.Labels[labelWorkflow] != "":
			k.see(p)
		}
	}
	if _, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, object any) { changed(object) },
	}); err != nil {
		return fmt.Errorf("watching pods: %w", err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	var wait sync.WaitGroup
	for range atOnce {
		wait.Go(func() {
			for k.work(ctx) {
			}
		})
	}
	<-ctx.Done()
	k.queue.ShutDown()
	wait.Wait()
	factory.Shutdown()
	return nil
}

func (k *kubelet) work(ctx context.Context) bool {
	name, down := k.queue.Get()
	if down {
		return false
	}
	defer k.queue.Done(name)
	err := k.reconcile(ctx, name)
	if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
		k.say("pod %s: %v", name, err)
		k.queue.AddRateLimited(name)
		return true
	}
	k.queue.Forget(name)
	return true
}

// reconcile does the next thing that a kubelet would do for a pod.
func (k *kubelet) reconcile(ctx context.Context, name string) error {
	p, err := k.lister.Get(name)
	if err != nil {
		return err
	}
	switch {
	case p.DeletionTimestamp != nil:
		now := int64(0)
		return k.kube.CoreV1().Pods(k.namespace).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &p.UID}})
	case p.Status.Phase == corev1.PodPending:
		return k.write(ctx, name, running(p, k.address, k.begin(p).ip, time.Now()))
	case p.Status.Phase == corev1.PodRunning:
		if log := k.begin(p).log; log != nil && log.isOver(time.Now()) {
			at := time.Now()
			if err := k.write(ctx, name, succeeded(p, at)); err != nil {
				return err
			}
			k.note(at)
		}
	}
	return nil
}

func (k *kubelet) write(ctx context.Context, name string, status corev1.PodStatus) error {
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return fmt.Errorf("encoding a status: %w", err)
	}
	_, err = k.kube.CoreV1().Pods(k.namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// begin remembers a pod. The launcher of the last group opens the end of all.
func (k *kubelet) begin(p *corev1.Pod) *simPod {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s, has := k.pods[p.UID]; has {
		return s
	}
	s := &simPod{name: p.Name, ip: k.next.String()}
	k.next = k.next.Next()
	k.pods[p.UID] = s
	if p.Labels[labelReplicated] != "launcher" {
		return s
	}
	s.log = newLogText(k.text(p.Labels[labelJobSet]), time.Now())
	k.byName[p.Name] = s
	k.launchers++
	switch {
	case k.launchers == k.groups:
		k.allRun = time.Now()
		k.end()
	case k.launchers > k.groups: // one that was made anew
		s.log.endAt(time.Now().Add(settle))
		k.queue.AddAfter(s.name, settle)
	}
	return s
}

// end gives each launcher the time of its end. Chance is the same every time.
func (k *kubelet) end() {
	dice := rand.New(rand.NewPCG(1, 0))
	least := settle
	for _, s := range k.byName {
		after := least + time.Duration(dice.Int64N(int64(max(k.spread, 1))))
		s.log.endAt(time.Now().Add(after))
		k.queue.AddAfter(s.name, after)
	}
}

// settle is how long all jobs run side by side at least.
const settle = 30 * time.Second

func (k *kubelet) note(at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ends++
	if at.After(k.lastEnd) {
		k.lastEnd = at
	}
}

// see counts a pod of Argo's own.
func (k *kubelet) see(p *corev1.Pod) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.argos[p.UID] = true
}

// moment is how far the pods are.
type moment struct {
	pods, launchers, ends int
	// argos are the pods that Argo made for itself.
	argos           int
	allRun, lastEnd time.Time
}

func (k *kubelet) now() moment {
	k.mu.Lock()
	defer k.mu.Unlock()
	return moment{len(k.pods), k.launchers, k.ends, len(k.argos), k.allRun, k.lastEnd}
}

func (k *kubelet) launcher(name string) *logText {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s, has := k.byName[name]; has {
		return s.log
	}
	return nil
}
