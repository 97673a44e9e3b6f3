package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/probe"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

func (a *app) probeCommand() *cobra.Command {
	var (
		hostsFile, key    string
		timeout, interval time.Duration
	)
	c := &cobra.Command{
		Use:   "probe HOST[:PORT]…",
		Short: "Ask whether the sshd of hosts answers",
		Long: `Connect to the sshd of each host, again and again until it answers or the time is up, and say its state. A hosts file has one
host a line, as mpirun reads it; what follows the host is left out, and so are # comments.

Without --key it reads the banner and logs in nowhere. With --key it logs in as root with that private key and runs true; a
host is ready only then. No host is connected to more than once a second: OpenSSH 9.8 and later shut out who asks more often.

The states: ready, refused, silent, no-banner, throttled, penalised, auth, dns, dns-self. docs/probing.md says what each means.
The exit code is 0 when every host is ready, else 1.`,
		Example: `  seatrial probe 10.0.0.1 10.0.0.2:2222
  seatrial probe --hosts-file hosts --timeout 5m -o json
  seatrial probe --hosts-file /etc/mpi/hostfile --key /root/.ssh/id_rsa`,
	}
	format := outputFlag(c)
	c.Flags().StringVar(&hostsFile, "hosts-file", "", "file with more hosts; - is stdin")
	c.Flags().DurationVar(&timeout, "timeout", 30*time.Second, "how long to try in all")
	c.Flags().DurationVar(&interval, "interval", time.Second, "least time between two tries of a host, 1s or more")
	c.Flags().StringVar(&key, "key", "", "file with a private key: log in as root and run true")
	c.RunE = a.does(func(c *cobra.Command, hosts []string) (Code, error) {
		if hostsFile != "" {
			text, err := a.read(c.Context(), hostsFile)
			if err != nil {
				return unreadable(err), err
			}
			hosts = append(hosts, hostsIn(string(text))...)
		}
		switch {
		case len(hosts) == 0:
			return Misused, misusef("there is no host to probe")
		case timeout <= 0:
			return Misused, misusef("--timeout is %s; it must be above 0", timeout)
		case interval < time.Second:
			return Misused, misusef("--interval is %s; 1s or more would do: sshd may shut out who asks more often", interval)
		}
		p := &probe.Prober{Clock: a.clock, Within: timeout, Interval: interval, MaxInterval: max(interval, 5*time.Second)}
		p.Self, _ = os.Hostname() // without a name, none is our own
		if key != "" {
			signer, code, err := a.readKey(c.Context(), key)
			if err != nil {
				return code, err
			}
			p.Key = signer
		}
		var targets []probe.Target
		for _, h := range hosts {
			if _, err := probe.Address(h); err != nil {
				return Misused, misuse(err)
			}
			targets = append(targets, probe.Target{Address: h})
		}
		late := newWaiting(len(targets))
		p.Tried = late.tried
		ctx, done := context.WithCancel(c.Context())
		var saying sync.WaitGroup
		saying.Go(func() { a.sayWaiting(ctx, late) })
		results := p.All(c.Context(), targets)
		done()
		saying.Wait() // nothing is said among the results
		return a.showProbe(format.value, results)
	})
	return c
}

// readKey reads a private key in any form that ssh-keygen writes, without a passphrase.
func (a *app) readKey(ctx context.Context, file string) (ssh.Signer, Code, error) {
	text, err := a.read(ctx, file)
	if err != nil {
		return nil, unreadable(err), err
	}
	key, err := ssh.ParsePrivateKey(text)
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		return nil, Misused, misusef("reading the key %s: it has a passphrase; a key without one would do, as mpirun needs it", file)
	case err != nil:
		return nil, Misused, misusef("reading the key %s: %v; a private key as ssh-keygen writes it would do", file, err)
	}
	return key, Passed, nil
}

// hostsIn returns the first word of every line that is not empty or a comment.
func hostsIn(text string) []string {
	var hosts []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			hosts = append(hosts, words[0])
		}
	}
	return hosts
}

func (a *app) showProbe(format string, results []v1alpha1.ProbeResult) (Code, error) {
	code := Passed
	for _, r := range results {
		if r.State != v1alpha1.ProbeReady {
			code = Failed
		}
	}
	if format == asJSON {
		for _, r := range results {
			if err := writeJSON(a.stdout, r, ""); err != nil {
				return worse(code, Unsure), err
			}
		}
		return code, nil
	}
	if err := writeProbe(a.stdout, results); err != nil {
		return worse(code, Unsure), err
	}
	return code, nil
}

func writeProbe(w io.Writer, results []v1alpha1.ProbeResult) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range results {
		says := plain.Line(r.Reason)
		if r.State == v1alpha1.ProbeReady {
			says = fmt.Sprintf("%.1f ms", r.LatencyMs)
		}
		if r.Attempts > 1 {
			says += fmt.Sprintf(" (%d tries)", r.Attempts)
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", plain.Line(r.Target), r.State, says) // Flush returns what goes wrong
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
