package resolve

import (
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// execRuntime runs the command once on each node. The torch policy gives it PET_NODE_RANK and its like for free, as the
// Cluster Readiness Engine does.
func execRuntime(in Group) trainer.TrainingRuntimeSpec {
	pod := corev1.PodSpec{
		// A command that failed is not run again: its first exit decides.
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: ptr.To[int64](30),
		SecurityContext:               &corev1.PodSecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{
			Name:         containerNode,
			Image:        in.Spec.Image,
			Env:          in.containerEnv(),
			Resources:    gpuResources(in.GPUs),
			VolumeMounts: commonMounts(in),
		}},
		Volumes: commonVolumes(in),
	}
	return trainer.TrainingRuntimeSpec{
		MLPolicy: &trainer.MLPolicy{
			NumNodes:       ptr.To(int32(len(in.Nodes))),
			MLPolicySource: trainer.MLPolicySource{Torch: &trainer.TorchMLPolicySource{}},
		},
		Template: trainer.JobSetTemplateSpec{Spec: jobset.JobSetSpec{
			ReplicatedJobs: []jobset.ReplicatedJob{
				replicatedJob(in, replicatedNode, map[string]string{ancestorLabel: "trainer"}, nil, pod),
			},
		}},
	}
}
