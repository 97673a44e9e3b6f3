package generator_test

import (
	"os"
	"testing"

	"github.com/argoproj/argo-workflows/v3/pkg/plugins/spec"
	plugins "github.com/argoproj/argo-workflows/v3/workflow/util/plugins"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/generator"
)

// committedPlugin reads the committed ConfigMap as Argo's controller does.
func committedPlugin(t *testing.T) (corev1.ConfigMap, *spec.Plugin) {
	t.Helper()
	text, err := os.ReadFile(pluginFile)
	require.NoError(t, err)
	var configMap corev1.ConfigMap
	require.NoError(t, yaml.UnmarshalStrict(text, &configMap))
	plugin, err := plugins.FromConfigMap(&configMap)
	require.NoError(t, err)
	return configMap, plugin
}

// An invalid ConfigMap that is corrected later can crash Argo's controller, so the committed one is read as the controller reads it.
func TestPluginConfigMap(t *testing.T) {
	configMap, plugin := committedPlugin(t)
	sidecar := plugin.Spec.Sidecar

	t.Run("it is in the controller's namespace and has the label that Argo selects by", func(t *testing.T) {
		require.Equal(t, generator.ArgoNamespace, configMap.Namespace)
		require.Equal(t, "ExecutorPlugin", plugin.Kind)
	})
	t.Run("Argo looks for the account of the same name", func(t *testing.T) {
		require.True(t, sidecar.AutomountServiceAccountToken)
		require.Equal(t, generator.PluginAccount, plugin.Name+"-executor-plugin")
	})
	t.Run("Argo calls the plugin's port, not that of the metrics", func(t *testing.T) {
		require.EqualValues(t, generator.PluginPort, sidecar.Container.Ports[0].ContainerPort)
		require.EqualValues(t, generator.MetricsPort, sidecar.Container.Ports[1].ContainerPort)
	})
	t.Run("the sidecar can read its token and fits the restricted Pod Security Standard", func(t *testing.T) {
		require.EqualValues(t, 0, *sidecar.Container.SecurityContext.RunAsGroup)
		require.Empty(t, unrestricted(sidecar.Container.SecurityContext))
	})
	t.Run("it is the image of the templates' finish", func(t *testing.T) {
		for _, template := range frameworks(t) {
			finish := template.GetTemplateByName("finish").Container
			require.Equal(t, finish.Image, sidecar.Container.Image)
			require.Equal(t, finish.Command[0], sidecar.Container.Command[0])
		}
	})
	t.Run("it asks for less than it may use", func(t *testing.T) {
		for name, limit := range sidecar.Container.Resources.Limits {
			request := sidecar.Container.Resources.Requests[name]
			require.Negative(t, request.Cmp(limit), name)
			require.Positive(t, request.Sign(), name)
		}
	})
}
