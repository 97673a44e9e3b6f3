package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// A block of the README that begins with `$ seatrial` prints what it says.
func TestReadmeCommandsPrintWhatTheReadmeSays(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	blocks := consoleBlock.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		command, want, _ := strings.Cut(block[1], "\n")
		t.Run(command, func(t *testing.T) {
			line, is := strings.CutPrefix(command, "$ seatrial ")
			require.True(t, is, "a console block begins with `$ seatrial`")
			var stdout, stderr bytes.Buffer
			Main(t.Context(), words(line), strings.NewReader(""), &stdout, &stderr)
			require.Equal(t, want, stdout.String()+stderr.String())
		})
	}
}

// words cuts a command line at spaces outside single quotes, which is all the shell that the README uses.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		all = append(all, strings.Fields(part)...)
	}
	return all
}
