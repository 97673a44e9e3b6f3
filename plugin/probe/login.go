package probe

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"

	"golang.org/x/crypto/ssh"
)

// login finishes the handshake on a connection whose version line was read, logs in with the key, runs `true` and says goodbye.
// Heard is what was read of the server so far. It returns "" when that went well, else what did not.
func (p *Prober) login(ctx context.Context, conn net.Conn, heard []byte) string {
	ctx, cancel := context.WithTimeout(ctx, orDefault(p.LoginTimeout, defaultLoginTimeout))
	defer cancel()
	defer interruptWhenDone(ctx, conn)()

	user := p.User
	if user == "" {
		user = "root"
	}
	config := &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(p.Key)}, ClientVersion: version,
		// A worker's host key is made with its container; mpirun runs ssh with StrictHostKeyChecking=no too.
		HostKeyCallback: ssh.InsecureIgnoreHostKey(), //nolint:gosec // no secret is sent to the target
	}
	// What stands before the version line is for people.
	heard = heard[bytes.Index(append([]byte("\n"), heard...), []byte("\nSSH-")):]
	c, channels, requests, err := ssh.NewClientConn(&replayed{conn, heard}, conn.RemoteAddr().String(), config)
	if err != nil {
		return loginProblem("the login did not succeed: ", err)
	}
	client := ssh.NewClient(c, channels, requests)
	defer client.Close() //nolint:errcheck // nothing was written that could be lost
	session, err := client.NewSession()
	if err != nil {
		return loginProblem("logged in, then no session: ", err)
	}
	if err := session.Run("true"); err != nil {
		return loginProblem("logged in, then `true` did not run: ", err)
	}
	return ""
}

func loginProblem(what string, err error) string {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return what + "no answer in time"
	}
	return what + quote(err.Error())
}

// replayed is a connection of which something was read already.
type replayed struct {
	net.Conn
	heard []byte
}

func (r *replayed) Read(b []byte) (int, error) {
	if len(r.heard) == 0 {
		return r.Conn.Read(b)
	}
	n := copy(b, r.heard)
	r.heard = r.heard[n:]
	return n, nil
}
