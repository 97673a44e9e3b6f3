// Package resolve turns a WorkloadRun and the facts of a cluster's nodes into Kubernetes objects. It is the one copy of
// these rules: `render`, the discover step and the launch step all call it.
//
//  1. Select applies the target to the nodes and says why each of the rest is left out (target.go).
//  2. GPUs reads how many GPUs of a node a job takes (gpu.go).
//  3. Environment merges the NCCL defaults with the user's variables; forward repeats them for mpirun's ranks (env.go).
//  4. The framework builds the TrainingRuntime and the command (torch.go for torch and exec, mpi.go with kaiwait.go); the rest is common (group.go,
//     placement.go, volumes.go, gang.go).
//  5. Overrides are merged into the generated objects (override.go), which then get their names and labels (names.go).
//
// The package is pure: it knows no cluster, no network, no clock and no environment.
package resolve
