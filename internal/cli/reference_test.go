package cli

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// The page of the command line is what the commands say of themselves. To write it anew: go test ./internal/cli -run Reference -update
func TestReferencePageIsTheHelpOfTheCommands(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Command line\n\n<!-- Made from the code by go test ./internal/cli -run Reference -update. Do not edit. -->\n")
	var add func(*cobra.Command)
	add = func(c *cobra.Command) {
		if c.Hidden || strings.HasPrefix(c.CommandPath(), "seatrial completion ") || c.Name() == "help" {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```text\n%s```\n", c.CommandPath(), strings.TrimSpace(orText(c.Long, c.Short)), c.UsageString())
		for _, child := range c.Commands() {
			add(child)
		}
	}
	root := (&app{}).root(nil, io.Discard)
	root.InitDefaultHelpFlag()
	add(root)
	const page = "../../docs/reference/cli.md"
	if flag.Lookup("update").Value.String() == "true" { // script_test.go has it
		require.NoError(t, os.WriteFile(page, []byte(b.String()), 0o644))
	}
	have, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(have))
}

func orText(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
