package resolve

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Claims returns the names of the claims that spec.volumes mounts and that exist before the run, in order.
func Claims(spec *v1alpha1.WorkloadRunSpec, run string) []string {
	var names []string
	for _, v := range spec.Volumes {
		if v.PersistentVolumeClaim == nil || spec.Checkpoint != nil && v.PersistentVolumeClaim.ClaimName == run+suffixCheckpoint {
			continue
		}
		if name := v.PersistentVolumeClaim.ClaimName; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ClaimWarnings says which claims cannot be mounted by as many workers as there are at once. modes has the access modes of the
// claims that exist. Such pods stay in ContainerCreating until timeoutPerJob, with the cause in their events only.
func ClaimWarnings(spec *v1alpha1.WorkloadRunSpec, run string, modes map[string][]corev1.PersistentVolumeAccessMode, workersAtOnce int) []string {
	var warnings []string
	own := Claims(spec, run)
	for i, v := range spec.Volumes {
		if v.PersistentVolumeClaim == nil || !slices.Contains(own, v.PersistentVolumeClaim.ClaimName) {
			continue
		}
		path, claim := fmt.Sprintf("spec.volumes[%d].persistentVolumeClaim", i), v.PersistentVolumeClaim
		have, exists := modes[claim.ClaimName]
		switch {
		case !exists:
			warnings = append(warnings, fmt.Sprintf("%s.claimName: %s does not exist; its pods wait for it", path, claim.ClaimName))
		case workersAtOnce <= 1 || slices.Contains(have, corev1.ReadWriteMany):
		case !slices.Contains(have, corev1.ReadOnlyMany):
			warnings = append(warnings, fmt.Sprintf("%s.claimName: %s is %v, and %d workers mount it at the same time; a ReadWriteMany claim would do, or a ReadOnlyMany one that is mounted read-only", path, claim.ClaimName, have, workersAtOnce))
		case !claim.ReadOnly && !mountedReadOnly(spec, v.Name):
			warnings = append(warnings, fmt.Sprintf("%s.readOnly: is false, and %s is %v; %d workers mount it at the same time, which takes readOnly: true", path, claim.ClaimName, have, workersAtOnce))
		}
	}
	return warnings
}

// mountedReadOnly says whether every mount of a volume is read-only.
func mountedReadOnly(spec *v1alpha1.WorkloadRunSpec, volume string) bool {
	mounts := slices.Clone(spec.VolumeMounts)
	for _, c := range spec.InitContainers {
		mounts = append(mounts, c.VolumeMounts...)
	}
	return !slices.ContainsFunc(mounts, func(m corev1.VolumeMount) bool { return m.Name == volume && !m.ReadOnly })
}

// WorkersAtOnce returns how many workers of a run exist at the same time at most.
func WorkersAtOnce(spec *v1alpha1.WorkloadRunSpec, eligible int) int {
	if spec.Unpinned() {
		return int(spec.GroupSize())
	}
	if most := spec.MaxConcurrent() * int(spec.GroupSize()); most > 0 && !spec.StrictDomain() {
		return min(most, eligible)
	}
	return eligible
}
