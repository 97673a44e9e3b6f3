package resolve

import (
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// torchRuntime runs one container on each node, for torch and exec alike. The torch policy makes Trainer set PET_NNODES,
// PET_NODE_RANK, the rendezvous and so on, from which torchrun takes what no argument says; a command of exec has them for free.
func torchRuntime(in Group) trainer.TrainingRuntimeSpec {
	pod := corev1.PodSpec{
		// A container that failed is not run again: its first exit decides.
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: ptr.To[int64](30),
		SecurityContext:               &corev1.PodSecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		InitContainers:                in.Spec.InitContainers,
		Containers: []corev1.Container{{
			Name:         containerNode,
			Image:        in.Spec.Image,
			Env:          in.environment(),
			Resources:    resources(in.Spec.Resources, in.GPUs),
			VolumeMounts: nodeMounts(in),
		}},
		Volumes: nodeVolumes(in),
	}
	return trainer.TrainingRuntimeSpec{
		MLPolicy: &trainer.MLPolicy{
			NumNodes:       ptr.To(in.Workers()),
			MLPolicySource: trainer.MLPolicySource{Torch: &trainer.TorchMLPolicySource{}},
		},
		Template: trainer.JobSetTemplateSpec{Spec: jobset.JobSetSpec{
			ReplicatedJobs: []jobset.ReplicatedJob{
				replicatedJob(in, replicatedNode, map[string]string{ancestorLabel: "trainer"}, nil, pod),
			},
		}},
	}
}

// torchrunArgs are the script or the module, and its arguments.
func torchrunArgs(t *v1alpha1.Torch) []string {
	if t.Module != "" {
		return append([]string{"-m", t.Module}, t.Args...)
	}
	return append([]string{t.Script}, t.Args...)
}
