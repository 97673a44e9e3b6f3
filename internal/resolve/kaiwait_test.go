package resolve

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waiting is one run of the launcher's wait under dash, with an ssh that is a script of the test's.
type waiting struct {
	wait     sshdWait
	dir      string
	hostname string
}

// newWaiting writes the hostfile, and an ssh which calls the body with $host and $calls, the number of its calls for that host.
func newWaiting(t *testing.T, hostfile, body string) *waiting {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hostfile"), []byte(hostfile), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o750))
	ssh := `#!/bin/dash
prev=; for arg in "$@"; do host=$prev; prev=$arg; done
echo "$*" >>"` + dir + `/args.$host"
calls=$(wc -l <"` + dir + `/args.$host")
cd "` + dir + `"
` + body + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin/ssh"), []byte(ssh), 0o700)) //nolint:gosec // a program
	return &waiting{wait: sshdWait{filepath.Join(dir, "hostfile"), time.Minute, 5 * time.Second, 0}, dir: dir, hostname: "run-launcher-0-0"}
}

func (w *waiting) command(t *testing.T) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.CommandContext(t.Context(), "dash", "-c", w.wait.script())
	cmd.Env = []string{"PATH=" + w.dir + "/bin:/usr/bin:/bin", "HOSTNAME=" + w.hostname, "TMPDIR=" + w.dir}
	cmd.WaitDelay = 10 * time.Second
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

// run returns what the wait printed and its exit status, and finds that it left nothing behind.
func (w *waiting) run(t *testing.T) (string, int) {
	t.Helper()
	cmd, out := w.command(t)
	_ = cmd.Run()
	left, err := filepath.Glob(filepath.Join(w.dir, "tmp.*"))
	require.NoError(t, err)
	require.Empty(t, left)
	return out.String(), cmd.ProcessState.ExitCode()
}

// calls is how often ssh was asked for a host.
func (w *waiting) calls(t *testing.T, host string) int {
	text, err := os.ReadFile(filepath.Join(w.dir, "args."+host)) //nolint:gosec // the test's own
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(t, err)
	return strings.Count(string(text), "\n")
}

const waitingPair = "run-node-0-0.run slots=8\nrun-node-0-1.run slots=8\n"

func TestKaiWait_ends_when_every_worker_has_answered(t *testing.T) {
	w := newWaiting(t, waitingPair, "exit 0")
	out, code := w.run(t)
	require.Zero(t, code, out)
	require.Regexp(t, `^workers answered sshd after \d+s\n$`, out)
	require.Equal(t, 1, w.calls(t, "run-node-0-0.run"))
	args, err := os.ReadFile(filepath.Join(w.dir, "args.run-node-0-1.run"))
	require.NoError(t, err)
	require.Equal(t, "-n -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ConnectTimeout=5 -- run-node-0-1.run true\n", string(args))
}

func TestKaiWait_asks_again_only_who_has_not_answered(t *testing.T) {
	w := newWaiting(t, waitingPair, `[ $host = run-node-0-0.run ] || [ $calls -ge 3 ] || { echo "ssh: connect to host $host port 22: Connection refused"; exit 255; }`)
	out, code := w.run(t)
	require.Zero(t, code, out)
	require.Regexp(t, `^waiting: run-node-0-1.run has not answered sshd yet \(attempt 1, \d+s of 60s\)
  ssh: ssh: connect to host run-node-0-1.run port 22: Connection refused
workers answered sshd after \d+s
$`, out)
	require.Equal(t, 1, strings.Count(out, "waiting:"), "once a minute, and not each round")
	require.Equal(t, 1, w.calls(t, "run-node-0-0.run"))
	require.Equal(t, 3, w.calls(t, "run-node-0-1.run"))
}

func TestKaiWait_fails_past_its_limit_and_says_who_and_why(t *testing.T) {
	w := newWaiting(t, waitingPair, `[ $host = run-node-0-0.run ] || { printf 'one\ntwo\nthree\nfour\n'; exit 255; }`)
	w.wait.limit, w.wait.pause = 2*time.Second, time.Second
	out, code := w.run(t)
	require.Equal(t, 1, code, out)
	_, end, found := strings.Cut(out, "ERROR: ")
	require.True(t, found, out)
	require.Contains(t, end, "not every worker answered sshd within 2 seconds; refusing to start mpirun.\nwaiting: run-node-0-1.run has not answered sshd (attempt ")
	require.Contains(t, end, "\n  ssh: one\n  ssh: two\n  ssh: three\nOf 2 workers in "+w.wait.hostfile+" 1 did not answer. The events of their pods say why")
	require.NotContains(t, end, "name service")
}

func TestKaiWait_counts_the_time_that_tries_take(t *testing.T) {
	w := newWaiting(t, waitingPair, "sleep 1; exit 255")
	w.wait.limit = 3 * time.Second // by rounds without a pause it would never pass
	out, code := w.run(t)
	require.Equal(t, 1, code, out)
	require.LessOrEqual(t, w.calls(t, "run-node-0-0.run"), 4)
}

func TestKaiWait_gives_up_a_try_that_hangs(t *testing.T) {
	w := newWaiting(t, waitingPair, "[ $calls -ge 2 ] || exec sleep 600")
	w.wait.each = time.Second
	out, code := w.run(t)
	require.Zero(t, code, out)
	require.Contains(t, out, "  ssh: no answer within 1 s\n")
}

// Each ssh waits for the others: one after the other, none would ever answer.
func TestKaiWait_asks_all_at_once(t *testing.T) {
	var hostfile strings.Builder
	for i := range 12 {
		fmt.Fprintf(&hostfile, "run-node-0-%d.run slots=8\n", i)
	}
	w := newWaiting(t, hostfile.String(), `while set -- args.*; [ $# -lt 12 ]; do sleep 0.1; done`)
	w.wait.each = 30 * time.Second
	out, code := w.run(t)
	require.Zero(t, code, out)
	require.NotContains(t, out, "waiting:", "the first round was enough")
}

func TestKaiWait_names_32_of_many(t *testing.T) {
	w := newWaiting(t, strings.Repeat("run-node-0-0.run\n", 34), "exit 1")
	w.wait.limit = 0
	out, code := w.run(t)
	require.Equal(t, 1, code)
	require.Equal(t, 32, strings.Count(out, "waiting: "))
	require.Contains(t, out, "and 2 more\n")
}

func TestKaiWait_refuses_an_empty_hostfile(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "blank": "\n \n", "comments": "# none\n"} {
		w := newWaiting(t, text, "exit 0")
		out, code := w.run(t)
		require.Equal(t, 1, code, name)
		require.Equal(t, "ERROR: no hosts in "+w.wait.hostfile+" (missing, empty, or unreadable); refusing to start mpirun.\n", out, name)
	}
	w := newWaiting(t, "", "exit 0")
	w.wait.hostfile += ".missing"
	out, code := w.run(t)
	require.Equal(t, 1, code)
	require.Contains(t, out, "ERROR: no hosts in ")
}

func TestKaiWait_does_not_ask_itself(t *testing.T) {
	for _, self := range []string{"run-node-0-0", "run-node-0-0.run"} {
		w := newWaiting(t, "run-node-0-0.run\nrun-node-0-00.run", "exit 0") // the last line has no end
		w.hostname = self
		out, code := w.run(t)
		require.Zero(t, code, out)
		require.Zero(t, w.calls(t, "run-node-0-0.run"))
		require.Equal(t, 1, w.calls(t, "run-node-0-00.run"), "a longer name is another host")
	}
	w := newWaiting(t, "run-node-0-0.run\n", "exit 1")
	w.hostname = "run-node-0-0"
	out, code := w.run(t)
	require.Zero(t, code, out)
}

func TestKaiWait_blames_the_name_service_when_no_name_resolves(t *testing.T) {
	const atFault = "No worker has a name that resolves: the name service is at fault, and no worker.\n"
	unknown := `echo "ssh: Could not resolve hostname $host: Name or service not known"; exit 255`
	for hostfile, want := range map[string]bool{waitingPair: true, "run-node-0-0.run\n": false, waitingPair + "run-node-0-2.run\n": false} {
		w := newWaiting(t, hostfile, "[ $host != run-node-0-2.run ] || exit 1\n"+unknown)
		w.wait.limit = 0
		out, code := w.run(t)
		require.Equal(t, 1, code)
		require.Equal(t, want, strings.Contains(out, atFault), out)
	}
}

func TestKaiWait_needs_ssh(t *testing.T) {
	w := newWaiting(t, waitingPair, "")
	cmd, out := w.command(t)
	cmd.Env = []string{"PATH=" + w.dir}
	require.Error(t, cmd.Run())
	require.Equal(t, "ERROR: the image has no ssh; refusing to start mpirun.\n", out.String())
}

func TestKaiWait_ends_on_SIGTERM(t *testing.T) {
	w := newWaiting(t, waitingPair, "exit 1")
	w.wait.pause = 10 * time.Minute
	cmd, out := w.command(t)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) //nolint:errcheck // the sleep that was waited for
	require.Eventually(t, func() bool { return w.calls(t, "run-node-0-1.run") > 0 }, 10*time.Second, 10*time.Millisecond)
	time.Sleep(200 * time.Millisecond) // until it sleeps; a signal before that ends it as well
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	_ = cmd.Wait()
	require.Equal(t, 143, cmd.ProcessState.ExitCode(), out)
}

func TestKaiWait_is_the_page_s(t *testing.T) {
	script := kaiWait()
	require.Contains(t, script, "ERROR: not every worker answered sshd within 20 minutes; refusing to start mpirun.")
	require.Contains(t, script, "ERROR: no hosts in /etc/mpi/hostfile (missing, empty, or unreadable); refusing to start mpirun.")
	require.Contains(t, script, "-ge 1200 ]")
	require.NotContains(t, script, "@")
}
