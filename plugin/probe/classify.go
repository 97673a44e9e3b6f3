package probe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// maxQuote is the most runes of a server's text in a reason.
const maxQuote = 80

// How OpenSSH turns a client away before its banner (drop_connection in sshd.c): up to 9.7 in the first words, for MaxStartups. Since 9.8,
// which has PerSourcePenalties, in the second ones for either reason, and nothing tells the two apart from outside.
const (
	maxStartups = "Exceeded MaxStartups"
	notAllowed  = "Not allowed at this time"
)

var errTooLong = errors.New("no SSH version line in the first 8 KiB")

// classifyLookup names why a name has no address. Stopped: our own caller gave up, so that nothing is known.
func classifyLookup(err error, stopped bool) failure {
	var dns *net.DNSError
	switch {
	case stopped:
		return failure{v1alpha1.ProbeDNS, "the name server did not answer before the probe was stopped", true}
	case errors.As(err, &dns):
		return failure{state: v1alpha1.ProbeDNS, reason: quote(lookupText(dns))}
	default:
		return failure{state: v1alpha1.ProbeDNS, reason: quote(err.Error())}
	}
}

// lookupText is what a lookup came to. The resolver's own text has the sockets before the cause, which is then cut off.
func lookupText(e *net.DNSError) string {
	server := "the name server"
	if e.Server != "" {
		server += " " + e.Server
	}
	switch {
	case e.IsTimeout:
		return "lookup " + e.Name + ": " + server + " did not answer"
	case strings.Contains(e.Err, "->"): // the sockets
		return "lookup " + e.Name + ": " + server + ": " + strings.TrimSpace(e.Err[strings.LastIndex(e.Err, ":")+1:])
	default:
		return "lookup " + e.Name + ": " + e.Err
	}
}

// classifyDial names what kept a connection from being made. Stopped: our own caller gave up, so silence says little.
func classifyDial(err error, stopped bool) failure {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return failure{state: v1alpha1.ProbeRefused, reason: "connection refused: nothing listens on the port"}
	case errors.Is(err, syscall.ECONNRESET): // a closed port refuses; a reset comes from what took the connection first
		return failure{state: v1alpha1.ProbeNoBanner, reason: "connected, then reset before the SSH banner"}
	case stopped:
		return failure{v1alpha1.ProbeSilent, "no answer to the connect before the probe was stopped", true}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return failure{state: v1alpha1.ProbeSilent, reason: "no answer to the connect"}
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.EHOSTDOWN): // a router or the neighbour table says so: nobody is there
		return failure{state: v1alpha1.ProbeSilent, reason: quote(err.Error())}
	default: // this machine has no route, no descriptor, no port left: the text says which
		return failure{v1alpha1.ProbeSilent, "could not ask: " + quote(err.Error()), true}
	}
}

// classifyBanner names what a connected server did. Text is all that it sent, err why reading ended before a version line.
func classifyBanner(text []byte, err error, stopped bool) (v1alpha1.ProbeState, string) {
	if versionLine(text) != nil {
		return v1alpha1.ProbeReady, ""
	}
	for line := range bytes.Lines(text) {
		switch {
		case bytes.Contains(line, []byte(maxStartups)):
			return v1alpha1.ProbeThrottled, "sshd has too many connections that are not logged in (MaxStartups): " + quote(string(line))
		case bytes.HasPrefix(line, []byte(notAllowed)):
			return v1alpha1.ProbePenalised, "sshd refuses us for a while, by a penalty (PerSourcePenalties) or for MaxStartups: " + quote(string(line))
		}
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

func quote(s string) string { return plain.Cut(plain.Line(s), maxQuote) }
