// Package isolate finds the node behind a failed group instead of blaming all of it. It says what to run next and what the
// results prove, and runs nothing itself.
//
//  1. A Case is all that ran so far: the groups of the run and the rounds of isolation after them (case.go).
//  2. What is known of a node follows from the jobs that it was in: it is good, cleared, bad, or still a suspect (know.go).
//     A node is bad only when it fails with two different good partners, in pairs that span as much of the fabric as its group
//     did and of which another one passed (control.go); and when its rack or leaf is not to blame (fabric.go, dark.go).
//  3. A failed group whose nodes are all cleared is run again, and then halved: what fails only together is a link (group.go).
//  4. Next makes the groups of the next round, which share no node and so run side by side (next.go, doubt.go, partner.go).
//  5. Conclude gives each suspect its verdict and the evidence, and names faults of the fabric (conclude.go, unsettled.go).
//  6. Bound says before the first round how many rounds and jobs there can be at most (bound.go).
//
// The package is pure: the same case gives the same answer, so that a restart changes nothing. docs/isolation.md has the rules
// in words and how they do on simulated fleets.
package isolate
