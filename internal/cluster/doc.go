// Package cluster is the only user of client-go. It reads nodes, pods, logs and workflows, creates a run's objects or
// verifies that they are there, deletes them again, and keeps the run record.
//
//  1. New, InCluster and FromFlags connect; every request is counted (client.go).
//  2. Workflow, Nodes, Pods, Events and Log read (workflow.go, nodes.go, pods.go).
//  3. Create never updates: what exists is ours and left alone, or an error names it (objects.go).
//  4. Record keeps a run's state in ConfigMaps that the Workflow owns, one compressed key a group (record.go).
//
// NewFake serves the same from memory, for tests (fake.go).
package cluster
