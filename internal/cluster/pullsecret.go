package cluster

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// Registry is a registry of images and who logs in there.
type Registry struct{ Server, Username, Password string }

// ErrNotOurs says that a Secret of the name exists and is not to be touched.
var ErrNotOurs = errors.New("is not Seatrial's")

// PullSecret makes the Secret by which pods pull from a registry, or brings one of Seatrial's own up to date. made says that
// it was not there before. Somebody else's Secret and one of another type are left alone: that is ErrNotOurs.
func (c *Cluster) PullSecret(ctx context.Context, namespace, name string, registry Registry) (made bool, err error) {
	data, err := registry.config()
	if err != nil {
		return false, err
	}
	api := c.kube.CoreV1().Secrets(namespace)
	_, err = api.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{resolve.LabelManagedBy: resolve.ManagedBy}},
		Type:       corev1.SecretTypeDockerConfigJson,
		Data:       data,
	}, metav1.CreateOptions{FieldManager: "seatrial"})
	if err == nil {
		return true, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return false, fmt.Errorf("creating Secret %s/%s: %w", namespace, name, err)
	}
	found, err := api.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, fmt.Errorf("reading Secret %s/%s, which exists: %w", namespace, name, err)
	}
	switch {
	case found.Type != corev1.SecretTypeDockerConfigJson:
		return false, fmt.Errorf("the Secret %s/%s exists with type %q, and %q would do; it %w: delete it, or give the run another name", namespace, name, found.Type, corev1.SecretTypeDockerConfigJson, ErrNotOurs)
	case found.Labels[resolve.LabelManagedBy] != resolve.ManagedBy:
		return false, fmt.Errorf("the Secret %s/%s exists without the label %s=%s; it %w: delete it, or give the run another name", namespace, name, resolve.LabelManagedBy, resolve.ManagedBy, ErrNotOurs)
	}
	found.Data = data
	if _, err := api.Update(ctx, found, metav1.UpdateOptions{FieldManager: "seatrial"}); err != nil {
		return false, fmt.Errorf("updating Secret %s/%s: %w", namespace, name, err)
	}
	return false, nil
}

// config is what a Secret of the type dockerconfigjson holds.
func (r Registry) config() (map[string][]byte, error) {
	text, err := json.Marshal(map[string]any{"auths": map[string]any{r.Server: map[string]string{
		"username": r.Username, "password": r.Password,
		"auth": base64.StdEncoding.EncodeToString([]byte(r.Username + ":" + r.Password)),
	}}})
	if err != nil {
		return nil, fmt.Errorf("writing the registry's login: %w", err)
	}
	return map[string][]byte{corev1.DockerConfigJsonKey: text}, nil
}

// AdoptSecret lets a Secret go with a workflow.
func (c *Cluster) AdoptSecret(ctx context.Context, name string, owner Owner) error {
	patch, err := owner.patch()
	if err != nil {
		return err
	}
	if _, err := c.kube.CoreV1().Secrets(owner.Namespace).Patch(ctx, name, mergePatch, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("making the workflow the owner of Secret %s/%s: %w", owner.Namespace, name, err)
	}
	return nil
}

// patch is a merge patch that makes the workflow the only owner of an object.
func (o Owner) patch() ([]byte, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": []metav1.OwnerReference{o.reference()}}})
	if err != nil {
		return nil, fmt.Errorf("writing an owner: %w", err)
	}
	return patch, nil
}

// DeleteSecret takes a Secret back that was made a moment ago.
func (c *Cluster) DeleteSecret(ctx context.Context, namespace, name string) error {
	if err := c.kube.CoreV1().Secrets(namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting Secret %s/%s: %w", namespace, name, err)
	}
	return nil
}
