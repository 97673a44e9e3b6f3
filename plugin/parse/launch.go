package parse

import (
	"bytes"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// launch reads a message of ssh, a resolver or mpirun about reaching the workers, or about their end.
func (p *Parser) launch(line []byte, found signals) {
	f := Failure{Launch: true, Strength: Specific}
	switch {
	case found.has(resolve):
		f.Cause = v1alpha1.CauseDNS
		f.Host = p.named(line, "resolve hostname ", "host address for ", "resolve host: ", "resolve host ", "resolve ")
		switch ours := isPod(f.Host) || bytes.HasPrefix(line, []byte("ssh: ")); {
		case isLauncher(f.Host):
			// The operators name the launcher's pod so; a worker that cannot find it cannot report back.
			f.Cause = v1alpha1.CauseDNSSelf
		case f.Host != "" && !ours:
			return // a download's address is nobody's worker
		case f.Host == "":
			f.Strength = Generic
		}
	case found.has(denied):
		f.Cause = v1alpha1.CauseAuth
		f.Host = p.login(line)
	case found.has(throttled):
		f.Cause, f.Retry = v1alpha1.CauseThrottle, true
		if f.Host = p.named(line, "closed by ", "reset by "); f.Host == "remote" || f.Host == "peer" {
			f.Host = "" // "closed by remote host" names nobody
		}
	case found.has(sshConnect):
		f.Host = p.named(line, "connect to host ")
		f.Cause = v1alpha1.CauseNetUnreachable
		if found.has(refused) {
			// A refusal is an answer: the pod is up and its sshd is not.
			f.Cause, f.Retry = v1alpha1.CauseWorkerNotStarted, true
		}
	case found.has(waiting):
		f.Cause, f.Retry, f.Strength = v1alpha1.CauseWorkerNotStarted, true, Generic
		f.Host = p.named(line, "sshd on ", "ssh on ", "sshd at ", "ssh at ", "aiting for sshd ", "aiting for ")
		if !isPod(f.Host) && !bytes.Contains(line, []byte("aiting for ssh")) {
			return // for something else
		}
	case found.has(slurm):
		f = p.slurmEnd(line, found)
	case found.has(noDaemon | jobAbort):
		// mpirun's summary of what happened elsewhere.
		f.Launch, f.Strength = found.has(noDaemon), Echo
		if f.Host = p.named(line, " on node "); f.Host == "" && bytes.HasPrefix(line, []byte("node ")) {
			f.Host = p.named(line, "node ") // the message goes on in a second line
		}
	default:
		ok := false
		if f, ok = p.ended(line); !ok {
			return
		}
	}
	p.fail(f, line)
}

// named is the host after the first of the marks that the line holds, without the domain.
func (p *Parser) named(line []byte, marks ...string) string {
	for _, mark := range marks {
		words := p.split(after(line, mark))
		if len(words) > 0 {
			return p.host(shortName(bytes.Trim(words[0], `"':,;()[]`)))
		}
	}
	return ""
}

// isLauncher and isPod tell the pods of a distributed job by the names that its operators give them.
func isLauncher(host string) bool { return strings.Contains(host, "launcher") }

func isPod(host string) bool { return isLauncher(host) || strings.Contains(host, "worker") }

// login is the host of `user@host: Permission denied (publickey).`; empty without one.
func (p *Parser) login(line []byte) string {
	for _, word := range p.split(line) {
		if at := bytes.IndexByte(word, '@'); at > 0 && word[len(word)-1] == ':' {
			return p.host(shortName(word[at+1 : len(word)-1]))
		}
	}
	return ""
}

// shortName is the first label of a DNS name, or the whole address.
func shortName(name []byte) []byte {
	dot := bytes.IndexByte(name, '.')
	if dot <= 0 || allDigits(name[:dot]) {
		return name
	}
	return name[:dot]
}
