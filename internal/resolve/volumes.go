package resolve

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// commonMounts are those of a workload container, wherever it runs.
func commonMounts(in Group) []corev1.VolumeMount {
	mounts := []corev1.VolumeMount{{Name: "dshm", MountPath: "/dev/shm"}}
	if in.Spec.Config != nil {
		mounts = append(mounts, configMount())
	}
	return mounts
}

func commonVolumes(in Group) []corev1.Volume {
	volumes := []corev1.Volume{{Name: "dshm", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}}}
	if v := configVolume(in); v != nil {
		volumes = append(volumes, *v)
	}
	return volumes
}

func configMount() corev1.VolumeMount {
	return corev1.VolumeMount{Name: "config-volume", MountPath: "/config"}
}

func configVolume(in Group) *corev1.Volume {
	if in.Spec.Config == nil {
		return nil
	}
	return &corev1.Volume{Name: "config-volume", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: in.Names.Run + suffixConfig},
		DefaultMode:          ptr.To[int32](0o755),
	}}}
}

func gpuResources(gpus int32) corev1.ResourceRequirements {
	n := *resource.NewQuantity(int64(gpus), resource.DecimalSI)
	return corev1.ResourceRequirements{
		Limits:   corev1.ResourceList{ResourceGPU: n},
		Requests: corev1.ResourceList{ResourceGPU: n},
	}
}

func quantity(text string) resource.Quantity { return resource.MustParse(text) }
