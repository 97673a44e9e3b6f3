// Package score says what a log proves: its verdict, the cause when it is not a pass, and the numbers.
//
//  1. A test that the log tells twice, as a table and as JSON, counts once (once.go). Every test of the log is judged by itself:
//     its rank count (ranks.go), whether its table is whole, checked and right (judge.go).
//  2. What went wrong is collected as findings, and the first real cause is chosen from them (finding.go).
//  3. The tables become numbers: per size the mean over its rows, the peak, what a threshold sees (bandwidth.go), and
//     which processes took longer than the others (straggler.go).
//  4. Thresholds are evaluated on those numbers (threshold.go).
//
// The zero verdict is Unknown: an empty log, a cut table, a run that did not check is never a pass. A pass needs both lines
// of the footer (and, where the tool announced the test, its end), a check in every row, no wrong value, and more than one
// rank. A training is not judged by its log, but for a loss that is no number, a hang and a drift. The package is pure.
package score
