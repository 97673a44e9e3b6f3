// Package probe asks whether the sshd of a worker answers, which is what mpirun needs before it can start a single rank.
//
//  1. Address turns what a user wrote into host:port (address.go).
//  2. Prober.Once connects, reads until the version line of RFC 4253, answers with its own and says goodbye (once.go).
//  3. What was dialled or read becomes a state and one line of reason (classify.go).
//  4. Prober.All repeats that for many targets side by side, until each is ready or the context ends (all.go).
//
// It logs in nowhere and sends no key. What a server says is hostile text and is cleaned before it is quoted.
package probe
