// Package partition cuts the target nodes of a run into groups, and says how the groups are handed out and when each may start.
//
//  1. Keys recognises the labels of a fleet that say where a node is in the fabric (keys.go); Place reads them off a node.
//  2. Cut makes the groups. Without keys it is Chunk: nodes sorted by name and cut into groups of one size (chunk.go).
//  3. With keys the nodes become a tree of domains, outermost first, and each level says how many of its domains a group may span (tree.go).
//  4. Full groups are made inside the innermost domains first, and of what they leave over in the domains around them (full.go).
//  5. Nodes that are left over get overflow groups, which borrow from the same domains, the least used nodes first (overflow.go).
//  6. What no group can hold is listed with the reason, and not tested (cut.go).
//  7. Batches names the groups in at most MaxBatches short ids, which Argo fans out over; ParseBatch reads one back (batch.go).
//  8. Ready says which waiting groups may start now, so that no node is in two running jobs (ready.go).
//
// The package is pure: the same nodes give the same groups, whatever order they come in.
package partition
