package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const (
	// label marks the nodes, and is what the runs select them by.
	label = "seatrial.dev/scale"
	// leases are where kubelets say that they live.
	leases = "kube-node-lease"
	// beat is how often: the controller manager of Kubernetes 1.34 bears 50 s of silence.
	beat = 25 * time.Second
	// atOnce is how many requests are under way at once.
	atOnce = 24
)

// fleet is nodes that are objects and nothing more. Every node says that its kubelet is the same one, ours.
type fleet struct {
	kube    kubernetes.Interface
	size    int
	address string
	port    int32
}

func nodeName(i int) string { return fmt.Sprintf("sim-node-%04d", i+1) }

// create makes the nodes with their leases.
func (f fleet) create(ctx context.Context) error {
	return f.each(ctx, func(ctx context.Context, i int) error {
		if _, err := f.kube.CoreV1().Nodes().Create(ctx, f.node(i), metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating node %s: %w", nodeName(i), err)
		}
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: nodeName(i), Labels: map[string]string{label: ""}}}
		holder, seconds, now := nodeName(i), int32(40), metav1.NowMicro()
		lease.Spec = coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &now}
		if _, err := f.kube.CoordinationV1().Leases(leases).Create(ctx, lease, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating the lease of node %s: %w", nodeName(i), err)
		}
		return nil
	})
}

// node has eight GPUs. Its taint keeps every pod away that does not tolerate all taints, as the workers of a run do: the agent's
// pod must have a real kubelet.
func (f fleet) node(i int) *corev1.Node {
	room := corev1.ResourceList{
		"nvidia.com/gpu":                     resource.MustParse("8"),
		corev1.ResourceCPU:                   resource.MustParse("128"),
		corev1.ResourceMemory:                resource.MustParse("2Ti"),
		corev1.ResourcePods:                  resource.MustParse("110"),
		"ephemeral-storage":                  resource.MustParse("1Ti"),
		corev1.ResourceName("hugepages-2Mi"): resource.MustParse("0"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName(i), Labels: map[string]string{
			label: "", corev1.LabelHostname: nodeName(i), "nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
		}},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: label, Value: "simulated", Effect: corev1.TaintEffectNoSchedule}}},
		Status: corev1.NodeStatus{
			Capacity: room, Allocatable: room,
			Conditions:      []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Simulated", LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now()}},
			Addresses:       []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: f.address}},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: f.port}},
		},
	}
}

// live renews the leases until ctx ends.
func (f fleet) live(ctx context.Context, say func(string, ...any)) {
	for ctx.Err() == nil {
		began := time.Now()
		err := f.each(ctx, func(ctx context.Context, i int) error {
			patch := fmt.Appendf(nil, `{"spec":{"renewTime":%q}}`, time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"))
			_, err := f.kube.CoordinationV1().Leases(leases).Patch(ctx, nodeName(i), types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		})
		if err != nil && ctx.Err() == nil {
			say("renewing leases: %v", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(began.Add(beat))):
		}
	}
}

// remove deletes whatever fleet there is, of this program or of one before it.
func remove(ctx context.Context, kube kubernetes.Interface) error {
	all := metav1.ListOptions{LabelSelector: label}
	if err := kube.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, all); err != nil {
		return fmt.Errorf("deleting the nodes: %w", err)
	}
	if err := kube.CoordinationV1().Leases(leases).DeleteCollection(ctx, metav1.DeleteOptions{}, all); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting the leases: %w", err)
	}
	return nil
}

func (f fleet) each(ctx context.Context, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range f.size {
		group.Go(func() error { return do(ctx, i) })
	}
	return group.Wait()
}
