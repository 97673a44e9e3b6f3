package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// A block of the README or of a page in docs that begins with `$ seatrial` prints what it says.
func TestReadmeCommandsPrintWhatTheReadmeSays(t *testing.T) {
	t.Chdir("../..")
	pages, err := filepath.Glob("docs/*/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, block := range consoleBlock.FindAllStringSubmatch(string(text), -1) {
			command, want, _ := strings.Cut(block[1], "\n")
			t.Run(page+"/"+command, func(t *testing.T) {
				line, is := strings.CutPrefix(command, "$ seatrial ")
				require.True(t, is, "a console block begins with `$ seatrial`")
				var screen bytes.Buffer
				Main(t.Context(), words(line), strings.NewReader(""), &screen, &screen)
				requireShown(t, want, screen.String())
			})
		}
	}
	require.NoError(t, os.Remove("seatrial-demo.html"), "the README tries the demonstration, which leaves its page")
}

// requireShown compares what a page shows with what a command printed. A line of the page that is … stands for any lines.
func requireShown(t *testing.T, want, got string) {
	t.Helper()
	parts := strings.Split(want, "\n…\n")
	if len(parts) == 1 {
		require.Equal(t, want, got)
		return
	}
	require.True(t, strings.HasPrefix(got, parts[0]+"\n"), got)
	require.True(t, strings.HasSuffix(got, "\n"+parts[len(parts)-1]), got)
	for _, part := range parts {
		_, after, found := strings.Cut("\n"+got, "\n"+part)
		require.True(t, found, "%s\nis not in, or not in this order\n%s", part, got)
		got = after
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
