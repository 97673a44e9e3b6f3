package resolve

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// effects are what the fragments of a group come to, before they are laid over its objects.
type effects struct {
	// defaults are what spec.env is merged with, env the platform's variables, in the fragments' order; of a name that is there
	// twice the last value, at its first place.
	defaults, env []corev1.EnvVar
	mpiArgs       []string
	preCommand    []string
}

// effects evaluates everything of the fragments that is no object.
func (g Group) effects() (effects, error) {
	var fx effects
	data := g.data()
	for i := range g.Fragments {
		n := &g.Fragments[i]
		f := &n.Fragment
		for j, e := range f.Env {
			path := fmt.Sprintf("env[%d].value", j)
			value, err := text(e.Value, data, path)
			if err != nil {
				return fx, ofFragment(n, path, err)
			}
			switch {
			case value == "" && e.Value != "": // an expression that came out empty
			case f.Defaults:
				fx.defaults = set(fx.defaults, corev1.EnvVar{Name: e.Name, Value: value})
			default:
				fx.env = set(fx.env, corev1.EnvVar{Name: e.Name, Value: value})
			}
		}
		args, err := texts(f.MPIArgs, data, n, "mpiArgs")
		if err != nil {
			return fx, err
		}
		fx.mpiArgs = append(withoutGiven(fx.mpiArgs, args), args...)
		lines, err := texts(f.PreCommand, data, n, "preCommand")
		if err != nil {
			return fx, err
		}
		for _, line := range lines {
			if line = g.unset(line); line != "" {
				fx.preCommand = append(fx.preCommand, line)
			}
		}
	}
	return fx, nil
}

func texts(list []string, data map[string]any, n *v1alpha1.NamedFragment, name string) ([]string, error) {
	var out []string
	for j, t := range list {
		path := fmt.Sprintf("%s[%d]", name, j)
		value, err := text(t, data, path)
		if err != nil {
			return nil, ofFragment(n, path, err)
		}
		out = append(out, value)
	}
	return withoutEmpty(out), nil
}

// set puts a variable into a list, in the place of one of its name.
func set(list []corev1.EnvVar, e corev1.EnvVar) []corev1.EnvVar {
	if at := slices.IndexFunc(list, func(o corev1.EnvVar) bool { return o.Name == e.Name }); at >= 0 {
		list[at] = e
		return list
	}
	return append(list, e)
}

// environment is the environment of a workload container. With mpi the platform's variables are the ranks' alone: one such
// as LD_LIBRARY_PATH is no concern of mpirun's.
func (g Group) environment() []corev1.EnvVar {
	base := slices.Clone(g.fx.defaults)
	if g.Spec.Framework.MPI == nil {
		for _, e := range g.fx.env {
			base = set(base, e)
		}
	}
	return environment(base, g.Spec.Env)
}

// platformArgs are mpirun's arguments from fragments, variables for the ranks first, without what the run's own arguments set:
// Open MPI 5 refuses a parameter with two values.
func (g Group) platformArgs() []string {
	given := g.Spec.Framework.MPI.MPIArgs
	args := append(forward(g.fx.env, g.fx.mpiArgs), g.fx.mpiArgs...)
	return withoutGiven(outranked(args, g.Spec.Env, given), given)
}

// withoutGiven drops from args the pairs `-x NAME=…`, the triples `--mca KEY VALUE`, `-N COUNT` and `--allow-run-as-root` that given
// has too, under any of their spellings.
func withoutGiven(args, given []string) []string {
	names := map[string]bool{}
	for i := 0; i < len(given); i++ {
		if name, n := parameter(given[i:]); n > 0 {
			names[name] = true
			i += n - 1
		}
	}
	var kept []string
	for i := 0; i < len(args); {
		name, n := parameter(args[i:])
		if n = max(n, 1); name == "" || !names[name] {
			kept = append(kept, args[i:min(i+n, len(args))]...)
		}
		i += n
	}
	return kept
}

// allowRoot lets mpirun run as root, as which most images do.
const allowRoot = "--allow-run-as-root"

// parameter reads the option at the beginning of args: what it sets and how many items it takes; 0 for any other.
func parameter(args []string) (name string, items int) {
	switch {
	case len(args) >= 2 && args[0] == "-x":
		variable, _, _ := strings.Cut(args[1], "=")
		return "-x " + variable, 2
	case len(args) >= 3 && (args[0] == "--mca" || args[0] == "-mca"):
		return "--mca " + args[1], 3
	case len(args) >= 2 && slices.Contains([]string{"-N", "-npernode", "--npernode"}, args[0]):
		return "-N", 2
	case len(args) >= 1 && (args[0] == allowRoot || args[0] == "-allow-run-as-root"):
		return allowRoot, 1
	}
	return "", 0
}

// before runs the fragments' lines of bash before a command.
func (g Group) before(command, args []string) ([]string, []string) {
	if len(g.fx.preCommand) == 0 {
		return command, args
	}
	var words []string
	for _, w := range slices.Concat(command, args) {
		words = append(words, quoted(w))
	}
	script := strings.Join(g.fx.preCommand, "\n") + "\nexec " + strings.Join(words, " ")
	return []string{"/bin/bash", "-c"}, []string{script}
}

// unset takes the variables that the run sets out of a line `unset A B`, since a variable of the run wins; "" when no other is left.
// Any other line stays as it is.
func (g Group) unset(line string) string {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "unset" || slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-") || len(validation.IsEnvVarName(w)) > 0 }) {
		return line
	}
	given := map[string]bool{}
	for _, e := range g.Spec.Env {
		given[e.Name] = true
	}
	if mpi := g.Spec.Framework.MPI; mpi != nil {
		for _, p := range pairs(mpi.MPIArgs) {
			given[p.name] = true
		}
	}
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return given[w] })
	switch len(kept) {
	case len(words):
		return line
	case 1:
		return ""
	}
	return strings.Join(kept, " ")
}

// quoted is a word that bash leaves as it is.
func quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
