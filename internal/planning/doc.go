// Package planning decides what a run does before anything is created. The discover and partition steps call it, and
// `workloadrun render` does, so that what is rendered is what will run.
//
//  1. Of reads the parameters, applies the target to the nodes, finds out what they have in common, applies the orchestration of
//     overrides, and tries whether a group's objects can be built (plan.go).
//  2. Cut makes the groups (cut.go).
//
// What is wrong is in the plan, since a run that cannot start has a report too. The package asks no cluster and no clock.
package planning
