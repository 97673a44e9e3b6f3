package generator

import (
	"fmt"

	"github.com/argoproj/argo-workflows/v3/pkg/plugins/spec"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// PluginName is the key of a step's body, and what Argo calls the plugin.
	PluginName = "seatrial"
	// PluginPort is where Argo's agent calls the plugin. All plugins share the agent pod's network, so it must be nobody else's.
	PluginPort = 7243
	// MetricsPort is where the plugin serves metrics and health.
	MetricsPort = 7244
	// ArgoNamespace is where Argo's controller runs in its own manifests.
	ArgoNamespace = "argo"
)

// PluginConfigMap returns the ConfigMap by which Argo's controller knows the plugin, for the controller's namespace.
// It must not be in a workflow's namespace as well: the agent pod would then hold two containers of one name.
func PluginConfigMap(o Options) (*corev1.ConfigMap, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	sidecar := spec.Sidecar{AutomountServiceAccountToken: true, Container: corev1.Container{
		Name:            PluginAccount,
		Image:           o.Image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{pluginProgram, "serve"},
		// Argo calls the first port.
		Ports: []corev1.ContainerPort{
			{Name: "plugin", ContainerPort: PluginPort},
			{Name: "metrics", ContainerPort: MetricsPort},
		},
		Resources:       small(),
		SecurityContext: restricted(),
	}}
	if err := sidecar.Validate(); err != nil {
		return nil, fmt.Errorf("checking the sidecar: %w", err)
	}
	container, err := encode(sidecar.Container)
	if err != nil {
		return nil, err
	}
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Name: PluginAccount, Namespace: ArgoNamespace,
			Labels: map[string]string{"workflows.argoproj.io/configmap-type": "ExecutorPlugin", labelManagedBy: managedBy, labelVersion: o.Version},
		},
		Data: map[string]string{
			"sidecar.automountServiceAccountToken": "true",
			"sidecar.container":                    string(container),
		},
	}, nil
}
