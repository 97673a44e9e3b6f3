package parse

import "github.com/seed-95c1acfe/seatrial/api/v1alpha1"

// reason is what a message's words say about why something failed.
type reason struct {
	words    signals
	cause    v1alpha1.Cause
	strength Strength
}

// reasons are tried from the first: what names a thing that can be repaired comes before what names only its class.
var reasons = []reason{
	{notInitialized, v1alpha1.CauseCUDANotInitialized, Specific},
	{outOfMemory, v1alpha1.CauseOutOfMemory, Specific},
	{ibFault, v1alpha1.CauseIBError, Specific},
	{unreachable, v1alpha1.CauseNetUnreachable, Specific},
	{rendezvous, v1alpha1.CauseBootstrap, Specific},
	{resources, v1alpha1.CauseSystemError, Specific},
	{cudaFault, v1alpha1.CauseCUDAError, Specific},
	{timedOut, v1alpha1.CauseNetUnreachable, Generic},
	{refused, v1alpha1.CauseBootstrap, Generic},
	{cudaClass, v1alpha1.CauseCUDAError, Generic},
	{lostPeer, v1alpha1.CauseSystemError, Echo},
	{systemClass, v1alpha1.CauseSystemError, Generic},
}

// classify returns the first reason whose words a message holds.
func classify(found signals) (reason, bool) {
	for _, r := range reasons {
		if found.has(r.words) {
			return r, true
		}
	}
	return reason{}, false
}
