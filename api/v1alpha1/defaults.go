package v1alpha1

import "time"

// Defaults of the format, as the Cluster Readiness Engine v0.8.0 has them.
const (
	// DefaultTimeoutPerJob is the time that a group's job may take.
	DefaultTimeoutPerJob = 24 * time.Hour
	// DefaultQueue and DefaultQueueLabelKey are those of the KAI scheduler.
	DefaultQueue         = "default-queue"
	DefaultQueueLabelKey = "kai.scheduler/queue"
)

// Timeout returns the time that one group's job may take once its pods are scheduled.
// A duration that Validate refuses reads as the default.
func (s *WorkloadRunSpec) Timeout() time.Duration {
	if s.Orchestration == nil || s.Orchestration.TimeoutPerJob == "" {
		return DefaultTimeoutPerJob
	}
	d, err := time.ParseDuration(s.Orchestration.TimeoutPerJob)
	if err != nil || d < time.Second || d > maxTimeout {
		return DefaultTimeoutPerJob
	}
	return d
}

// MaxConcurrent returns how many groups may run at once; 0 means no bound.
func (s *WorkloadRunSpec) MaxConcurrent() int {
	if s.Orchestration == nil || s.Orchestration.MaxConcurrent == nil {
		return 0
	}
	return int(*s.Orchestration.MaxConcurrent)
}

// Repeats returns how often every group runs, at least once.
func (s *WorkloadRunSpec) Repeats() int {
	if s.Orchestration == nil || s.Orchestration.RepeatCount == nil {
		return 1
	}
	return max(1, int(*s.Orchestration.RepeatCount))
}

// Unpinned says whether the scheduler chooses the nodes of the run's only job.
func (s *WorkloadRunSpec) Unpinned() bool {
	return s.Orchestration != nil && s.Orchestration.Placement == Unpinned
}

// GroupSize returns how many nodes a group has, unless StrictDomain makes it as large as its domain.
func (s *WorkloadRunSpec) GroupSize() int32 {
	if s.Orchestration != nil && s.Orchestration.TestScale == IntraNode {
		return 1
	}
	return s.NumNodes
}

// TopologyKey returns the label by which groups are kept together; "" when the file names none.
func (s *WorkloadRunSpec) TopologyKey() string {
	if s.Orchestration == nil || s.Orchestration.Topology == nil {
		return ""
	}
	return s.Orchestration.Topology.TopologyKey
}

// StrictDomain says whether a group is a whole topology domain.
func (s *WorkloadRunSpec) StrictDomain() bool {
	o := s.Orchestration
	return o != nil && (o.TestScale == IntraRack || o.Topology != nil && o.Topology.StrictDomain)
}

// MNNVL says whether jobs use multi-node NVLink on nodes of that GPU architecture.
func (s *WorkloadRunSpec) MNNVL(architecture string) bool {
	if s.EnableMNNVL != nil {
		return *s.EnableMNNVL
	}
	return architecture == "gb200" || architecture == "gb300"
}

// QueueLabel returns the label that names the queue.
func (g *GangScheduler) QueueLabel() (key, value string) {
	key, value = g.QueueLabelKey, g.Queue
	if key == "" {
		key = DefaultQueueLabelKey
	}
	if value == "" {
		value = DefaultQueue
	}
	return key, value
}
