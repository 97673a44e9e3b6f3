package probe

import (
	"net"
	"strings"
)

const sshPort = "22"

// Address returns target as host:port, with port 22 where none is given. An IPv6 address may stand with or without brackets.
func Address(target string) string {
	if _, _, err := net.SplitHostPort(target); err == nil {
		return target
	}
	host := strings.TrimSuffix(strings.TrimPrefix(target, "["), "]")
	return net.JoinHostPort(host, sshPort)
}
