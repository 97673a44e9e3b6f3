package cluster

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// SpecText reads what the parameter specFrom names. What is wrong with the ConfigMap is in the text; the error is the cluster's.
func (c *Cluster) SpecText(ctx context.Context, namespace string, source v1alpha1.SpecSource) (v1alpha1.SpecText, error) {
	found, err := c.kube.CoreV1().ConfigMaps(namespace).Get(ctx, source.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return source.Missing(namespace), nil
	}
	if err != nil {
		return v1alpha1.SpecText{}, fmt.Errorf("reading ConfigMap %s/%s, which specFrom names: %w", namespace, source.Name, err)
	}
	return source.In(found.Data), nil
}

// CreateConfigMap creates a ConfigMap that a workflow will own, or sees that it is there as it would be: with the same labels
// and data, and no owner yet. Any other of that name is left alone: that is ErrNotOurs. made says that it was not there before.
func (c *Cluster) CreateConfigMap(ctx context.Context, m *corev1.ConfigMap) (made bool, err error) {
	api := c.kube.CoreV1().ConfigMaps(m.Namespace)
	_, err = api.Create(ctx, m, metav1.CreateOptions{FieldManager: "seatrial"})
	if err == nil {
		return true, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return false, fmt.Errorf("creating ConfigMap %s/%s: %w", m.Namespace, m.Name, err)
	}
	found, err := api.Get(ctx, m.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err): // it went away between the two requests
		return false, fmt.Errorf("creating ConfigMap %s/%s: %w", m.Namespace, m.Name, ErrTerminating)
	case err != nil:
		return false, fmt.Errorf("reading ConfigMap %s/%s, which exists: %w", m.Namespace, m.Name, err)
	case !maps.Equal(found.Labels, m.Labels) || !maps.Equal(found.Data, m.Data):
		return false, fmt.Errorf("the ConfigMap %s/%s exists with other labels or text; it %w: delete it, or give the run another name", m.Namespace, m.Name, ErrNotOurs)
	case found.DeletionTimestamp != nil || len(found.OwnerReferences) > 0:
		return false, fmt.Errorf("creating ConfigMap %s/%s, which goes with an earlier workflow of that name: %w; trying again in a moment would do", m.Namespace, m.Name, ErrTerminating)
	}
	return false, nil
}

// AdoptConfigMap lets a ConfigMap go with a workflow.
func (c *Cluster) AdoptConfigMap(ctx context.Context, name string, owner Owner) error {
	patch, err := owner.patch()
	if err != nil {
		return err
	}
	if _, err := c.kube.CoreV1().ConfigMaps(owner.Namespace).Patch(ctx, name, mergePatch, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("making the workflow the owner of ConfigMap %s/%s: %w", owner.Namespace, name, err)
	}
	return nil
}

// DeleteConfigMap takes a ConfigMap back that was made a moment ago.
func (c *Cluster) DeleteConfigMap(ctx context.Context, namespace, name string) error {
	err := c.kube.CoreV1().ConfigMaps(namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting ConfigMap %s/%s: %w", namespace, name, err)
	}
	return nil
}
