package cluster

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Nodes lists the cluster's nodes that carry a label, as key=value; "" lists all of them.
func (c *Cluster) Nodes(ctx context.Context, selector string) ([]corev1.Node, error) {
	list, err := c.kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	return list.Items, nil
}

// slicesWithin bounds the look at ResourceSlices, without which most runs do.
const slicesWithin = 5 * time.Second

// ResourceSlices lists what the DRA drivers of all nodes publish. A cluster before Kubernetes 1.34 has none of this version.
func (c *Cluster) ResourceSlices(ctx context.Context) ([]resourcev1.ResourceSlice, error) {
	ctx, cancel := context.WithTimeout(ctx, slicesWithin)
	defer cancel()
	list, err := c.kube.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing ResourceSlices: %w", err)
	}
	return list.Items, nil
}
