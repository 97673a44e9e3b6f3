// Package explain says which layer set a field of an object that a run creates: the framework, a platform fragment, an override
// or the run itself.
//
//  1. Find takes a path such as TrainJob.spec.trainer.args[4] to its place among the objects (path.go), or says what is near it
//     (near.go).
//  2. Explain changes one value of the run or of a fragment after the other (edit.go), makes the objects anew, and keeps those
//     values whose change reaches the place (explain.go). What builds and changes nothing there has no say in it.
//  3. A value that no such change reaches is the framework's.
//
// Nothing is said of how the objects come about, so that no rule of the layers is written a second time. The package is pure.
package explain
