package probe

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func newKey(t testing.TB) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	key, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	return key
}

// server is an sshd that lets root in with the key, says greeting before its banner and ends every command with status.
func server(t testing.TB, key ssh.Signer, greeting string, status uint32) script {
	config := &ssh.ServerConfig{PublicKeyCallback: func(c ssh.ConnMetadata, offered ssh.PublicKey) (*ssh.Permissions, error) {
		if c.User() == "root" && bytes.Equal(offered.Marshal(), key.PublicKey().Marshal()) {
			return nil, nil
		}
		return nil, errors.New("not that one")
	}}
	config.AddHostKey(newKey(t))
	return func(_ int, conn net.Conn) {
		_, _ = io.WriteString(conn, greeting)
		_, channels, requests, err := ssh.NewServerConn(conn, config)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		for c := range channels {
			channel, requests, err := c.Accept()
			if err != nil {
				return
			}
			go func() {
				for r := range requests {
					_ = r.Reply(true, nil)
					if r.Type == "exec" && bytes.HasSuffix(r.Payload, []byte("true")) {
						_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
						_ = channel.Close()
					}
				}
			}()
		}
	}
}

func TestOnceWithAKeyLogsInAndRunsTrue(t *testing.T) {
	key := newKey(t)
	for name, tt := range map[string]struct {
		serve  script
		user   string
		state  v1alpha1.ProbeState
		reason string
	}{
		"that is ready":                               {server(t, key, "", 0), "", v1alpha1.ProbeReady, ""},
		"lines before the banner are for people":      {server(t, key, "Welcome\r\nSSH- no\nto node-7\r\n", 0), "", v1alpha1.ProbeAuth, "the login did not succeed: "},
		"other lines are left out":                    {server(t, key, "Welcome\r\nto node-7\r\n", 0), "", v1alpha1.ProbeReady, ""},
		"a key that is not accepted is auth":          {server(t, newKey(t), "", 0), "", v1alpha1.ProbeAuth, "the login did not succeed: ssh: handshake failed: ssh: unable to authenticate"},
		"a user that is not let in is auth":           {server(t, key, "", 0), "nobody", v1alpha1.ProbeAuth, "the login did not succeed: "},
		"a command that fails is auth":                {server(t, key, "", 3), "", v1alpha1.ProbeAuth, "logged in, then `true` did not run: Process exited with status 3"},
		"a hang-up after the banner is auth":          {say(banner), "", v1alpha1.ProbeAuth, "the login did not succeed: "},
		"silence after the banner is auth":            {sayAndStay(banner), "", v1alpha1.ProbeAuth, "the login did not succeed: "},
		"garbage after the banner is auth":            {sayAndStay(banner + "\xff\xff\xff\xffgarbage"), "", v1alpha1.ProbeAuth, "the login did not succeed: ssh: handshake failed: ssh: invalid packet length"},
		"a refusal before the banner is not auth":     {say("Exceeded MaxStartups\r\n"), "", v1alpha1.ProbeThrottled, "sshd has too many connections that are not logged in (MaxStartups): Exceeded MaxStartups"},
		"a connection without a banner is not either": {say(""), "", v1alpha1.ProbeNoBanner, "connected, then closed before the SSH banner"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := listen(t, "127.0.0.1:0", tt.serve)
			p := &Prober{Clock: &stepClock{step: time.Millisecond}, Key: key, User: tt.user, LoginTimeout: 3 * time.Second}
			if name == "silence after the banner is auth" {
				p.LoginTimeout = 100 * time.Millisecond
			}
			got := p.Once(t.Context(), target)
			require.Equal(t, tt.state, got.State, got.Reason)
			require.Contains(t, got.Reason, tt.reason)
			require.Equal(t, tt.state == v1alpha1.ProbeReady, got.LatencyMs > 0)
			require.Equal(t, tt.state == v1alpha1.ProbeReady, got.Reason == "")
		})
	}
}

// A failed login costs 5 s at OpenSSH 9.8 and later, and 15 s that come together lock us out, and mpirun with us.
func TestAllAsksSeldomWhereAskingIsCostly(t *testing.T) {
	for state, least := range map[v1alpha1.ProbeState]time.Duration{
		v1alpha1.ProbeAuth: 6 * time.Second, v1alpha1.ProbePenalised: 6 * time.Second, v1alpha1.ProbeThrottled: 6 * time.Second,
		v1alpha1.ProbeRefused: time.Second, v1alpha1.ProbeSilent: time.Second, v1alpha1.ProbeNoBanner: time.Second, v1alpha1.ProbeDNS: time.Second,
	} {
		for _, random := range []float64{0, 0.999} {
			p := &Prober{Rand: func() float64 { return random }}
			for try := 1; try < 100; try++ {
				require.GreaterOrEqual(t, p.pause(try, state), least, state)
				require.LessOrEqual(t, p.pause(try, state), max(5*time.Second, 2*least), state)
			}
		}
	}
}

// A refused key brings a penalty, and the sshd then says only that: what is to be mended is the key.
func TestAllKeepsWhyALoginWasRefused(t *testing.T) {
	refuses := server(t, newKey(t), "", 0)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	target := listen(t, "127.0.0.1:0", func(n int, conn net.Conn) {
		if n == 1 {
			refuses(n, conn)
			return
		}
		say("Not allowed at this time\r\n")(n, conn)
	})
	var states []v1alpha1.ProbeState
	p := &Prober{Clock: &stepClock{step: time.Millisecond}, Key: newKey(t), LoginTimeout: 3 * time.Second, Tried: func(_ int, r v1alpha1.ProbeResult) {
		if states = append(states, r.State); len(states) == 4 {
			stop()
		}
	}}
	got := p.All(ctx, []Target{{Address: target}})[0]
	require.Equal(t, []v1alpha1.ProbeState{v1alpha1.ProbePenalised, v1alpha1.ProbeAuth, v1alpha1.ProbeAuth, v1alpha1.ProbeAuth}, states, "a penalty for another's logins is one")
	require.Contains(t, got.Reason, "the login did not succeed: ssh: handshake failed")
	require.Equal(t, 1, strings.Count(got.Reason, "; since then sshd refuses us for a while"), got.Reason)
}
