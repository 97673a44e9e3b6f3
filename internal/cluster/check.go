package cluster

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// This file answers what `seatrial check` asks of a cluster. An absent thing is false and no error; an error means that
// it could not be told, most often for want of a right.

var workflowTemplates = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "workflowtemplates"}

// labelVersion is where everything that Seatrial installs says its version.
const labelVersion = "app.kubernetes.io/version"

// Reachable asks the API server for its version. The error is ErrUnreachable.
func (c *Cluster) Reachable() error {
	if _, err := c.kube.Discovery().ServerVersion(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return nil
}

// Serves says whether the API server knows a resource, such as trainjobs of trainer.kubeflow.org/v1alpha1.
func (c *Cluster) Serves(groupVersion, resource string) (bool, error) {
	list, err := c.kube.Discovery().ServerResourcesForGroupVersion(groupVersion)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking for the resources of %s: %w", groupVersion, err)
	}
	for _, r := range list.APIResources {
		if r.Name == resource {
			return true, nil
		}
	}
	return false, nil
}

// HasNamespace says whether a namespace exists.
func (c *Cluster) HasNamespace(ctx context.Context, name string) (bool, error) {
	_, err := c.kube.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	return found(err)
}

// HasSecret says whether a Secret exists. What it holds is thrown away.
func (c *Cluster) HasSecret(ctx context.Context, namespace, name string) (bool, error) {
	_, err := c.kube.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	return found(err)
}

func found(err error) (bool, error) {
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// TemplateVersion returns the version of Seatrial that a WorkflowTemplate is of, "" when it does not say.
func (c *Cluster) TemplateVersion(ctx context.Context, namespace, name string) (version string, exists bool, err error) {
	u, err := c.dynamic.Resource(workflowTemplates).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if exists, err = found(err); !exists {
		return "", false, err
	}
	return u.GetLabels()[labelVersion], true, nil
}

// Plugin is one ConfigMap by which Argo knows an executor plugin.
type Plugin struct {
	Namespace string
	// Version is "" when it does not say.
	Version string
}

// Plugins lists the ConfigMaps of an executor plugin in all namespaces, by the ConfigMap's name.
func (c *Cluster) Plugins(ctx context.Context, name string) ([]Plugin, error) {
	list, err := c.kube.CoreV1().ConfigMaps(metav1.NamespaceAll).List(ctx, metav1.ListOptions{LabelSelector: "workflows.argoproj.io/configmap-type=ExecutorPlugin"})
	if err != nil {
		return nil, fmt.Errorf("listing executor plugins: %w", err)
	}
	var plugins []Plugin
	for i := range list.Items {
		if m := &list.Items[i]; m.Name == name {
			plugins = append(plugins, Plugin{Namespace: m.Namespace, Version: m.Labels[labelVersion]})
		}
	}
	return plugins, nil
}

// Controller is one Deployment of Argo's workflow controller.
type Controller struct {
	Namespace, Name string
	// Plugins says whether executor plugins are turned on; nil when the Deployment does not show it.
	Plugins *bool
}

// Controllers lists the Deployments that run Argo's workflow controller, by their containers.
func (c *Cluster) Controllers(ctx context.Context) ([]Controller, error) {
	list, err := c.kube.AppsV1().Deployments(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing Deployments: %w", err)
	}
	var controllers []Controller
	for i := range list.Items {
		d := &list.Items[i]
		for j := range d.Spec.Template.Spec.Containers {
			container := &d.Spec.Template.Spec.Containers[j]
			words := strings.Join(append([]string{container.Image}, container.Command...), " ")
			if strings.Contains(words, "workflow-controller") {
				controllers = append(controllers, Controller{Namespace: d.Namespace, Name: d.Name, Plugins: pluginsOn(container)})
				break
			}
		}
	}
	return controllers, nil
}

// pluginsOn reads the switch of cmd/workflow-controller/main.go (v3.7.18): a flag, or a variable of the environment.
func pluginsOn(container *corev1.Container) *bool {
	on, off := true, false
	for _, arg := range append(container.Command[:len(container.Command):len(container.Command)], container.Args...) {
		if arg == "--executor-plugins" || arg == "--executor-plugins=true" {
			return &on
		}
	}
	for _, e := range container.Env {
		switch {
		case e.Name != "ARGO_EXECUTOR_PLUGINS":
		case e.ValueFrom != nil:
			return nil
		default:
			set := e.Value == "true"
			return &set
		}
	}
	if len(container.EnvFrom) > 0 {
		return nil
	}
	return &off
}
