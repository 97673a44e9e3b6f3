package cluster

import (
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Pods lists the pods of a namespace that match a label selector: what they are called and belong to, where they are, and their
// status. The rest of their specs is left out, since a run may have thousands.
func (c *Cluster) Pods(ctx context.Context, namespace, selector string) ([]corev1.Pod, error) {
	var pods []corev1.Pod
	list := func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return c.kube.CoreV1().Pods(namespace).List(ctx, o)
	}
	err := eachItem(ctx, selector, list, func() { pods = nil }, func(o runtime.Object) error {
		if p, is := o.(*corev1.Pod); is {
			pods = append(pods, slim(p))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing pods in %s: %w", namespace, err)
	}
	return pods, nil
}

// slim is a pod without what nobody reads.
func slim(p *corev1.Pod) corev1.Pod {
	s := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: p.Name, Namespace: p.Namespace, UID: p.UID, Labels: p.Labels, CreationTimestamp: p.CreationTimestamp, DeletionTimestamp: p.DeletionTimestamp,
		},
		Spec:   corev1.PodSpec{NodeName: p.Spec.NodeName, Hostname: p.Spec.Hostname, Subdomain: p.Spec.Subdomain},
		Status: p.Status,
	}
	return s
}

// podsAtOnce is how many pods a page has: some 10 MiB of the API server's answer.
const podsAtOnce = 500

// EachRunningPod calls each with every pod of the whole cluster that has a node and has not ended, a page at a time, so that a
// hundred thousand take no more memory than a few hundred. A list from the API server's cache (resourceVersion 0) has no pages.
func (c *Cluster) EachRunningPod(ctx context.Context, each func(*corev1.Pod)) error {
	options := metav1.ListOptions{Limit: podsAtOnce, FieldSelector: "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"}
	for {
		list, err := c.kube.CoreV1().Pods(metav1.NamespaceAll).List(ctx, options)
		if err != nil {
			return fmt.Errorf("listing the pods of all namespaces: %w", err)
		}
		for i := range list.Items {
			each(&list.Items[i])
		}
		if options.Continue = list.Continue; options.Continue == "" {
			return nil
		}
	}
}

// PodEvents lists the events of all pods of a namespace, in no order, as the API server's cache has them: they may be seconds old.
func (c *Cluster) PodEvents(ctx context.Context, namespace string) ([]corev1.Event, error) {
	list, err := c.kube.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.kind=Pod", ResourceVersion: "0"})
	if err != nil {
		return nil, fmt.Errorf("listing the events of pods in %s: %w", namespace, err)
	}
	return list.Items, nil
}

// LogOptions chooses a container's log.
type LogOptions struct {
	Container string
	// Follow keeps the stream open until the container ends.
	Follow bool
	// Previous reads the container's last run instead of the present one.
	Previous bool
	// Timestamps puts the kubelet's time before each line.
	Timestamps bool
	// Since leaves out what was written before that whole second; the zero time leaves out nothing.
	Since time.Time
}

// Log opens a container's log, of which the kubelet keeps only the newest file when it rotates it. The caller closes it.
func (c *Cluster) Log(ctx context.Context, namespace, pod string, options LogOptions) (io.ReadCloser, error) {
	return c.openLog(ctx, namespace, pod, options)
}

func (c *Cluster) streamLog(ctx context.Context, namespace, pod string, o LogOptions) (io.ReadCloser, error) {
	options := &corev1.PodLogOptions{Container: o.Container, Follow: o.Follow, Previous: o.Previous, Timestamps: o.Timestamps}
	if !o.Since.IsZero() {
		options.SinceTime = &metav1.Time{Time: o.Since}
	}
	stream, err := c.kube.CoreV1().Pods(namespace).GetLogs(pod, options).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s/%s: %w", pod, o.Container, err)
	}
	return stream, nil
}
