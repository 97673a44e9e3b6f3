package probe

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
)

const sshPort = "22"

// Address returns target as host:port, with port 22 where none is given. An IPv6 address may stand with or without brackets.
// A target without a host, or with the unspecified address, is an error: a dial to it reaches the machine that asks, whose own
// sshd would then be taken for the target's.
func Address(target string) (string, error) {
	host, port, err := net.SplitHostPort(target)
	if err != nil {
		host, port = strings.TrimSuffix(strings.TrimPrefix(target, "["), "]"), sshPort
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return "", fmt.Errorf("reading the target %q: the port is %q; a number from 1 to 65535 would do", target, port)
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case strings.TrimSpace(host) == "":
		return "", fmt.Errorf("reading the target %q: there is no host; HOST or HOST:PORT would do", target)
	case err != nil && strings.ContainsFunc(host, noHost):
		return "", fmt.Errorf("reading the target %q: a host has no blanks, control characters or slashes; HOST or HOST:PORT would do", target)
	case err == nil && ip.IsUnspecified():
		return "", fmt.Errorf("reading the target %q: %s is the address of no host", target, host)
	case strings.ContainsAny(host, "[]"), err != nil && strings.Contains(host, ":"): // a zone may hold brackets, and a dial could not tell them
		return "", fmt.Errorf("reading the target %q: it is neither HOST, HOST:PORT nor an IP address", target)
	}
	return net.JoinHostPort(host, port), nil
}

// noHost says of a character that no name of a host has it.
func noHost(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '/' }

// splitTarget returns the host and port of what Address made; ok is false for anything else.
func splitTarget(address string) (host, port string, ok bool) {
	host, port, err := net.SplitHostPort(address)
	return host, port, err == nil
}
