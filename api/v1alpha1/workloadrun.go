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
	// NumNodes is the size of one group, not a total. It is never clamped.
	NumNodes int32 `json:"numNodes"`
	// GPUsPerNode is nil to take what the nodes advertise.
	GPUsPerNode *int32 `json:"gpusPerNode,omitempty"`
	// Target is nil for every node with GPUs.
	Target *Target `json:"target,omitempty"`
	Config *Config `json:"config,omitempty"`
	// Env is merged with the NCCL defaults; a name given here wins.
	Env []corev1.EnvVar `json:"env,omitempty"`
	// ImagePullSecrets go onto every pod, the launcher's too.
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`
	Orchestration    *Orchestration                `json:"orchestration,omitempty"`
	// Thresholds maps a metric to a CEL expression over the double `value`.
	Thresholds           map[string]string     `json:"thresholds,omitempty"`
	BandwidthMeasurement *BandwidthMeasurement `json:"bandwidthMeasurement,omitempty"`
	Overrides            []Override            `json:"overrides,omitempty"`
}

// Framework holds exactly one of its members.
type Framework struct {
	MPI  *MPI  `json:"mpi,omitempty"`
	Exec *Exec `json:"exec,omitempty"`
}

// The names of the frameworks, as reports and templates use them.
const (
	FrameworkMPI  = "mpi"
	FrameworkExec = "exec"
)

// Name returns the name of the framework that is set, or "" when none is.
func (f Framework) Name() string {
	switch {
	case f.MPI != nil:
		return FrameworkMPI
	case f.Exec != nil:
		return FrameworkExec
	}
	return ""
}

// MPI runs a binary under mpirun: one launcher, and one worker with sshd on each node of the group.
type MPI struct {
	MPIRunPath string   `json:"mpirunPath"`
	Binary     string   `json:"binary"`
	Args       []string `json:"args,omitempty"`
	// MPIArgs are further arguments of mpirun, after Seatrial's own.
	MPIArgs []string `json:"mpiArgs,omitempty"`
}

// Exec runs a command once on each node of the group.
type Exec struct {
	Command []string `json:"command"`
	Args    []string `json:"args,omitempty"`
}

// Target selects nodes; its parts are ANDed. Only nodes with the label nvidia.com/gpu.present=true are ever selected.
type Target struct {
	NodeSelector     map[string]string                `json:"nodeSelector,omitempty"`
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
	// NodeNames is nil for any name. An empty list selects no node: it never widens to all of them.
	NodeNames *[]string `json:"nodeNames,omitempty"`
}

// Config is mounted at /config with mode 0755.
type Config struct {
	Inline map[string]string `json:"inline,omitempty"`
}

// Orchestration says how the groups run.
type Orchestration struct {
	// MaxConcurrent bounds the groups that run at once; nil and 0 mean no bound.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// TimeoutPerJob is a Go duration such as 3m or 1h30m; empty means 24h.
	TimeoutPerJob string `json:"timeoutPerJob,omitempty"`
}

// BandwidthMeasurement asks for a bandwidth table: a group whose log holds none is not a pass.
type BandwidthMeasurement struct {
	LogProfileRef string `json:"logProfileRef"`
	// SampleInterval is accepted as the format has it; logs are followed while they are written, so nothing is sampled.
	SampleInterval string `json:"sampleInterval,omitempty"`
	TestType       string `json:"testType,omitempty"`
}

// Manifest is a Kubernetes object, or the part of one that is to be merged into a generated object of the same apiVersion, kind and name.
type Manifest map[string]any

// UnmarshalJSON keeps whole numbers whole: encoding/json would make floating point of them, and lose digits, when a spec
// comes back from the run record.
func (m *Manifest) UnmarshalJSON(text []byte) error {
	return sigsjson.UnmarshalCaseSensitivePreserveInts(text, (*map[string]any)(m))
}
