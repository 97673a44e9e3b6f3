package v1alpha1

import "fmt"

// Verdict is the answer for a log, a group or a run.
// Its zero value is Unknown: what was not measured, not read or not finished is never a pass.
type Verdict uint8

// The verdicts of a log, a group and a run.
const (
	Unknown Verdict = iota
	Pass
	Fail
)

var verdictNames = [...]string{Unknown: "unknown", Pass: "pass", Fail: "fail"}

// String returns unknown, pass or fail; a value out of range reads unknown.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return verdictNames[Unknown]
}

// MarshalText writes the verdict as String does.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads unknown, pass or fail; anything else is an error.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("verdict %q is not one of unknown, pass, fail", text)
}

// NodeVerdict is the answer for one node. Its zero value is NodeUnknown.
type NodeVerdict uint8

// The verdicts of a node.
const (
	// NodeUnknown: a group of the node could not be judged.
	NodeUnknown NodeVerdict = iota
	// Passed: every group of the node passed, or it was only borrowed for a failing overflow group and passed elsewhere.
	Passed
	// Failed: evidence names the node.
	Failed
	// Suspect: a group of the node failed and nothing says which of its nodes was at fault.
	Suspect
	// Untested: the node is in the target and in no group.
	Untested
)

var nodeVerdictNames = [...]string{NodeUnknown: "unknown", Passed: "passed", Failed: "failed", Suspect: "suspect", Untested: "untested"}

// String returns unknown, passed, failed, suspect or untested; a value out of range reads unknown.
func (v NodeVerdict) String() string {
	if int(v) < len(nodeVerdictNames) {
		return nodeVerdictNames[v]
	}
	return nodeVerdictNames[NodeUnknown]
}

// MarshalText writes the verdict as String does.
func (v NodeVerdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads one of the names that String returns; anything else is an error.
func (v *NodeVerdict) UnmarshalText(text []byte) error {
	for i, name := range nodeVerdictNames {
		if name == string(text) {
			*v = NodeVerdict(i)
			return nil
		}
	}
	return fmt.Errorf("node verdict %q is not one of unknown, passed, failed, suspect, untested", text)
}

// Cause names why something is not a pass. Empty means nothing is wrong, or nobody looked.
type Cause string

// Causes that a log shows by itself.
const (
	CauseWrongResults       Cause = "wrong-results"
	CauseOutOfMemory        Cause = "out-of-memory"
	CauseCUDAError          Cause = "cuda-error"
	CauseCUDANotInitialized Cause = "cuda-not-initialized"
	CauseSystemError        Cause = "system-error"
	CauseIBError            Cause = "ib-error"
	CauseNetUnreachable     Cause = "net-unreachable"
	CauseBootstrap          Cause = "bootstrap"
	CauseNoMPI              Cause = "no-mpi"
	CauseIncomplete         Cause = "incomplete"
	CauseSingleRank         Cause = "single-rank"
	CauseUnchecked          Cause = "unchecked"
	CauseHang               Cause = "hang"
	CauseNaNLoss            Cause = "nan-loss"
	CauseSlowDrift          Cause = "slow-drift"
	CauseDNS                Cause = "dns"
	CauseDNSSelf            Cause = "dns-self"
	CauseAuth               Cause = "auth"
	CauseThrottle           Cause = "throttle"
	CauseWorkerNotStarted   Cause = "worker-not-started"
)

// Causes that only the cluster or the run's own settings show.
const (
	CauseThreshold      Cause = "threshold"
	CauseTimeout        Cause = "timeout"
	CauseJobFailed      Cause = "job-failed"
	CauseWorkload       Cause = "workload" // every node of the group failed in the same way
	CauseUnschedulable  Cause = "unschedulable"
	CauseImagePull      Cause = "image-pull"
	CauseVolume         Cause = "volume"
	CauseInfrastructure Cause = "infrastructure"
)
