// Package resolve turns a WorkloadRun and the facts of a cluster's nodes into Kubernetes objects. It is the one copy of
// these rules: `render`, the discover step and the launch step all call it.
//
//  1. Select applies the target to the nodes and says why each of the rest is left out (target.go).
//  2. Discover finds what they have in common: platform, architecture, GPUs, NICs, networks (discover.go, platform.go,
//     architecture.go, hardware.go, nic.go, networks.go).
//  3. Environment merges the NCCL defaults with the user's variables; forward repeats them for mpirun's ranks (env.go).
//  4. The framework builds the TrainingRuntime and the command (torch.go for torch and exec, mpi.go with kaiwait.go); the rest is common (group.go,
//     placement.go, volumes.go, gang.go).
//  5. The platform's fragments that match (fragment.go) give environment and arguments (effects.go, expand.go) and are laid over
//     the generated objects (layers.go).
//  6. The run's overrides that match (when.go) come after them (override.go, jobtemplate.go, dependency.go, merge.go,
//     orchestrate.go).
//  7. The objects get the names and labels of their group, and references follow (rename.go, names.go).
//
// The package is pure: it knows no cluster, no network, no clock and no environment.
package resolve
