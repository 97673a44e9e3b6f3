package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	sigsjson "sigs.k8s.io/json"
)

// APIVersion and Kind are what a WorkloadRun file must say: the format of the Cluster Readiness Engine, unchanged.
const (
	APIVersion = "nvcre.nvidia.com/v1alpha1"
	RunKind    = "WorkloadRun"
)

// WorkloadRun is one distributed workload to run on every group of nodes of a target.
type WorkloadRun struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        Metadata        `json:"metadata"`
	Spec            WorkloadRunSpec `json:"spec"`
}

// Metadata is the part of Kubernetes' object metadata that a file may set.
type Metadata struct {
	Name        string            `json:"name,omitempty"`
	Namespace   string            `json:"namespace,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// WorkloadRunSpec says what to run and where.
type WorkloadRunSpec struct {
	// Image is used by launcher, workers and the launcher's init container alike.
	Image     string    `json:"image"`
	Framework Framework `json:"framework"`
	// NumNodes is the size of one group, not a total; with the placement Unpinned that of the only job. It is never clamped.
	NumNodes int32 `json:"numNodes"`
	// GPUsPerNode is nil to take what the nodes advertise.
	GPUsPerNode *int32 `json:"gpusPerNode,omitempty"`
	// MlnxPerNode is the number of NICs that a worker asks for, where its platform has a resource for them. 0 asks for none,
	// nil is the default of the platform.
	MlnxPerNode *int32 `json:"mlnxPerNode,omitempty"`
	// NICResourceName is the extended resource of the NICs, such as rdma/rdma_shared_device_a; nil to find it on the nodes.
	NICResourceName *string `json:"nicResourceName,omitempty"`
	// EnableMNNVL is multi-node NVLink; nil means on for gb200 and gb300 and off for the rest.
	EnableMNNVL *bool `json:"enableMNNVL,omitempty"`
	// Resources of the workload container on the nodes. GPUs are added unless they are named here. The launcher has its own.
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// Target is nil for every node with GPUs.
	Target *Target `json:"target,omitempty"`
	Config *Config `json:"config,omitempty"`
	// Env is merged with the NCCL defaults; a name given here wins.
	Env []corev1.EnvVar `json:"env,omitempty"`
	// Volumes, VolumeMounts and InitContainers go onto the node pods, never onto a launcher.
	Volumes        []corev1.Volume      `json:"volumes,omitempty"`
	VolumeMounts   []corev1.VolumeMount `json:"volumeMounts,omitempty"`
	InitContainers []corev1.Container   `json:"initContainers,omitempty"`
	// ImagePullSecrets go onto every pod, the launcher's too.
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`
	Checkpoint       *Checkpoint                   `json:"checkpoint,omitempty"`
	Orchestration    *Orchestration                `json:"orchestration,omitempty"`
	GangScheduler    *GangScheduler                `json:"gangScheduler,omitempty"`
	WorkloadMetadata *WorkloadMetadata             `json:"workloadMetadata,omitempty"`
	// Thresholds maps a metric to a CEL expression over the double `value`.
	Thresholds           map[string]string     `json:"thresholds,omitempty"`
	BandwidthMeasurement *BandwidthMeasurement `json:"bandwidthMeasurement,omitempty"`
	GoodputMeasurement   *GoodputMeasurement   `json:"goodputMeasurement,omitempty"`
	Overrides            []Override            `json:"overrides,omitempty"`
}

// Manifest is a Kubernetes object, or the part of one that is to be merged into a generated object of the same apiVersion, kind and name.
type Manifest map[string]any

// UnmarshalJSON keeps whole numbers whole: encoding/json would make floating point of them, and lose digits, when a spec
// comes back from the run record.
func (m *Manifest) UnmarshalJSON(text []byte) error {
	return sigsjson.UnmarshalCaseSensitivePreserveInts(text, (*map[string]any)(m))
}
