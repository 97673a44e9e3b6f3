package generator

import (
	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// pluginProgram is where the image has the plugin.
const pluginProgram = "/seatrial-plugin"

// pluginUser is the user of Argo's own executor. The agent writes the plugin's token for it, readable by user and group 0
// (cmd/argoexec/commands/agent.go, v3.7.18).
const pluginUser = 8737

// finish runs when the workflow ends, however it ends. It is a container because an evicted agent pod fails every later plugin step.
// Its main container has the plugin's account; Argo's own containers in the pod keep the workflow's, which may write task results:
// naming the executor's account makes Argo mount that token in them alone (workflow/controller/workflowpod.go, setupServiceAccount, v3.7.18).
func finish(o Options) wfv1.Template {
	return wfv1.Template{
		Name:               "finish",
		ServiceAccountName: PluginAccount,
		Executor:           &wfv1.ExecutorConfig{ServiceAccountName: WorkflowAccount},
		SecurityContext: &corev1.PodSecurityContext{
			RunAsUser: new(int64(pluginUser)), RunAsNonRoot: new(true),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		// A pod that was evicted or lost its node is an Error; what finish itself says is a Failed, and final.
		RetryStrategy: &wfv1.RetryStrategy{Limit: new(intstr.FromInt32(2)), RetryPolicy: wfv1.RetryPolicyOnError},
		Container: &corev1.Container{
			Name:            "main",
			Image:           o.Image,
			ImagePullPolicy: corev1.PullIfNotPresent,
			Command:         []string{pluginProgram, "finish"},
			Args:            []string{"--namespace={{workflow.namespace}}", "--workflow={{workflow.name}}", "--uid={{workflow.uid}}"},
			Resources:       small(),
			SecurityContext: restricted(),
		},
	}
}

// restricted is what the restricted Pod Security Standard asks of a container, with a read-only root besides.
func restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		RunAsUser: new(int64(pluginUser)), RunAsGroup: new(int64(0)), RunAsNonRoot: new(true),
		ReadOnlyRootFilesystem: new(true), AllowPrivilegeEscalation: new(false),
		Capabilities:   &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// small is room for following the logs of some dozens of groups at once.
func small() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("64Mi")},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
	}
}
