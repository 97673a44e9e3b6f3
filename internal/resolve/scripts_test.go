package resolve

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestScripts_are_POSIX_shell(t *testing.T) {
	for name, script := range map[string]string{"worker": workerScript, "keys": copyKeys, "ready": workerReady, "kai": copyKeys + " || exit 1\n" + kaiWait()} {
		for _, shell := range []string{"sh", "dash"} {
			out, err := exec.Command(shell, "-n", "-c", script).CombinedOutput()
			require.NoError(t, err, "%s under %s: %s", name, shell, out)
		}
		require.Error(t, exec.Command("dash", "-n", "-c", script+" && (").Run(), "the check finds a mistake")
	}
}

func TestScripts_hold_no_text_of_the_user(t *testing.T) {
	const mark = "MARK-OF-THE-USER"
	run := load(t, filepath.Join(examples, "01-basic.yaml"))
	run.Spec.Image = mark
	run.Spec.Framework.MPI = &v1alpha1.MPI{MPIRunPath: mark, Binary: mark, Args: []string{mark}, MPIArgs: []string{mark}}
	run.Spec.Config = &v1alpha1.Config{Inline: map[string]string{mark: mark}}
	r, _ := runtimeOf(t, group(run))
	seen := 0
	for _, j := range r.Spec.Template.Spec.ReplicatedJobs {
		pod := j.Template.Spec.Template.Spec
		for _, c := range append(pod.InitContainers, pod.Containers...) {
			seen += len(c.Command)
			require.NotContains(t, strings.Join(append(c.Command, c.Args...), " "), mark)
			if c.ReadinessProbe != nil {
				require.NotContains(t, strings.Join(c.ReadinessProbe.Exec.Command, " "), mark)
			}
		}
	}
	require.Equal(t, 6, seen, "worker and init container: sh, -c, script")
}

func TestWorkerScript_becomes_sshd(t *testing.T) {
	require.True(t, strings.HasSuffix(workerScript, " && exec /usr/sbin/sshd -De"), "a shell as process 1 would ignore SIGTERM")
}

// The listening socket is looked for in lines as the kernel writes them.
func TestWorkerReady_without_an_ssh_client_looks_for_a_listening_socket(t *testing.T) {
	_, rest, found := strings.Cut(workerReady, "grep -qE '")
	require.True(t, found)
	pattern, _, _ := strings.Cut(rest, "'")
	for line, want := range map[string]bool{
		"   0: 00000000:0016 00000000:0000 0A 00000000:00000000":                                                 true,
		"  12: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000": true,
		"   0: 00000000:0016 0100007F:9C40 01 00000000:00000000":                                                 false,
		"   0: 00000000:1600 00000000:0000 0A 00000000:00000000":                                                 false,
		"  sl  local_address rem_address   st tx_queue":                                                          false,
	} {
		grep := exec.Command("grep", "-qE", pattern)
		grep.Stdin = strings.NewReader(line + "\n")
		require.Equal(t, want, grep.Run() == nil, line)
	}
}
