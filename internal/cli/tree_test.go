package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestEveryCommandExplainsItself(t *testing.T) {
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			walk(child)
		}
		if c.HasParent() && c.Parent().Name() == "completion" {
			return // cobra's own
		}
		t.Run(c.CommandPath(), func(t *testing.T) {
			require.NotEmpty(t, c.Short)
			require.False(t, strings.HasSuffix(c.Short, "."), "cobra lists the short texts without a full stop")
			require.NotEmpty(t, c.Long)
			require.Contains(t, c.Example, "seatrial")
			require.NotNil(t, c.RunE, "a command without work of its own shows its help for any word and ends well")
		})
	}
	walk(a.root(nil, io.Discard))
}
