package v1alpha1

import "time"

// Options are the settings of a run that are Seatrial's own and have no field in a WorkloadRun.
// The zero value holds no default: ParseParameters fills them in.
type Options struct {
	// Cleanup says when the objects of a finished group are deleted.
	Cleanup Cleanup `json:"cleanup"`
	// RetryFailedGroups is how often a group that did not pass is run again on the same nodes; 0 is never.
	RetryFailedGroups int `json:"retryFailedGroups"`
	// Platform and GPUArchitecture stand in for what the nodes show; "" is to look at the nodes.
	Platform        string `json:"platform,omitempty"`
	GPUArchitecture string `json:"gpuArchitecture,omitempty"`
	// LogProfile is a profile of the user's own that the parameter logProfile names. What it measures shows only when it is read.
	LogProfile string `json:"logProfile,omitempty"`
	// Isolate: after the groups, the suspects of failed ones are settled in rounds of further groups.
	Isolate bool `json:"isolate,omitempty"`
	// PlanOnly ends the run once discover has made its plan.
	PlanOnly bool `json:"planOnly,omitempty"`
	// ProbeWarnAfter is how long a worker's sshd may be silent before the step says so, counted from the scheduling of the pods.
	ProbeWarnAfter Duration `json:"probeWarnAfter"`
	// MaxNodes refuses a run that would take more nodes; 0 is no bound.
	MaxNodes int32 `json:"maxNodes,omitempty"`
	// MaxDuration bounds the whole run, counted from the workflow's start; 0 is no bound. Nothing begins after it, and what
	// still runs then ends unknown.
	MaxDuration Duration `json:"maxDuration,omitempty"`
	// BusyNodes says what becomes of nodes whose GPUs are in use by pods that are not the run's.
	BusyNodes BusyNodes `json:"busyNodes,omitempty"`
	// Artifacts: the exit handler writes the reports as files, which Argo uploads to its artifact repository.
	Artifacts bool `json:"artifacts,omitempty"`
	// KeepReport: the exit handler leaves the final report in a ConfigMap that nobody owns, so that it outlives the workflow.
	KeepReport bool `json:"keepReport,omitempty"`
}

// DefaultProbeWarnAfter is the 20 minutes after which the Cluster Readiness Engine's launcher gives up on a worker's sshd.
const DefaultProbeWarnAfter = 20 * time.Minute

// GPUArchitectures are those that the Cluster Readiness Engine has defaults for (nvcre-workloadrun.md §3).
var GPUArchitectures = []string{"a100", "b200", "b300", "gb200", "gb300", "h100", "h200", "l40", "l40s", "rtxpro6000"}

// Cleanup says when the objects of a finished group are deleted.
type Cleanup string

// The values of the parameter cleanup.
const (
	CleanupAlways    Cleanup = "always"
	CleanupOnSuccess Cleanup = "onSuccess"
	CleanupNever     Cleanup = "never"
)

// After says whether a group with this verdict is to be deleted. A stopped run is always cleaned up.
func (c Cleanup) After(v Verdict) bool {
	return c == CleanupAlways || c == CleanupOnSuccess && v == Pass
}

// Against names the options that cannot go with a spec.
func (o Options) Against(spec *WorkloadRunSpec) Problems {
	if o.Isolate && spec.Unpinned() {
		return Problems{{Path: IsolateParameter, Text: "is true, which runs further jobs on chosen nodes, and placement is Unpinned, where the scheduler chooses them; drop one of the two"}}
	}
	return nil
}

// BusyNodes says what becomes of nodes whose GPUs are in use by others.
type BusyNodes string

// The values of the parameter busyNodes.
const (
	BusyWarn    BusyNodes = "warn"
	BusyExclude BusyNodes = "exclude"
)

// Duration is a time.Duration that reads and writes as 1h30m.
type Duration time.Duration

// MarshalText writes the duration as Go does, such as 20m0s.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}
