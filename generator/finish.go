package generator

import (
	"strings"

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
		Outputs:       wfv1.Outputs{Artifacts: reportFiles()},
		Volumes:       []corev1.Volume{{Name: "reports", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("256Mi"))}}}},
		Container: &corev1.Container{
			Name:            "main",
			Image:           o.Image,
			ImagePullPolicy: corev1.PullIfNotPresent,
			Command:         []string{pluginProgram, "finish"},
			Args:            []string{"--namespace={{workflow.namespace}}", "--workflow={{workflow.name}}", "--uid={{workflow.uid}}", "--reports=" + reportFolder},
			VolumeMounts:    []corev1.VolumeMount{{Name: "reports", MountPath: reportFolder}},
			Resources:       small(),
			SecurityContext: restricted(),
		},
	}
}

// reportFolder is where finish writes the reports when a run asks for artifacts. It is a volume, since the root is read-only.
const reportFolder = "/reports"

// reportFiles are artifacts only when the files exist: Argo looks for an optional artifact's file before it looks for a repository
// (workflow/executor/executor.go, saveArtifact, v3.7.18), so that a cluster without one runs the same template. They are not packed,
// so that the UI shows the page.
func reportFiles() wfv1.Artifacts {
	var all wfv1.Artifacts
	for _, name := range []string{"report.html", "report.json", "junit.xml"} {
		all = append(all, wfv1.Artifact{
			Name: strings.ReplaceAll(name, ".", "-"), Path: reportFolder + "/" + name,
			Optional: true, Archive: &wfv1.ArchiveStrategy{None: &wfv1.NoneStrategy{}},
		})
	}
	return all
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

// small is room for following the logs of hundreds of groups at once (docs/scale.md). On a machine that is full, the request is the share of the
// processor: with a fifth of it, the plugin was the last to hear that 500 groups had ended.
func small() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("64Mi")},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("256Mi")},
	}
}
