package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConfigMaps lists a namespace's ConfigMaps that carry a label, as key=value.
func (c *Cluster) ConfigMaps(ctx context.Context, namespace, selector string) ([]corev1.ConfigMap, error) {
	list, err := c.kube.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("listing ConfigMaps with %s: %w", selector, err)
	}
	return list.Items, nil
}
