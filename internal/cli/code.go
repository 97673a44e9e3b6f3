package cli

import "github.com/seed-95c1acfe/seatrial/api/v1alpha1"

// Code is an exit code. The zero value is what only evidence may give: every command sets its code itself.
type Code int

// The exit codes of every command.
const (
	// Passed: the verdict is a pass, or the command did what it was asked to do.
	Passed Code = 0
	// Failed: the verdict is a fail.
	Failed Code = 1
	// Misused: the command line or an input file is wrong. Nothing was created.
	Misused Code = 2
	// Unsure: it could not be told. The verdict is unknown, the run goes on, or the cluster does not answer.
	Unsure Code = 3
)

// codeOf is the exit code of a verdict.
func codeOf(v v1alpha1.Verdict) Code {
	switch v {
	case v1alpha1.Pass:
		return Passed
	case v1alpha1.Fail:
		return Failed
	default:
		return Unsure
	}
}

// worse returns the one of two codes that speaks more against a pass: Failed before Misused before Unsure before Passed.
func worse(a, b Code) Code {
	rank := map[Code]int{Passed: 0, Unsure: 1, Misused: 2, Failed: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
