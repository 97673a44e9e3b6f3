package resolve

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// environment merges the defaults with the user's variables: defaults whose name the user did not set, in their order,
// then all of the user's in the user's order, duplicates too.
func environment(defaults, user []corev1.EnvVar) []corev1.EnvVar {
	set := map[string]bool{}
	for _, e := range user {
		set[e.Name] = true
	}
	var merged []corev1.EnvVar
	for _, e := range defaults {
		if !set[e.Name] {
			merged = append(merged, e)
		}
	}
	return append(merged, user...)
}

// forward returns the -x arguments by which mpirun hands env to the ranks: sshd gives every session a fresh environment.
// A name that mpiArgs forwards already is left to it. A variable with valueFrom is forwarded by name, so that mpirun reads
// its value from the launcher's environment. Of a name that is there twice the last counts, as in a container; both would
// end the run, since Open MPI 5 refuses a name with two values.
func forward(env []corev1.EnvVar, mpiArgs []string) []string {
	forwarded := map[string]bool{}
	for i := 0; i+1 < len(mpiArgs); i++ {
		if mpiArgs[i] == "-x" {
			name, _, _ := strings.Cut(mpiArgs[i+1], "=")
			forwarded[name] = true
		}
	}
	last := map[string]int{}
	for i, e := range env {
		last[e.Name] = i
	}
	var args []string
	for i, e := range env {
		switch {
		case forwarded[e.Name] || i != last[e.Name]:
		case e.ValueFrom != nil:
			args = append(args, "-x", e.Name)
		default:
			args = append(args, "-x", e.Name+"="+e.Value)
		}
	}
	return args
}
