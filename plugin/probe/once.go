package probe

import (
	"bytes"
	"context"
	"io"
	"net"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

const (
	// maxBanner bounds what is read of a server, in bytes. RFC 4253 §4.2 lets it send any number of lines before its version.
	maxBanner = 8 << 10
	// version is ours, as RFC 4253 §4.2 wants it: a server that never gets one logs an error for each probe.
	version = "SSH-2.0-Seatrial_probe"
	// farewell bounds the wait for the server to close after us.
	farewell = 250 * time.Millisecond

	notTried = "not tried before the probe was stopped"
)

// Once tries target, as Address reads it, a single time. It takes at most the timeouts and the waits for one of the places for
// tries and until the target may be connected to again, or until ctx ends. Attempts is 1, or 0 when nothing was learnt of the target, since the fault is on our side or
// nothing was tried; then the reason says so.
// A target that Address refuses is silent, with its error as the reason, and nothing is dialled.
func (p *Prober) Once(ctx context.Context, target string) v1alpha1.ProbeResult {
	result := v1alpha1.ProbeResult{Target: target, Attempts: 1}
	address, err := Address(target)
	if err != nil {
		result.State, result.Reason, result.Attempts = v1alpha1.ProbeSilent, err.Error(), 0
		return result
	}
	result.Target = address
	leave, ok := p.enter(ctx)
	if !ok {
		result.State, result.Reason, result.Attempts = v1alpha1.ProbeSilent, notTried, 0
		return result
	}
	defer leave()
	host, port, _ := splitTarget(address)
	conn, started, failed := p.connect(ctx, host, port)
	if failed != nil {
		result.State, result.Reason = failed.state, failed.reason
		if failed.ours {
			result.Attempts = 0
		}
		return result
	}
	defer conn.Close() //nolint:errcheck // nothing was written that could be lost

	text, err := p.readBanner(ctx, conn)
	result.State, result.Reason = classifyBanner(text, err, ctx.Err() != nil)
	if result.State != v1alpha1.ProbeReady {
		return result
	}
	result.LatencyMs = float64(p.Clock.Now().Sub(started)) / float64(time.Millisecond)
	if p.Key == nil {
		sayGoodbye(ctx, conn)
	} else if problem := p.login(ctx, conn, text); problem != "" {
		result.State, result.Reason, result.LatencyMs = v1alpha1.ProbeAuth, problem, 0
	}
	return result
}

// readBanner reads up to and including the version line, or to the end, the limit or the deadline, whichever is first.
// What was read is returned with the error.
func (p *Prober) readBanner(ctx context.Context, conn net.Conn) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, orDefault(p.BannerTimeout, defaultBannerTimeout))
	defer cancel()
	defer interruptWhenDone(ctx, conn)()

	text := make([]byte, 0, 512)
	for len(text) < maxBanner {
		n, err := conn.Read(text[len(text):min(cap(text), maxBanner)])
		text = text[:len(text)+n]
		if versionLine(text) != nil {
			return text, nil
		}
		if err != nil {
			return text, err
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
	return text, errTooLong
}

// versionLine returns the first whole line that names version 2 of the protocol (1.99 speaks both: RFC 4253, 5.1), without its line
// end; nil when there is none yet.
func versionLine(text []byte) []byte {
	for line := range bytes.Lines(text) {
		speaks := bytes.HasPrefix(line, []byte("SSH-2.0-")) || bytes.HasPrefix(line, []byte("SSH-1.99-"))
		if speaks && bytes.HasSuffix(line, []byte("\n")) {
			return bytes.TrimRight(line, "\r\n")
		}
	}
	return nil
}

// sayGoodbye sends our version, closes our half and waits a moment for the server to close its own:
// closing over its unread key exchange would reset the connection, which sshd logs as an error.
func sayGoodbye(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	defer interruptWhenDone(ctx, conn)()

	if _, err := io.WriteString(conn, version+"\r\n"); err != nil {
		return // it answered, so it is ready; that it hung up first is no matter
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(conn, maxBanner))
	}
}

// interruptWhenDone makes reads and writes fail once ctx ends. The function that it returns calls that off.
func interruptWhenDone(ctx context.Context, conn net.Conn) func() {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	return func() { stop() }
}
