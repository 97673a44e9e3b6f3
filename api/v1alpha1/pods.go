package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Config is mounted at /config with mode 0755. At most one of its members is set; with neither the folder is empty.
type Config struct {
	Inline map[string]string `json:"inline,omitempty"`
	// ConfigMapRef names a ConfigMap of the run's namespace that exists already; nothing is created for it.
	ConfigMapRef *corev1.LocalObjectReference `json:"configMapRef,omitempty"`
}

// Checkpoint asks for a claim `<run>-checkpoint-pvc`, ReadWriteMany, for each group. It is mounted only where
// spec.volumes names that claim.
type Checkpoint struct {
	// StorageSize is a quantity such as 100Gi.
	StorageSize string `json:"storageSize"`
	// StorageClassName is nil for the cluster's default class.
	StorageClassName *string `json:"storageClassName,omitempty"`
	// MaxRestarts may only be 0, as nil is: Seatrial repeats groups by retryFailedGroups.
	MaxRestarts *int32 `json:"maxRestarts,omitempty"`
}

// GangScheduler hands all pods of a job to a scheduler that places them together or not at all.
type GangScheduler struct {
	SchedulerName string `json:"schedulerName"`
	// Queue is default-queue when it is "".
	Queue string `json:"queue,omitempty"`
	// QueueLabelKey is kai.scheduler/queue when it is "".
	QueueLabelKey string `json:"queueLabelKey,omitempty"`
}

// WorkloadMetadata is for the TrainJob itself, not for its pods.
type WorkloadMetadata struct {
	// Labels are at most 32, the queue's label included.
	Labels map[string]string `json:"labels,omitempty"`
}
