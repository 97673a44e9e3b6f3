package v1alpha1

import "time"

// DefaultTimeoutPerJob is the time that a group's job may take, as the Cluster Readiness Engine has it.
const DefaultTimeoutPerJob = 24 * time.Hour

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
