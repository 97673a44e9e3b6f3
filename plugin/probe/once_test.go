package probe

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"host": "host:22", "host:2222": "host:2222", "10.0.0.1": "10.0.0.1:22", "[fd00::1]:23": "[fd00::1]:23",
		"fd00::1": "[fd00::1]:22", "[fd00::1]": "[fd00::1]:22",
	} {
		got, err := Address(in)
		require.NoError(t, err)
		require.Equal(t, want, got, in)
	}
}

// For everything that a user may write: an error, or a host that is not empty with a port from 1 to 65535, which Address leaves as it is.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"host", "host:2222", "[fd00::1]:23", "fd00::1", "fe80::1%eth0", ":22", "[]:1", "0.0.0.0", "a:b:c", "h:022", "[h]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, target string) {
		address, err := Address(target)
		if err != nil {
			return
		}
		host, port, ok := splitTarget(address)
		require.True(t, ok, address)
		require.NotEmpty(t, strings.TrimSpace(host))
		number, err := strconv.Atoi(port)
		require.NoError(t, err)
		require.True(t, number >= 1 && number <= 65535)
		again, err := Address(address)
		require.NoError(t, err)
		require.Equal(t, address, again)
	})
}

func TestAddressOfNoHostIsAnErrorAndNothingIsDialled(t *testing.T) {
	p := &Prober{Clock: &stepClock{}, Dial: func(context.Context, string, string) (net.Conn, error) {
		t.Error("something was dialled")
		return nil, io.EOF
	}}
	for _, in := range []string{
		"", " ", ":40002", "[]", "[]:22", "0.0.0.0", "[::]:22", "::", "h:", "h:0", "h:65536", "h:-1", "h:ssh", "h:22:22", "[h]:22:1",
	} {
		_, err := Address(in)
		require.ErrorContains(t, err, "reading the target", in)
		require.Equal(t, v1alpha1.ProbeResult{Target: in, State: v1alpha1.ProbeSilent, Reason: err.Error()}, p.Once(t.Context(), in))
		require.Equal(t, []v1alpha1.ProbeResult{{Target: in, Node: "n", State: v1alpha1.ProbeSilent, Reason: err.Error()}},
			p.All(t.Context(), []Target{{in, "n"}}))
	}
}

func TestOnceReadsWhatAListenerSays(t *testing.T) {
	flood := strings.Repeat(strings.Repeat("x", 79)+"\n", 200) // 16,000 bytes
	for name, tt := range map[string]struct {
		serve  script
		state  v1alpha1.ProbeState
		reason string
	}{
		"a banner is ready":                         {sayAndStay(banner), v1alpha1.ProbeReady, ""},
		"a banner after lines of greeting is ready": {sayAndStay("Welcome\r\nto node-7\r\n" + banner), v1alpha1.ProbeReady, ""},
		"a banner that ends in a bare LF is ready":  {sayAndStay("SSH-2.0-dropbear\n"), v1alpha1.ProbeReady, ""},
		"a banner and a hang-up is ready":           {say(banner), v1alpha1.ProbeReady, ""},
		"a banner with its key exchange is ready":   {sayAndStay(banner + "\x00\x00\x04\x3c\x0b\x14"), v1alpha1.ProbeReady, ""},
		"version 1.99 speaks 2.0 too":               {sayAndStay("SSH-1.99-both\r\n"), v1alpha1.ProbeReady, ""},
		"a version that nobody speaks is none":      {say("SSH-1.5-old\r\n"), v1alpha1.ProbeNoBanner, `connected, then closed before the SSH banner; it sent "SSH-1.5-old"`},
		"half a banner is none":                     {say("SSH-2.0-Open"), v1alpha1.ProbeNoBanner, `connected, then closed before the SSH banner; it sent "SSH-2.0-Open"`},
		"SSH- within a line is none":                {say("not SSH-2.0\n"), v1alpha1.ProbeNoBanner, `connected, then closed before the SSH banner; it sent "not SSH-2.0"`},
		"a hang-up is no banner":                    {say(""), v1alpha1.ProbeNoBanner, "connected, then closed before the SSH banner"},
		"nothing said is no banner":                 {sayAndStay(""), v1alpha1.ProbeNoBanner, "connected, then no SSH banner in time"},
		"another protocol is no banner":             {sayAndStay("220 mail ESMTP\r\n"), v1alpha1.ProbeNoBanner, `connected, then no SSH banner in time; it sent "220 mail ESMTP"`},
		"a flood is no banner and is cut":           {sayAndStay(flood), v1alpha1.ProbeNoBanner, `connected, then no SSH version line in the first 8 KiB; it sent "` + strings.Repeat("x", 79) + `…"`},
		"a banner behind a flood is too late":       {sayAndStay(flood + banner), v1alpha1.ProbeNoBanner, `connected, then no SSH version line in the first 8 KiB; it sent "` + strings.Repeat("x", 79) + `…"`},
		"escape codes are not quoted":               {say("\x1b[2J\x1b]0;owned\x07\u202ehi\x00\n"), v1alpha1.ProbeNoBanner, `connected, then closed before the SSH banner; it sent "hi"`},
		"MaxStartups is throttled":                  {say("Exceeded MaxStartups\r\n"), v1alpha1.ProbeThrottled, "sshd has too many connections that are not logged in (MaxStartups): Exceeded MaxStartups"},
		"a source penalty is penalised":             {say("Not allowed at this time\r\n"), v1alpha1.ProbePenalised, "sshd refuses us for a while, by a penalty (PerSourcePenalties) or for MaxStartups: Not allowed at this time"},
		"a reset after the connect is no banner":    {reset, v1alpha1.ProbeNoBanner, "connected, then reset before the SSH banner"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := listen(t, "127.0.0.1:0", tt.serve)
			p := &Prober{Clock: &stepClock{step: 7 * time.Millisecond}, BannerTimeout: 200 * time.Millisecond}
			want := v1alpha1.ProbeResult{Target: target, State: tt.state, Attempts: 1, Reason: tt.reason}
			if tt.state == v1alpha1.ProbeReady {
				want.LatencyMs = 7
			}
			require.Equal(t, want, p.Once(t.Context(), target))
		})
	}
}

func TestOnceClosedPortIsRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	got := (&Prober{Clock: &stepClock{}}).Once(t.Context(), listener.Addr().String())
	require.Equal(t, v1alpha1.ProbeRefused, got.State)
	require.Equal(t, "connection refused: nothing listens on the port", got.Reason)
}

func TestOnceNamesWhyAConnectFails(t *testing.T) {
	opErr := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	const ours = 0 // attempts: nothing was learnt of the target
	for name, tt := range map[string]struct {
		err      error
		state    v1alpha1.ProbeState
		attempts int
		reason   string
	}{
		"refused":                      {opErr(syscall.ECONNREFUSED), v1alpha1.ProbeRefused, 1, "connection refused: nothing listens on the port"},
		"a reset at once is no banner": {opErr(syscall.ECONNRESET), v1alpha1.ProbeNoBanner, 1, "connected, then reset before the SSH banner"},
		"a deadline is silent":         {opErr(context.DeadlineExceeded), v1alpha1.ProbeSilent, 1, "no answer to the connect"},
		"the kernel's own end is too":  {opErr(syscall.ETIMEDOUT), v1alpha1.ProbeSilent, 1, "no answer to the connect"},
		"nobody there is silent":       {opErr(syscall.EHOSTUNREACH), v1alpha1.ProbeSilent, 1, "dial tcp: no route to host"},
		"our own want of files is not": {opErr(syscall.EMFILE), v1alpha1.ProbeSilent, ours, "could not ask: dial tcp: too many open files"},
		"nor is our own want of a net": {opErr(syscall.ENETUNREACH), v1alpha1.ProbeSilent, ours, "could not ask: dial tcp: network is unreachable"},
		"hostile text is cleaned":      {errors.New("a\x1b[31mb\nc"), v1alpha1.ProbeSilent, ours, "could not ask: ab c"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Prober{Clock: &stepClock{}, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, tt.err }}
			require.Equal(t, v1alpha1.ProbeResult{Target: "10.0.0.1:22", State: tt.state, Attempts: tt.attempts, Reason: tt.reason}, p.Once(t.Context(), "10.0.0.1"))
		})
	}
}

// dropped is the dialler of a network that drops every packet.
func dropped(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
}

func TestOnceNoAnswerIsSilent(t *testing.T) {
	p := &Prober{Clock: &stepClock{}, Dial: dropped, ConnectTimeout: 10 * time.Millisecond}
	require.Equal(t, v1alpha1.ProbeResult{Target: "10.0.0.1:22", State: v1alpha1.ProbeSilent, Attempts: 1, Reason: "no answer to the connect"},
		p.Once(t.Context(), "10.0.0.1"))
}

func TestOnceSaysWhenItWasStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	got := (&Prober{Clock: &stepClock{}, Dial: dropped}).Once(ctx, "10.0.0.1")
	require.Equal(t, "no answer to the connect before the probe was stopped", got.Reason)
	require.Zero(t, got.Attempts, "that says nothing of the target")

	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	got = (&Prober{Clock: &stepClock{}, Dial: func(_ context.Context, network, address string) (net.Conn, error) {
		defer cancel() // once it is connected, however long that took
		return net.Dial(network, address)
	}}).Once(ctx, listen(t, "127.0.0.1:0", sayAndStay("")))
	require.Equal(t, v1alpha1.ProbeNoBanner, got.State)
	require.Equal(t, "connected, then no SSH banner before the probe was stopped", got.Reason)
}

func TestOnceSaysGoodbye(t *testing.T) {
	type heard struct {
		text string
		err  error
	}
	ended := make(chan heard, 1)
	target := listen(t, "127.0.0.1:0", func(_ int, conn net.Conn) {
		_, _ = io.WriteString(conn, banner+strings.Repeat("k", 1500)) // the key exchange follows the banner at once
		text, err := io.ReadAll(conn)
		ended <- heard{string(text), err}
	})
	require.Equal(t, v1alpha1.ProbeReady, (&Prober{Clock: &stepClock{}}).Once(t.Context(), target).State)
	got := <-ended
	require.NoError(t, got.err, "the server sees an end, not a reset")
	require.Equal(t, "SSH-2.0-Seatrial_probe\r\n", got.text)
}

// For everything that a server may send: the state is one of four, a reason is given unless ready, and it is short and printable.
func FuzzBanner(f *testing.F) {
	for _, seed := range []string{banner, "", "SSH-", "SSH-2.0", "\nSSH-2.0\n", "Exceeded MaxStartups\r\n", "Not allowed at this time\r\n", "\x1b[31m\xff\n", strings.Repeat("a", 9000)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		near, far := net.Pipe()
		go func() {
			_, _ = far.Write(sent)
			_ = far.Close()
		}()
		p := &Prober{Clock: &stepClock{}, Dial: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
		got := p.Once(t.Context(), "10.0.0.1")
		require.Contains(t, []v1alpha1.ProbeState{v1alpha1.ProbeReady, v1alpha1.ProbeNoBanner, v1alpha1.ProbeThrottled, v1alpha1.ProbePenalised}, got.State)
		require.Equal(t, got.State == v1alpha1.ProbeReady, got.Reason == "")
		require.Less(t, len([]rune(got.Reason)), 180)
		require.NotContains(t, got.Reason, "\x1b")
		require.NotContains(t, got.Reason, "\n")
		if got.State == v1alpha1.ProbeReady {
			require.Contains(t, "\n"+string(sent), "\nSSH-")
		}
	})
}
