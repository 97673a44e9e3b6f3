// Package steps answers Argo's calls: each step of a run is one file here.
//
//  1. Execute finds the call's scope and the task that works for it, or starts one, and answers within a moment (steps.go, task.go).
//  2. discover resolves the run and writes its plan; partition cuts the plan's nodes into groups (discover.go, partition.go).
//  3. launch waits for the group's turn and creates its objects; score follows the job to its end, judges it and cleans up;
//     probe watches the workers' sshd meanwhile (launch.go, score.go, probe.go). attempt.go says which attempt they work on.
//  4. report reads the record and gives the verdict (report.go).
//  5. Close ends a run whatever state it is in: on a stop, when the agent's pod is deleted, and in the finish container (close.go).
//
// All state is in the run record. A task that dies with its process is started again by the next call and finds its way from there.
package steps
