package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// warnings are what a run says that is sound and yet not what its author may think.
func warnings(spec *v1alpha1.WorkloadRunSpec, f Facts) []string {
	var all []string
	if name := spec.NICResourceName; name != nil && *name != f.NICResource {
		all = append(all, "spec.nicResourceName: "+*name+" does nothing here: only on-prem nodes with "+strings.Join(nicArchitectures, ", ")+" take it")
	}
	if mpi := spec.Framework.MPI; mpi != nil {
		if at := slices.Index(mpi.MPIArgs, rshArgs); at >= 0 && at+1 < len(mpi.MPIArgs) && !strings.Contains(mpi.MPIArgs[at+1], "StrictHostKeyChecking") {
			all = append(all, fmt.Sprintf("spec.framework.mpi.mpiArgs: %s takes the place of Seatrial's own `%s`; without StrictHostKeyChecking=no ssh may refuse workers that it does not know", rshArgs, sshOptions))
		}
	}
	if !spec.Unpinned() {
		return all
	}
	if key := spec.TopologyKey(); key != "" {
		all = append(all, fmt.Sprintf("spec.orchestration.topology.topologyKey: %s does nothing with the placement Unpinned; name the domain in spec.target.matchExpressions to keep the job inside one", key))
	}
	if spec.NumNodes > 1 && spec.GangScheduler == nil {
		all = append(all, fmt.Sprintf("spec.gangScheduler: is missing, and the placement is Unpinned: some of the %d pods may be bound while the rest wait for room", spec.NumNodes))
	}
	return all
}
