// Package host asks this machine for what the cluster needs, and takes it back.
//
//  1. Packages: the Debian packages, installed when that is allowed.
//  2. Preflight: root and kernel features, each with a message of its own, before anything starts.
//  3. Lock: one `up`, `down` or build at a time.
//  4. Network, cgroups: made by `up`.
//  5. Mounts, cgroups, network: taken back by `down`.
package host

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// run executes a command; an error carries the last line that it wrote.
func run(ctx context.Context, argv ...string) error {
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return fmt.Errorf("running %s: %w: %s", strings.Join(argv, " "), err, text[strings.LastIndexByte(text, '\n')+1:])
	}
	return nil
}
