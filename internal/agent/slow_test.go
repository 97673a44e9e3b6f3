package agent

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// pipes is a listener whose connections are pipes, so that time in a bubble of testing/synctest is theirs too.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.waiting:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial() net.Conn {
	near, far := net.Pipe()
	p.waiting <- far
	return near
}

func TestASlowClientLosesItsConnectionAndNobodyElse(t *testing.T) {
	const request = "POST /api/v1/template.execute HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
	for name, c := range map[string]struct {
		send   string
		within time.Duration
	}{
		"says nothing":                  {"", 11 * time.Second},
		"stops within the header":       {request[:30], 11 * time.Second},
		"stops before the body":         {request, 31 * time.Second},
		"stops within the body":         {request + `{"workflow":`, 31 * time.Second},
		"announces what never comes":    {strings.Replace(request, "100", "999999999999", 1) + strings.Repeat("x", 1000), 31 * time.Second},
		"sends a header without an end": {request[:30] + "\r\nX: " + strings.Repeat("y", 1<<20), time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener := newPipes()
				server := bounded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadAll(r.Body); err != nil {
						return
					}
					_, _ = io.WriteString(w, "{}")
				}))
				ended := make(chan error, 1)
				go func() { ended <- server.Serve(listener) }()

				began, slow := time.Now(), listener.dial()
				gone := make(chan time.Duration, 1)
				go func() { // what it answers is read, and does not keep the connection
					_, _ = io.Copy(io.Discard, slow)
					gone <- time.Since(began)
				}()
				_, _ = io.WriteString(slow, c.send) // fails where the server has had enough

				for i := range 100 {
					quick := listener.dial()
					_, err := fmt.Fprint(quick, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
					require.NoError(t, err)
					response, err := http.ReadResponse(bufio.NewReader(quick), nil)
					require.NoError(t, err)
					require.Equal(t, http.StatusOK, response.StatusCode)
					require.NoError(t, response.Body.Close())
					require.NoError(t, quick.Close())
					require.Less(t, time.Since(began), time.Second, "call %d waits for nobody", i)
				}
				require.LessOrEqual(t, <-gone, c.within)
				require.NoError(t, server.Close())
				require.True(t, errors.Is(<-ended, http.ErrServerClosed))
			})
		})
	}
}

func TestAClientThatReadsNothingLosesItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener, left := newPipes(), make(chan time.Duration, 1)
		server := bounded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			began := time.Now()
			for {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					left <- time.Since(began)
					return
				}
			}
		}))
		go func() { _ = server.Serve(listener) }()
		client := listener.dial()
		_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		require.LessOrEqual(t, <-left, time.Minute)
		require.NoError(t, client.Close())
		require.NoError(t, server.Close())
		synctest.Wait()
	})
}
