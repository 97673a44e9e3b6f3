package v1alpha1

// Override changes what is generated for the runs that its When matches: first the job template, then its patch, then the
// dependencies, then the orchestration.
type Override struct {
	// When is required; {} always matches.
	When *When `json:"when"`
	// JobTemplate is merged strategically into the view {spec: {workload: {trainJob: …}, workloadMetadata: {labels: …}}}.
	JobTemplate Manifest `json:"jobTemplate,omitempty"`
	// JobTemplatePatch holds operations of RFC 6902 on the same view.
	JobTemplatePatch []Manifest `json:"jobTemplatePatch,omitempty"`
	// Dependencies are merged into the generated objects of the same apiVersion, kind and name, or added. Each may have a
	// `when` of its own.
	Dependencies  []Manifest             `json:"dependencies,omitempty"`
	Orchestration *OrchestrationOverride `json:"orchestration,omitempty"`
}

// When is the condition of an override; its parts are ANDed, and {} always matches.
type When struct {
	Platform        *Choice `json:"platform,omitempty"`
	GPUArchitecture *Choice `json:"gpuArchitecture,omitempty"`
	// WorkloadKind is TrainJob, the only kind there is.
	WorkloadKind string        `json:"workloadKind,omitempty"`
	Topology     *WhenTopology `json:"topology,omitempty"`
	// Config never matches, whatever it says: the Cluster Readiness Engine never fills in what it is compared with.
	Config any `json:"config,omitempty"`
	// Expression is a CEL condition over platform, gpuArchitecture, workloadKind, topologyMode and domainCount.
	Expression string `json:"expression,omitempty"`
}

// WorkloadKind is the kind of every workload.
const WorkloadKind = "TrainJob"

// The modes of a run's topology.
const (
	// TopologySimple: nodes are cut into groups by name.
	TopologySimple = "simple"
	// TopologyDomains: a topology key cuts them into domains first.
	TopologyDomains = "topology"
)

// WhenTopology is the condition on how nodes are cut into groups.
type WhenTopology struct {
	// Mode is simple or topology; empty for either.
	Mode string `json:"mode,omitempty"`
	// DomainCount bounds the number of domains, 0 without a topology key.
	DomainCount *CountRange `json:"domainCount,omitempty"`
}

// CountRange is a condition on a number; its parts are ANDed, and nil parts do not matter.
type CountRange struct {
	Equals      *int32 `json:"equals,omitempty"`
	GreaterThan *int32 `json:"greaterThan,omitempty"`
	LessThan    *int32 `json:"lessThan,omitempty"`
}

// Matches says whether n satisfies all parts. A nil range matches.
func (c *CountRange) Matches(n int) bool {
	return c == nil ||
		(c.Equals == nil || n == int(*c.Equals)) &&
			(c.GreaterThan == nil || n > int(*c.GreaterThan)) &&
			(c.LessThan == nil || n < int(*c.LessThan))
}

// OrchestrationOverride replaces parts of the orchestration; each that is given replaces the whole of what was there.
type OrchestrationOverride struct {
	Target    *Target            `json:"target,omitempty"`
	Topology  *Topology          `json:"topology,omitempty"`
	Placement PlacementMode      `json:"placement,omitempty"`
	Execution *ExecutionOverride `json:"execution,omitempty"`
	// Iterations is how often every group runs; nil leaves what the run says.
	Iterations *int32 `json:"iterations,omitempty"`
}

// ExecutionOverride is how groups run.
type ExecutionOverride struct {
	// MaxConcurrent bounds the groups that run at once; nil and 0 mean no bound.
	MaxConcurrent *int32 `json:"maxConcurrent,omitempty"`
	// TimeoutPerJob is a Go duration; empty means 24h.
	TimeoutPerJob string `json:"timeoutPerJob,omitempty"`
	// RetryFailedGroups is how often a group that did not pass runs again; nil means never.
	RetryFailedGroups *int32 `json:"retryFailedGroups,omitempty"`
}
