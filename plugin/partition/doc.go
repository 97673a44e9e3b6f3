// Package partition cuts the target nodes of a run into groups, and says how the groups are handed out and when each may start.
//
//  1. Chunk sorts the nodes and cuts them into groups of one size; leftovers become an overflow group (chunk.go).
//  2. Batches names the groups in at most MaxBatches short ids, which Argo fans out over; ParseBatch reads one back (batch.go).
//  3. Ready says which waiting groups may start now, so that no node is in two running jobs (ready.go).
//
// Topology comes before stage 1: nodes are then split by domain and each part is chunked by itself, so a Group says nothing of how it came about.
// The package is pure: the same nodes give the same groups, whatever order they come in.
package partition
