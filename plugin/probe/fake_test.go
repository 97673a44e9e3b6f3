package probe

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stepClock moves on by step whenever it is read. Its waits are over at once and are noted down.
type stepClock struct {
	mu    sync.Mutex
	now   time.Time
	step  time.Duration
	waits []time.Duration
}

func (c *stepClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(c.step)
	return c.now
}

func (c *stepClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits = append(c.waits, d)
	over := make(chan time.Time)
	close(over)
	return over
}

// script is what a listener does with its nth connection, counted from 0, before it is closed.
type script func(n int, conn net.Conn)

// listen serves script on an address of its own and returns host:port.
func listen(t testing.TB, address string, serve script) string {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	var serving sync.WaitGroup
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		serving.Wait()
	})
	serving.Go(func() {
		for n := 0; ; n++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close() //nolint:errcheck // the far end may be gone
				serve(n, conn)
			})
		}
	})
	return listener.Addr().String()
}

// say sends text and closes.
func say(text string) script {
	return func(_ int, conn net.Conn) { _, _ = io.WriteString(conn, text) }
}

// sayAndStay sends text and waits until the far end hangs up.
func sayAndStay(text string) script {
	return func(_ int, conn net.Conn) {
		_, _ = io.WriteString(conn, text)
		_, _ = io.Copy(io.Discard, conn)
	}
}

// reset ends the connection with a RST before anything is said.
func reset(_ int, conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

const banner = "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"
