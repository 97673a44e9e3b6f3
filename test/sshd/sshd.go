// Package sshd runs real OpenSSH servers of Debian 13 on loopback addresses, for the tests with the build tag sshd (`make test-probe`).
//
//  1. Root finds the Debian root that test/sshd.sh made; a test that cannot have one fails, and says what would help.
//  2. Start writes a configuration and keys below the root's /tmp and runs /usr/sbin/sshd there by chroot.
//  3. Server.Log is what that sshd wrote so far, at LogLevel DEBUG1, where it says each penalty.
package sshd

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// Root is the folder that test/sshd.sh made.
func Root(t testing.TB) string {
	t.Helper()
	root := os.Getenv("SEATRIAL_SSHD_ROOT")
	require.FileExists(t, filepath.Join(root, "usr/sbin/sshd"), "SEATRIAL_SSHD_ROOT must name a root with OpenSSH 10; `make test-probe` makes one")
	require.Zero(t, os.Geteuid(), "sshd is run by chroot, which needs root")
	return root
}

// Server is one sshd.
type Server struct {
	// Address is host:port. Key is the one that root may log in with, KeyFile the same for ssh, outside the root.
	Address string
	Key     ssh.Signer
	KeyFile string

	t    testing.TB
	args []string
	dir  string
	cmd  *exec.Cmd
	log  log
}

// Start runs an sshd on a loopback address with OpenSSH's own defaults, but for the lines of configuration given.
func Start(t testing.TB, host string, port int, lines ...string) *Server {
	t.Helper()
	root := Root(t)
	require.NoError(t, os.MkdirAll(filepath.Join(root, "run/sshd"), 0o755))
	dir, err := os.MkdirTemp(filepath.Join(root, "tmp"), "sshd-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755)) //nolint:gosec // sshd refuses keys in a folder that others may write, not read
	s := &Server{t: t, dir: dir, Address: net.JoinHostPort(host, fmt.Sprint(port))}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	s.Key, s.KeyFile = NewKey(t)
	inside := strings.TrimPrefix(dir, root)
	config := append(lines, "ListenAddress "+s.Address, "HostKey /etc/ssh/ssh_host_ed25519_key", "PidFile none", "LogLevel DEBUG1",
		"AuthorizedKeysFile "+inside+"/authorized_keys", "StrictModes no")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "authorized_keys"), ssh.MarshalAuthorizedKey(s.Key.PublicKey()), 0o644)) //nolint:gosec // a public key
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config"), []byte(strings.Join(config, "\n")+"\n"), 0o600))
	s.args = []string{root, "/usr/sbin/sshd", "-D", "-e", "-f", inside + "/config"}
	s.Run()
	t.Cleanup(s.Stop)
	return s
}

// KeyPath is the file with the key that root may log in with, as an sshd of this root sees it.
func (s *Server) KeyPath() string {
	return strings.TrimPrefix(s.dir, Root(s.t)) + "/authorized_keys"
}

// NewKey makes a key pair, and a file with its private half.
func NewKey(t testing.TB) (ssh.Signer, string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	key, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "id")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	return key, file
}

// Run starts it again after Stop, and returns once it listens.
func (s *Server) Run() {
	s.t.Helper()
	s.cmd = exec.Command("chroot", s.args...)
	s.cmd.Stderr = &s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	before := strings.Count(s.Log(), "Server listening")
	require.NoError(s.t, s.cmd.Start())
	require.Eventually(s.t, func() bool { return strings.Count(s.Log(), "Server listening") > before }, 10*time.Second, 10*time.Millisecond, "%s", &s.log)
}

// Stop ends it and its sessions' parents. It may be called twice.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Pause stops the process without ending it: the kernel takes connections, and nobody answers. The function returned lets it go on.
func (s *Server) Pause() (resume func()) {
	require.NoError(s.t, s.cmd.Process.Signal(syscall.SIGSTOP))
	return func() { _ = s.cmd.Process.Signal(syscall.SIGCONT) }
}

// Log is what sshd wrote so far.
func (s *Server) Log() string { return s.log.String() }

// Lines are the lines of the log that hold text.
func (s *Server) Lines(text string) []string {
	var found []string
	for line := range strings.Lines(s.Log()) {
		if strings.Contains(line, text) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
