package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AccessModes returns the access modes of those of the named claims that exist.
func (c *Cluster) AccessModes(ctx context.Context, namespace string, names []string) (map[string][]corev1.PersistentVolumeAccessMode, error) {
	modes := map[string][]corev1.PersistentVolumeAccessMode{}
	for _, name := range names {
		claim, err := c.kube.CoreV1().PersistentVolumeClaims(namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading claim %s/%s: %w", namespace, name, err)
		}
		modes[name] = claim.Spec.AccessModes
	}
	return modes, nil
}
