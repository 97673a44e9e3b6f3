// Package demo is a sea trial without a cluster: a made-up fleet, and everything else as it is.
//
//  1. NewFleet makes racks of nodes, one of them slow and one that corrupts data (fleet.go).
//  2. Run cuts them into pairs with plugin/partition (run.go).
//  3. Each pair's job writes the log that nccl-tests would (job.go, log.go); plugin/parse reads it and plugin/score judges it. Neither
//     knows that the log is made up.
//  4. settle tests the nodes of failed pairs again, each beside two nodes that passed, and names those that fail twice (settle.go).
//  5. plugin/report makes the verdicts of it.
//
// The same seed gives the same bytes.
package demo
