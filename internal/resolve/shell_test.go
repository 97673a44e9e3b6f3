package resolve

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// hostile are texts that mean something to a shell. Whoever gets past the quotes leaves a file named pwned.
var hostile = []string{
	"$(touch pwned)", "`touch pwned`", "; touch pwned", "& touch pwned &", "| touch pwned", "\ntouch pwned\n", "' ; touch pwned ; '",
	`" ; touch pwned ; "`, `'\''; touch pwned #`, `\'; touch pwned; #`, "${IFS}touch${IFS}pwned", "<(touch pwned)", ">pwned", "2>pwned", "&>pwned",
	"{touch,pwned}", "#", "!!", "!touch", "~", "~root/x", "*", "?[a-z]", "a b", "a\tb", "", " ", "-n", "--", "=", "A=b", "$HOME", "$$", "$'\\x41'", `$"x"`,
	"\\", "\\\\", "'", `"`, "''", "a'b\"c`d$e", "\r\n", "\x1b]0;x\x07", "ä€😀\u202e", "%s%n", "EOF", "&&", "||", "(", ")", "coproc touch pwned",
}

// words are texts of a random mix of what is special, the same ones each time.
func words(n int) []string {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // nothing is kept secret by it
	pieces := append([]string{"'", `"`, "`", "$", "(", ")", "\\", ";", "&", "|", "<", ">", "\n", " ", "!", "#", "{", "}", "*", "a", "=", "touch pwned"}, hostile...)
	list := slices.Clone(hostile)
	for range n {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		list = append(list, b.String())
	}
	return list
}

// runs executes a command line in an empty folder and returns what dump, which it must come to, was given.
func runs(t *testing.T, dir string, line, env []string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), line[0], line[1:]...) //nolint:gosec // the test's own
	cmd.Dir, cmd.Env = dir, append([]string{"PATH=/usr/bin:/bin"}, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), errs.String())
	require.NoFileExists(t, filepath.Join(dir, "pwned"))
	require.Empty(t, errs.String())
	given := strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00")
	return given
}

// dump writes a program that prints its arguments, each with a NUL behind it, under a name that no shell takes for one word.
func dump(t *testing.T) (dir, program string) {
	t.Helper()
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "it's $(touch pwned); `touch pwned` \"x\"")
	require.NoError(t, os.Mkdir(folder, 0o700))
	program = filepath.Join(folder, "mpi run")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s\\0' \"$@\"\n"), 0o700)) //nolint:gosec // a program
	return dir, program
}

// A platform's lines of bash come before the command, so that this alone goes through a shell: what the user wrote must come out
// of it as it went in.
func TestWhatUsersWriteComesThroughTheShellUnchanged(t *testing.T) {
	dir, program := dump(t)
	before := []v1alpha1.NamedFragment{{Name: "lines", Fragment: v1alpha1.Fragment{PreCommand: []string{"unset NCCL_NET_PLUGIN", "true"}}}}
	all := words(600)
	// Trainer takes 128 items each of command and args; with the lines it is one script, whatever its length.
	in := func(f v1alpha1.Framework) Group {
		g := group(load(t, filepath.Join(examples, "01-basic.yaml")))
		g.Spec.Framework = f
		g.Fragments = before
		return g
	}
	line := func(t *testing.T, in Group) []string {
		t.Helper()
		_, job := runtimeOf(t, in)
		require.Equal(t, []string{"/bin/bash", "-c"}, job.Spec.Trainer.Command)
		return append(slices.Clone(job.Spec.Trainer.Command), job.Spec.Trainer.Args...)
	}
	t.Run("mpirun", func(t *testing.T) {
		g := in(v1alpha1.Framework{MPI: &v1alpha1.MPI{MPIRunPath: program, Binary: hostile[0], Args: all, MPIArgs: hostile}})
		given := runs(t, dir, line(t, g), nil)
		require.Equal(t, []string{"-N", "8", "--allow-run-as-root"}, given[:3])
		tail := slices.Concat(hostile, hostile[:1], all)
		require.Equal(t, tail, given[len(given)-len(tail):])
	})
	t.Run("exec", func(t *testing.T) {
		g := in(v1alpha1.Framework{Exec: &v1alpha1.Exec{Command: append([]string{program}, hostile...), Args: all}})
		require.Equal(t, slices.Concat(hostile, all), runs(t, dir, line(t, g), nil))
	})
	t.Run("torchrun", func(t *testing.T) {
		bin := t.TempDir()
		require.NoError(t, os.Symlink(program, filepath.Join(bin, "torchrun")))
		g := in(v1alpha1.Framework{Torch: &v1alpha1.Torch{Script: hostile[0], Args: all}})
		require.Equal(t, append([]string{hostile[0]}, all...), runs(t, dir, line(t, g), []string{"PATH=" + bin + ":/usr/bin:/bin"}))
	})
	t.Run("variables", func(t *testing.T) {
		g := in(v1alpha1.Framework{MPI: &v1alpha1.MPI{MPIRunPath: program, Binary: "b"}})
		for _, text := range hostile {
			g.Spec.Env = []corev1.EnvVar{{Name: "A", Value: text}}
			given := runs(t, dir, line(t, g), []string{"A=" + text})
			require.Subset(t, given, []string{"-x"})
		}
	})
	t.Run("without such lines there is no shell", func(t *testing.T) {
		g := in(v1alpha1.Framework{Exec: &v1alpha1.Exec{Command: []string{program}, Args: hostile}})
		g.Fragments = nil
		_, job := runtimeOf(t, g)
		require.Equal(t, []string{program}, job.Spec.Trainer.Command)
		require.Equal(t, hostile, job.Spec.Trainer.Args)
	})
	t.Run("the check finds a hole", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), "/bin/bash", "-c", "true "+hostile[0])
		cmd.Dir = dir
		require.NoError(t, cmd.Run())
		require.FileExists(t, filepath.Join(dir, "pwned"))
	})
}

// The hostfile is Trainer's, and a ConfigMap that somebody may write.
func TestKaiWait_runs_nothing_that_the_hostfile_says(t *testing.T) {
	var hosts strings.Builder
	for _, text := range hostile {
		if !strings.ContainsAny(text, "\n\r\x1b\x00/") { // the test's ssh makes a file of the name
			hosts.WriteString(text + "\n" + text + " slots=8 $(touch pwned)\n")
		}
	}
	hosts.WriteString("-oProxyCommand=touch${IFS}pwned slots=8\n")
	w := newWaiting(t, hosts.String(), "exit 0")
	cmd, out := w.command(t)
	cmd.Dir = w.dir
	require.NoError(t, cmd.Run(), out.String())
	require.NoFileExists(t, filepath.Join(w.dir, "pwned"))
	args, err := os.ReadFile(filepath.Join(w.dir, "args.-oProxyCommand=touch${IFS}pwned"))
	require.NoError(t, err)
	require.Contains(t, string(args), " -- -oProxyCommand=touch${IFS}pwned true\n", "a host that begins like an option is none")
}
