package probe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// maxQuote is the most runes of a server's text in a reason.
const maxQuote = 80

var errTooLong = errors.New("no SSH version line in the first 8 KiB")

// classifyDial names what kept a connection from being made. Stopped: our own caller gave up, so silence says little.
func classifyDial(err error, stopped bool) (v1alpha1.ProbeState, string) {
	var dns *net.DNSError
	var addr *net.AddrError
	switch {
	case errors.As(err, &dns):
		return v1alpha1.ProbeDNS, quote(dns.Error())
	case errors.As(err, &addr):
		return v1alpha1.ProbeDNS, quote(addr.Error())
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET):
		return v1alpha1.ProbeRefused, "connection refused: nothing listens on the port"
	case stopped:
		return v1alpha1.ProbeSilent, "no answer to the connect before the probe was stopped"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return v1alpha1.ProbeSilent, "no answer to the connect"
	default: // no route, or a fault on our side such as too many open files: the text says which
		return v1alpha1.ProbeSilent, quote(err.Error())
	}
}

// classifyBanner names what a connected server did. Text is all that it sent, err why reading ended before a version line.
func classifyBanner(text []byte, err error, stopped bool) (v1alpha1.ProbeState, string) {
	if versionLine(text) != nil {
		return v1alpha1.ProbeReady, ""
	}
	if refusal := throttleLine(text); refusal != nil {
		return v1alpha1.ProbeThrottled, "sshd refuses more connections: " + quote(string(refusal))
	}
	reason := "connected, then "
	switch {
	case errors.Is(err, errTooLong):
		reason += errTooLong.Error()
	case errors.Is(err, io.EOF):
		reason += "closed before the SSH banner"
	case errors.Is(err, os.ErrDeadlineExceeded) && stopped:
		reason += "no SSH banner before the probe was stopped"
	case errors.Is(err, os.ErrDeadlineExceeded):
		reason += "no SSH banner in time"
	case errors.Is(err, syscall.ECONNRESET):
		reason += "reset before the SSH banner"
	case err != nil:
		reason += quote(err.Error())
	}
	if heard := quote(string(text)); heard != "" {
		reason += `; it sent "` + heard + `"`
	}
	return v1alpha1.ProbeNoBanner, reason
}

// throttleLine returns the line in which OpenSSH turns a client away before its banner: the text for MaxStartups is in use since 6.x,
// the other one since 9.8, for an address under PerSourcePenalties (sshd.c and srclimit.c of those versions).
func throttleLine(text []byte) []byte {
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("Exceeded MaxStartups")) || bytes.HasPrefix(line, []byte("Not allowed at this time")) {
			return line
		}
	}
	return nil
}

func quote(s string) string { return plain.Cut(plain.Line(s), maxQuote) }
