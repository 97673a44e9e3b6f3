//go:build sshd

package probe

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/test/sshd"
)

// from is a Prober that asks from a loopback address of its own: penalties are kept by source.
func from(source string, key ssh.Signer) *Prober {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(source)}}
	return &Prober{Clock: wallClock{}, Dial: dialer.DialContext, Key: key}
}

// hold opens connections from a source and keeps them until the test ends.
func hold(t *testing.T, source, address string, n int) {
	for range n {
		conn, err := from(source, nil).Dial(t.Context(), "tcp", address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
	}
}

func TestRealSSHDStates(t *testing.T) {
	s := sshd.Start(t, "127.8.0.1", 2201)
	strange := newKey(t)
	require.Contains(t, s.Log(), "Server listening")

	ready := from("127.8.1.1", nil).Once(t.Context(), s.Address)
	require.Equal(t, v1alpha1.ProbeReady, ready.State, ready)
	require.Positive(t, ready.LatencyMs)

	ready = from("127.8.1.2", s.Key).Once(t.Context(), s.Address)
	require.Equal(t, v1alpha1.ProbeReady, ready.State, ready)
	require.NotEmpty(t, s.Lines("Accepted publickey for root from 127.8.1.2"))

	auth := from("127.8.1.3", strange).Once(t.Context(), s.Address)
	require.Equal(t, v1alpha1.ProbeAuth, auth.State, auth)
	require.Contains(t, auth.Reason, "unable to authenticate")

	t.Run("a paused one has no banner", func(t *testing.T) {
		resume := s.Pause()
		defer resume()
		p := from("127.8.1.4", nil)
		p.BannerTimeout = 300 * time.Millisecond
		got := p.Once(t.Context(), s.Address)
		require.Equal(t, v1alpha1.ProbeNoBanner, got.State, got)
		require.Equal(t, "connected, then no SSH banner in time", got.Reason)
	})
	t.Run("a full one says the same as one that penalises", func(t *testing.T) {
		full := sshd.Start(t, "127.8.0.2", 2201, "MaxStartups 2:100:2")
		hold(t, "127.8.1.5", full.Address, 2)
		require.Eventually(t, func() bool { return len(full.Lines("Forked child")) == 2 }, 10*time.Second, 10*time.Millisecond)
		got := from("127.8.1.6", nil).Once(t.Context(), full.Address)
		require.Equal(t, v1alpha1.ProbePenalised, got.State, got)
		require.Eventually(t, func() bool { return len(full.Lines("Maxstartups")) > 0 }, 10*time.Second, 10*time.Millisecond, "%s", full.Log())
	})
	t.Run("one that was stopped refuses", func(t *testing.T) {
		s.Stop()
		got := from("127.8.1.7", nil).Once(t.Context(), s.Address)
		require.Equal(t, v1alpha1.ProbeRefused, got.State, got)
	})
	t.Run("and is ready when it is back", func(t *testing.T) {
		p := from("127.8.1.8", nil)
		p.Within = 20 * time.Second
		p.Tried = func(int, v1alpha1.ProbeResult) {
			if len(s.Lines("Server listening")) == 1 {
				s.Run()
			}
		}
		got := p.All(t.Context(), []Target{{Address: s.Address}})
		require.Equal(t, v1alpha1.ProbeReady, got[0].State, got)
		require.Equal(t, 2, got[0].Attempts)
	})
}

var remaining = regexp.MustCompile(`already exists, (\d+) seconds remaining`)

// worstPenalty is the most seconds that a log says a source had come to, and whether a source was ever refused for them.
func worstPenalty(t *testing.T, s *sshd.Server) (seconds int, active bool) {
	for _, line := range s.Lines("penalty") {
		if m := remaining.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			seconds = max(seconds, n)
		}
		active = active || strings.Contains(line, "activating") || strings.Contains(line, "new") && strings.Contains(line, " active ")
	}
	return seconds, active
}

// Twenty-five connections without a login cost 25 s, which is more than the 15 s that lock a source out. Paced, they never come together.
func TestRealSSHDPenalisesNoProber(t *testing.T) {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { // bare, as the step probes
		s := sshd.Start(t, "127.8.0.3", 2201)
		p := from("127.8.1.1", nil)
		for range 25 {
			got := p.Once(t.Context(), s.Address)
			require.Equal(t, v1alpha1.ProbeReady, got.State, got)
		}
		seconds, active := worstPenalty(t, s)
		require.False(t, active, s.Log())
		require.GreaterOrEqual(t, len(s.Lines("from 127.8.1.1 to 127.8.0.3 exited with status 255")), 24, "each one counts; the last may not be reaped yet")
		require.LessOrEqual(t, seconds, 2)
		t.Logf("25 bare probes in 25 s: at most %d s had come together; 15 lock a source out", seconds)
		login := from("127.8.1.1", s.Key).Once(t.Context(), s.Address)
		require.Equal(t, v1alpha1.ProbeReady, login.State, "mpirun's login from the same address is let in: %s", login.Reason)
	})
	all.Go(func() { // with a key, as the launcher's wait does
		s := sshd.Start(t, "127.8.0.4", 2201)
		p := from("127.8.1.1", s.Key)
		for range 10 {
			got := p.Once(t.Context(), s.Address)
			require.Equal(t, v1alpha1.ProbeReady, got.State, got)
		}
		require.Empty(t, s.Lines("penalty"), "a login costs nothing")
	})
	all.Go(func() { // with a key that is not accepted: 5 s each
		s := sshd.Start(t, "127.8.0.5", 2201)
		p := from("127.8.1.1", newKey(t))
		p.Within = 25 * time.Second
		got := p.All(t.Context(), []Target{{Address: s.Address}})[0]
		require.Equal(t, v1alpha1.ProbeAuth, got.State, got)
		seconds, active := worstPenalty(t, s)
		require.False(t, active, s.Log())
		t.Logf("%d failed logins in 25 s: at most %d s had come together", got.Attempts, seconds)
	})
}

// What the pace is for: without it the same sshd locks the source out, and mpirun with it.
func TestRealSSHDPenalisesAStorm(t *testing.T) {
	s := sshd.Start(t, "127.8.0.6", 2201, "MaxStartups 100")
	var storm sync.WaitGroup
	for range 40 {
		storm.Go(func() { from("127.8.1.1", nil).Once(t.Context(), s.Address) }) // a new Prober each: no pace
	}
	storm.Wait()
	require.Eventually(t, func() bool { _, active := worstPenalty(t, s); return active }, 10*time.Second, 50*time.Millisecond)
	got := from("127.8.1.1", nil).Once(t.Context(), s.Address)
	require.Equal(t, v1alpha1.ProbePenalised, got.State, got)
	require.Equal(t, "sshd refuses us for a while, by a penalty (PerSourcePenalties) or for MaxStartups: Not allowed at this time", got.Reason)
	require.Equal(t, v1alpha1.ProbePenalised, from("127.8.1.1", s.Key).Once(t.Context(), s.Address).State, "a good key does not help")
	require.Equal(t, v1alpha1.ProbeReady, from("127.8.1.2", s.Key).Once(t.Context(), s.Address).State, "another source is let in")

	p := from("127.8.1.1", nil)
	p.Within = time.Minute
	again := p.All(t.Context(), []Target{{Address: s.Address}})[0]
	require.Equal(t, v1alpha1.ProbeReady, again.State, "the penalty passes: %v", again)
	require.LessOrEqual(t, again.Attempts, 8, "it is not asked about each second")
}

// thirtyTwo real sshds with MaxStartups as OpenSSH ships it.
func thirtyTwo(t testing.TB) (servers []*sshd.Server, targets []Target) {
	for i := range 32 {
		s := sshd.Start(t, fmt.Sprintf("127.8.2.%d", 1+i), 2202, "MaxStartups 10:30:100")
		servers, targets = append(servers, s), append(targets, Target{Address: s.Address})
	}
	return servers, targets
}

// Two probers at a time, as the plugin and a launcher, ten times over: MaxStartups is never reached, and no penalty either.
func TestRealSSHDThirtyTwoAreNeverThrottled(t *testing.T) {
	servers, targets := thirtyTwo(t)
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			p := from(fmt.Sprintf("127.8.1.%d", 1+i), nil)
			if i == 1 {
				p.Key, p.Lookup = servers[0].Key, nil
			}
			for range 10 {
				ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
				for _, r := range p.All(ctx, targets[:32*(1-i)+i]) { // only the first has that key
					require.Equal(t, v1alpha1.ProbeReady, r.State, r)
					require.Equal(t, 1, r.Attempts, r)
				}
				stop()
			}
		})
	}
	all.Wait()
	for _, s := range servers {
		require.Empty(t, s.Lines("MaxStartups"))
		_, active := worstPenalty(t, s)
		require.False(t, active)
	}
}

// Both read every banner; ssh-keyscan finishes a key exchange as well, so it is asked for one kind of key only.
func BenchmarkBesideKeyscan(b *testing.B) {
	_, targets := thirtyTwo(b)
	root := sshd.Root(b)
	hosts := make([]string, len(targets))
	for i, target := range targets {
		hosts[i], _, _ = net.SplitHostPort(target.Address)
	}
	measure(b, targets, exec.Command("chroot", append([]string{root, "ssh-keyscan", "-q", "-t", "ed25519", "-p", "2202"}, hosts...)...))
}

// 1,024 servers in this process: a key exchange costs the machine more than a banner does.
func BenchmarkBesideKeyscan1024(b *testing.B) {
	root := sshd.Root(b)
	serve := server(b, newKey(b), "", 0)
	targets, hosts := make([]Target, 1024), make([]string, 1024)
	for i := range targets {
		hosts[i] = loopback(i)
		targets[i].Address = listen(b, hosts[i]+":2203", serve)
	}
	measure(b, targets, exec.Command("chroot", append([]string{root, "ssh-keyscan", "-q", "-t", "ed25519", "-p", "2203"}, hosts...)...))
}

func measure(b *testing.B, targets []Target, keyscan *exec.Cmd) {
	var ours, theirs time.Duration
	for b.Loop() {
		began := time.Now()
		for _, r := range (&Prober{Clock: wallClock{}}).All(b.Context(), targets) {
			if r.State != v1alpha1.ProbeReady {
				b.Fatal(r)
			}
		}
		ours += time.Since(began)
		began = time.Now()
		scan := *keyscan
		out, err := scan.Output()
		if found := strings.Count(string(out), "ssh-ed25519"); err != nil || found != len(targets) {
			b.Fatal(found, err)
		}
		theirs += time.Since(began)
	}
	b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "probe-ms")
	b.ReportMetric(float64(theirs.Milliseconds())/float64(b.N), "keyscan-ms")
	b.ReportMetric(float64(theirs)/float64(ours), "keyscan/probe")
	b.ReportMetric(0, "ns/op")
}
