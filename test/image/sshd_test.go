package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSSHD runs the wrapper alone: where the real sshd is not, its healthy twin fails to find it, and says so.
func TestSSHD(t *testing.T) {
	require.NoError(t, ensurePackages(t.Context(), os.Stderr, mpiTools))
	program := filepath.Join(t.TempDir(), "sshd")
	require.NoError(t, compile(t.Context(), "gcc", program, os.Stderr))

	t.Run("a_healthy_host_executes_the_real_one", func(t *testing.T) {
		require.NoFileExists(t, "/"+realSSHD, "this test is not for the image itself")
		out, err := exec.CommandContext(t.Context(), program, "-De").CombinedOutput()
		require.ErrorContains(t, err, "exit status 127")
		require.Contains(t, string(out), "/"+realSSHD)
	})
	t.Run("nosshd_waits_and_leaves_at_once_on_SIGTERM", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), program, "-De")
		cmd.Env = append(os.Environ(), "SEATRIAL_TEST_FAULT=nosshd")
		stderr, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(stderr).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "nosshd")
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			require.Fail(t, "it did not wait", err)
		case <-time.After(300 * time.Millisecond):
		}
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		select {
		case err := <-ended:
			require.NoError(t, err)
		case <-time.After(10 * time.Second):
			require.Fail(t, "SIGTERM was ignored", cmd.Process.Kill())
		}
	})
	t.Run("a_fault_that_nobody_knows_is_refused", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), program, "-De")
		cmd.Env = append(os.Environ(), "SEATRIAL_TEST_FAULT=nosshdd")
		out, err := cmd.CombinedOutput()
		require.ErrorContains(t, err, "exit status 2")
		require.Contains(t, string(out), "nosshdd")
	})
}
