package v1alpha1

import "time"

// ReportSchema names the layout of Report; it changes only with an incompatible change.
const ReportSchema = "seatrial.dev/report/v1"

// Report is the one model behind every form of report. The order of its fields is the order of the JSON keys.
type Report struct {
	Schema string `json:"schema"`
	// Name is the run's name, which overrides refer to.
	Name string `json:"name"`
	// Workflow is the Argo Workflow that ran it; Scope names the run inside a Workflow of several, empty for the only one.
	Workflow string `json:"workflow"`
	Scope    string `json:"scope,omitempty"`
	// Stage is the place of the run in a Workflow of several, by the names of the DAG's tasks: pairs, or burn-in.pairs.
	Stage           string  `json:"stage,omitempty"`
	Verdict         Verdict `json:"verdict"`
	Cause           Cause   `json:"cause,omitempty"`
	Message         string  `json:"message,omitempty"`
	Platform        string  `json:"platform"`
	GPUArchitecture string  `json:"gpuArchitecture"`
	Framework       string  `json:"framework"`
	// Started and Finished come from the cluster's records; Finished is nil while the run goes on.
	Started  *time.Time    `json:"started"`
	Finished *time.Time    `json:"finished"`
	Counts   Counts        `json:"counts"`
	Nodes    []NodeResult  `json:"nodes"`
	Groups   []GroupResult `json:"groups"`
	// Isolation is what was done to find the nodes behind failed groups; nil when nothing was.
	Isolation  *Isolation        `json:"isolation,omitempty"`
	Excluded   []NodeReason      `json:"excluded"`
	Thresholds []ThresholdResult `json:"thresholds"`
	Fragments  []FragmentUse     `json:"fragments"`
	Warnings   []string          `json:"warnings"`
}

// Counts accounts for every node: Passed+Failed+Suspect+Untested+Unknown = Target. Excluded nodes are beside the target.
type Counts struct {
	Target   int `json:"target"`
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`
	Suspect  int `json:"suspect"`
	Untested int `json:"untested"`
	Unknown  int `json:"unknown"`
	Excluded int `json:"excluded"`
}

// Isolation are the rounds of further groups that settle the suspects of failed ones.
type Isolation struct {
	Rounds int `json:"rounds"`
	// Groups are named isolate-<round>-<number>. They count neither in the run's verdict nor against their nodes: the verdict of a
	// suspect, with its reason, is what follows from all of them.
	Groups []GroupResult `json:"groups"`
	Faults []FabricFault `json:"faults"`
}

// FabricFault is a fault between nodes: they pass, and what is between them does not.
type FabricFault struct {
	// Domain is the part of the fabric that fails as a whole, as its path (spine-1/leaf-3); empty for a link.
	Domain string `json:"domain,omitempty"`
	// A and B are the nodes on the two sides of a link.
	A      []string `json:"a,omitempty"`
	B      []string `json:"b,omitempty"`
	Reason string   `json:"reason"`
}

// NodeResult is the verdict of one target node.
type NodeResult struct {
	Name    string      `json:"name"`
	Verdict NodeVerdict `json:"verdict"`
	// Reason is one line; empty for a node that passed and never was a suspect.
	Reason string `json:"reason,omitempty"`
	// Domain is the node's topology domain; empty when it is not known.
	Domain string   `json:"domain,omitempty"`
	Groups []string `json:"groups"`
}

// NodeReason says why a node was left out.
type NodeReason struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// GroupResult is one group of nodes and what its job showed.
type GroupResult struct {
	Name     string   `json:"name"`
	Nodes    []string `json:"nodes"`
	Domain   string   `json:"domain,omitempty"`
	Overflow bool     `json:"overflow,omitempty"`
	// Purpose says what a group of isolation is to show; empty for any other.
	Purpose string `json:"purpose,omitempty"`
	// Borrowed are the nodes of an overflow group that belong to another group too.
	Borrowed []string `json:"borrowed,omitempty"`
	Verdict  Verdict  `json:"verdict"`
	Cause    Cause    `json:"cause,omitempty"`
	Message  string   `json:"message,omitempty"`
	// Blamed are the nodes that evidence names; empty when the group as a whole is at fault.
	Blamed     []NodeReason      `json:"blamed,omitempty"`
	Bandwidth  *Bandwidth        `json:"bandwidth,omitempty"`
	Training   *Training         `json:"training,omitempty"`
	Thresholds []ThresholdResult `json:"thresholds,omitempty"`
	Probe      []ProbeResult     `json:"probe,omitempty"`
	FailureLog *FailureLog       `json:"failureLog,omitempty"`
	Warnings   []string          `json:"warnings,omitempty"`
	Attempts   int               `json:"attempts"`
	// Started is when the last attempt's turn came; nil when the group never ran.
	Started *time.Time `json:"started,omitempty"`
	// DurationSec is the time from the group's launch to its result, in seconds; 0 when it never ran.
	DurationSec float64 `json:"durationSec"`
}

// ThresholdResult is one threshold and whether it was met. Value is nil when nothing was measured, or when
// the expression cannot be evaluated on what was; then Met is false, and the group is unknown.
type ThresholdResult struct {
	Key        string   `json:"key"`
	Expression string   `json:"expression"`
	Value      *float64 `json:"value"`
	Met        bool     `json:"met"`
}

// ProbeState is what a worker's sshd did.
type ProbeState string

// The states of a probe's target.
const (
	ProbeReady        ProbeState = "ready"
	ProbeRefused      ProbeState = "refused"
	ProbeSilent       ProbeState = "silent"
	ProbeNoBanner     ProbeState = "no-banner"
	ProbeThrottled    ProbeState = "throttled"
	ProbePenalised    ProbeState = "penalised" // by a penalty, or for MaxStartups: OpenSSH 9.8 and later do not say which
	ProbeAuth         ProbeState = "auth"
	ProbeDNS          ProbeState = "dns"
	ProbeDNSSelf      ProbeState = "dns-self"
	ProbeNotScheduled ProbeState = "not-scheduled"
	ProbeImagePull    ProbeState = "image-pull"
	ProbeVolume       ProbeState = "volume"
	ProbeInit         ProbeState = "init"
	ProbeCrash        ProbeState = "crash"
	ProbeTerminated   ProbeState = "terminated"
)

// ProbeResult is one target of a probe.
type ProbeResult struct {
	Target string     `json:"target"`
	Node   string     `json:"node,omitempty"`
	State  ProbeState `json:"state"`
	// LatencyMs is the time from the connect to the whole banner, in milliseconds; 0 unless ready.
	LatencyMs float64 `json:"latencyMs"`
	Attempts  int     `json:"attempts"`
	Reason    string  `json:"reason"`
}

// FailureLog is the end of the log that explains a failure.
type FailureLog struct {
	Pod       string `json:"pod"`
	Container string `json:"container"`
	// Tail is at most 200 lines and 32 KiB.
	Tail string `json:"tail"`
}

// FragmentUse names a platform fragment that was applied.
type FragmentUse struct {
	Name            string `json:"name"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
}
