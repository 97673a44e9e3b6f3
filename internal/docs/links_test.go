package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// Every link of the documentation that stays in the repository leads somewhere.
func TestLinks(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md", "manifests/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		pages = append(pages, found...)
	}
	followed := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			require.FileExists(t, dirOrFile(filepath.Join(filepath.Dir(page), m[1])), "%s: %s", page, m[1])
			followed++
		}
	}
	require.Greater(t, followed, 30)
}

// dirOrFile is a folder's README, or the file itself; a folder without one is shown as a list, so its own name will do.
func dirOrFile(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		entries, err := os.ReadDir(path)
		if err == nil && len(entries) > 0 {
			for _, e := range entries {
				if !e.IsDir() {
					return filepath.Join(path, e.Name())
				}
			}
			return dirOrFile(filepath.Join(path, entries[0].Name()))
		}
	}
	return path
}

// Every page of the documentation is one click away from the README.
func TestEveryPageIsLinkedFromTheReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		for _, page := range pages {
			name, err := filepath.Rel(root, page)
			require.NoError(t, err)
			require.Contains(t, string(readme), "("+filepath.ToSlash(name)+")")
		}
	}
}
