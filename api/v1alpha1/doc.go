// Package v1alpha1 is Seatrial's public contract: what a user writes and what a user reads.
//
//  1. A WorkloadRun is loaded strictly, with file and line for every complaint (load.go):
//     text becomes a tree with positions (yaml.go), which is compared with the types (shape.go).
//  2. Values that were left out get their defaults, in one place (defaults.go).
//  3. Everything that is wrong is reported at once (validate.go).
//  4. A finished or unfinished run is described by one Report (report.go), whose groups hold the scores of their logs (score.go).
//
// The package is pure: it knows no cluster, no network, no clock and no environment.
package v1alpha1
