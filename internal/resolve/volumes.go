package resolve

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// nodeMounts are those of the workload container on a node: the built-in ones, then the user's.
func nodeMounts(in Group) []corev1.VolumeMount {
	mounts := []corev1.VolumeMount{{Name: v1alpha1.VolumeShm, MountPath: v1alpha1.PathShm}}
	if in.Spec.Config != nil {
		mounts = append(mounts, configMount())
	}
	return append(mounts, in.Spec.VolumeMounts...)
}

// nodeVolumes are those of a node's pod. /dev/shm has no size limit: NCCL sizes its buffers by the ranks of a node.
func nodeVolumes(in Group) []corev1.Volume {
	volumes := []corev1.Volume{{Name: v1alpha1.VolumeShm, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}}}
	if v := configVolume(in); v != nil {
		volumes = append(volumes, *v)
	}
	return append(volumes, in.Spec.Volumes...)
}

func configMount() corev1.VolumeMount {
	return corev1.VolumeMount{Name: v1alpha1.VolumeConfig, MountPath: v1alpha1.PathConfig}
}

// configVolume is the generated ConfigMap, or the one that spec.config.configMapRef names; nil without spec.config. The mode
// makes scripts executable.
func configVolume(in Group) *corev1.Volume {
	config := in.Spec.Config
	if config == nil {
		return nil
	}
	source := corev1.LocalObjectReference{Name: in.Names.Run + suffixConfig}
	if config.ConfigMapRef != nil {
		source = *config.ConfigMapRef
	}
	return &corev1.Volume{Name: v1alpha1.VolumeConfig, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: source,
		DefaultMode:          ptr.To[int32](0o755),
	}}}
}

// checkpointClaim is the claim of spec.checkpoint, which spec.volumes may name.
func checkpointClaim(in Group) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: in.meta(in.Names.Run + suffixCheckpoint),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: quantity(in.Spec.Checkpoint.StorageSize)}},
			StorageClassName: in.Spec.Checkpoint.StorageClassName,
		},
	}
}

// resources are those of the workload container on a node: the GPUs alone, or the user's with the GPUs added unless she named
// them, be it with 0.
func resources(user *corev1.ResourceRequirements, gpus int32) corev1.ResourceRequirements {
	n := *resource.NewQuantity(int64(gpus), resource.DecimalSI)
	if user == nil {
		user = &corev1.ResourceRequirements{}
	}
	all := *user.DeepCopy()
	_, limited := all.Limits[ResourceGPU]
	_, requested := all.Requests[ResourceGPU]
	if limited || requested {
		return all
	}
	if all.Limits == nil {
		all.Limits = corev1.ResourceList{}
	}
	if all.Requests == nil {
		all.Requests = corev1.ResourceList{}
	}
	all.Limits[ResourceGPU], all.Requests[ResourceGPU] = n, n
	return all
}

func quantity(text string) resource.Quantity { return resource.MustParse(text) }
