package cli

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

func TestProbeReadsKeys(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	write := func(block *pem.Block, err error) string {
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "id")
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
		return file
	}
	a := &app{}
	key, code, err := a.readKey(t.Context(), write(ssh.MarshalPrivateKey(private, "")))
	require.NoError(t, err)
	require.Equal(t, Passed, code)
	require.Equal(t, "ssh-ed25519", key.PublicKey().Type())

	_, code, err = a.readKey(t.Context(), write(ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("secret"))))
	require.ErrorContains(t, err, "it has a passphrase; a key without one would do")
	require.Equal(t, Misused, code)
}

func TestProbeSaysWhoIsReady(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "SSH-2.0-x\r\n")
			_ = conn.Close()
		}
	}()
	defer func() {
		require.NoError(t, listener.Close())
		<-done
	}()
	var stdout, stderr strings.Builder
	code := Main(t.Context(), []string{"probe", listener.Addr().String()}, strings.NewReader(""), &stdout, &stderr)
	require.EqualValues(t, Passed, code, stderr.String())
	require.Regexp(t, `^127\.0\.0\.1:\d+  ready  \d+\.\d ms\n$`, stdout.String())
	require.Empty(t, stderr.String())
}
