package cli

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// commandLine is a command of ours in a page: on a line of a block, or as inline code.
var commandLine = regexp.MustCompile("(?m)(?:^|`|[|] |&& |<\\()(seatrial [a-z][^`|>&#)\n]*)")

// Every command that a page shows exists, with every flag that it has there.
func TestCommandsOfThePagesExist(t *testing.T) {
	const root = "../.."
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/how-to/*.md", "manifests/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		pages = append(pages, found...)
	}
	seen := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		joined := strings.ReplaceAll(string(text), "\\\n", " ")
		for _, m := range commandLine.FindAllStringSubmatch(joined, -1) {
			t.Run(strings.TrimPrefix(page, root+"/")+"/"+m[1], func(t *testing.T) {
				args := words(strings.TrimSpace(m[1]))[1:]
				c, rest, err := (&app{}).root(nil, io.Discard).Find(args)
				require.NoError(t, err)
				if c.HasSubCommands() && len(rest) > 0 {
					require.True(t, strings.HasPrefix(rest[0], "-"), "%s has no command %s", c.CommandPath(), rest[0])
				}
				for _, arg := range rest {
					name, _, _ := strings.Cut(arg, "=")
					if len(name) > 1 && strings.HasPrefix(name, "-") {
						require.NotNil(t, flagNamed(c, name), "%s has no flag %s", c.CommandPath(), name)
					}
				}
			})
			seen++
		}
	}
	require.Greater(t, seen, 25)
}

func flagNamed(c *cobra.Command, name string) *pflag.Flag {
	c.InitDefaultHelpFlag()
	if long, is := strings.CutPrefix(name, "--"); is {
		if f := c.Flags().Lookup(long); f != nil {
			return f
		}
		return c.InheritedFlags().Lookup(long)
	}
	if f := c.Flags().ShorthandLookup(name[1:2]); f != nil {
		return f
	}
	return c.InheritedFlags().ShorthandLookup(name[1:2])
}
