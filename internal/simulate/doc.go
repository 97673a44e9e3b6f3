// Package simulate plays fleets with known faults, to count what partitioning and isolation find, miss and get wrong.
//
//  1. A Fleet is nodes in leaves and spines, with faults drawn from a seed (fleet.go, fault.go).
//  2. Run is one job on some of its nodes: its bandwidth, and whether it passes (run.go).
//  3. A Method runs jobs until it has an opinion: Seatrial's own (seatrial.go), and three others to compare with (baseline.go).
//  4. Compare holds the opinion against the truth (compare.go), and Table sums up many fleets (table.go).
//
// `go test ./internal/simulate -run TestTable -update` plays 4,000 fleets and writes the table of docs/isolation.md.
package simulate
