//go:build sshd

package resolve

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/test/sshd"
)

// realWaiting waits for hosts with the machine's own ssh and a key.
func realWaiting(t *testing.T, hostfile, keyFile string) *waiting {
	ssh, err := exec.LookPath("ssh")
	require.NoError(t, err, "this test needs an ssh client")
	w := newWaiting(t, hostfile, "")
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, "bin/ssh"), []byte("#!/bin/sh\nexec "+ssh+" -F none -o IdentitiesOnly=yes -i "+keyFile+` "$@"`+"\n"), 0o700)) //nolint:gosec // a program
	w.wait.pause = time.Second
	return w
}

func TestRealSSHDKaiWaitLogsInAndCostsNothing(t *testing.T) {
	early := sshd.Start(t, "127.8.3.1", 22)
	late := sshd.Start(t, "127.8.3.2", 22, "AuthorizedKeysFile "+early.KeyPath())
	late.Stop()
	w := realWaiting(t, "127.8.3.1 slots=8\n127.8.3.2 slots=8\n", early.KeyFile)
	cmd, out := w.command(t)
	require.NoError(t, cmd.Start())
	time.Sleep(3 * time.Second)
	late.Run()
	require.NoError(t, cmd.Wait(), out)
	require.Contains(t, out.String(), "waiting: 127.8.3.2 has not answered sshd yet (attempt 1, ")
	require.Contains(t, out.String(), "  ssh: ssh: connect to host 127.8.3.2 port 22: Connection refused\n")
	require.Contains(t, out.String(), "workers answered sshd after ")
	require.Len(t, early.Lines("Accepted publickey for root"), 1, "who has answered is not asked again")
	require.Empty(t, append(early.Lines("penalty"), late.Lines("penalty")...))
}

func TestRealSSHDKaiWaitSaysThatAKeyIsRefused(t *testing.T) {
	s := sshd.Start(t, "127.8.3.3", 22)
	_, strange := sshd.NewKey(t)
	w := realWaiting(t, "127.8.3.3\n", strange)
	w.wait.pause, w.wait.limit = 5*time.Second, 20*time.Second // as the launcher pauses: failed logins do not come together
	out, code := w.run(t)
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "Permission denied (publickey")
	require.NotContains(t, out, "Not allowed at this time")
	require.Empty(t, s.Lines("activating"))
	require.NotEmpty(t, s.Lines("failed authentication"))
}
