package resolve

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// environment merges the defaults with the user's variables: defaults whose name the user did not set, in their order, then the user's
// in the user's order. Of a name that is there twice the last counts, as in a container, and it alone is kept: Trainer's definition
// has the variables of a container as a map, so that the API server refuses a name with two values.
func environment(defaults, user []corev1.EnvVar) []corev1.EnvVar {
	set := lastOf(user)
	var merged []corev1.EnvVar
	for _, e := range defaults {
		if _, is := set[e.Name]; !is {
			merged = append(merged, e)
		}
	}
	for i, e := range user {
		if i == set[e.Name] {
			merged = append(merged, e)
		}
	}
	return merged
}

// lastOf returns the index of the last variable of each name, which is the one that counts in a container.
func lastOf(env []corev1.EnvVar) map[string]int {
	last := map[string]int{}
	for i, e := range env {
		last[e.Name] = i
	}
	return last
}

// forward returns the -x arguments by which mpirun hands env to the ranks: sshd gives every session a fresh environment.
// A name that mpiArgs forwards already is left to it. Of a name that is there twice the last counts, as in a container; both
// would end the run, since Open MPI 5 refuses a name with two values.
func forward(env []corev1.EnvVar, mpiArgs []string) []string {
	forwarded := map[string]bool{}
	for _, pair := range pairs(mpiArgs) {
		forwarded[pair.name] = true
	}
	last := lastOf(env)
	var args []string
	for i, e := range env {
		if !forwarded[e.Name] && i == last[e.Name] {
			args = append(args, "-x", forwardedAs(e))
		}
	}
	return args
}

// forwardedAs is the argument of -x for a variable. One with valueFrom goes by its name, so that mpirun reads the value from the
// launcher's environment.
func forwardedAs(e corev1.EnvVar) string {
	if e.ValueFrom != nil {
		return e.Name
	}
	return e.Name + "=" + e.Value
}

// pair is a -x and its argument, at and at+1 of a list of arguments. -xNAME and a -x at the end are not recognised, as the
// Cluster Readiness Engine has it.
type pair struct {
	at   int
	name string
}

func pairs(mpiArgs []string) []pair {
	var all []pair
	for i := 0; i+1 < len(mpiArgs); i++ {
		if mpiArgs[i] == "-x" {
			name, _, _ := strings.Cut(mpiArgs[i+1], "=")
			all = append(all, pair{i, name})
			i++
		}
	}
	return all
}

// outranked returns the platform's arguments of mpirun as the user leaves them. A name that spec.env sets keeps its place and
// gets the user's value; one that the user's own arguments forward goes, since Open MPI 5 refuses a name with two values.
// So for a rank the user's -x comes before spec.env, spec.env before the platform's -x, and that before the defaults.
func outranked(platform []string, env []corev1.EnvVar, mpiArgs []string) []string {
	forwarded := map[string]bool{}
	for _, p := range pairs(mpiArgs) {
		forwarded[p.name] = true
	}
	last := lastOf(env)
	var args []string
	from := 0
	for _, p := range pairs(platform) {
		args = append(args, platform[from:p.at]...)
		from = p.at + 2
		i, set := last[p.name]
		switch {
		case forwarded[p.name]:
		case set:
			args = append(args, "-x", forwardedAs(env[i]))
		default:
			args = append(args, platform[p.at:from]...)
		}
	}
	return append(args, platform[from:]...)
}
