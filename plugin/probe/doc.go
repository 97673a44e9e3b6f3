// Package probe asks whether the sshd of a worker answers, which is what mpirun needs before it can start a single rank.
//
//  1. Address turns what a user wrote into host:port (address.go).
//  2. Prober.Once resolves the host anew and connects to the first of its addresses that takes a connection, never more often
//     than once a second (connect.go, gate.go).
//  3. It reads until the version line of RFC 4253, answers with its own and says goodbye (once.go); or, with a key, it logs in and
//     runs `true` (login.go).
//  4. What was looked up, dialled or read becomes a state and one line of reason (classify.go).
//  5. Prober.All repeats that for many targets side by side, until each is ready or the time is up (all.go).
//
// Without a key it logs in nowhere. What a server says is hostile text and is cleaned before it is quoted. What the states mean,
// and what a probe costs an sshd, is in docs/probing.md.
package probe
