package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/generator"
	"github.com/seed-95c1acfe/seatrial/internal/version"
)

var (
	treeBlock = regexp.MustCompile("(?s)```text\n\\$ argo get [^\n]*\n(.*?)```")
	// A line of `argo get`: the sign, the node's name with the attempt or the item in brackets, and its template.
	treeLine = regexp.MustCompile(`[✔✖○◷●⚠] ([a-zA-Z0-9-]+)(?:\.onExit)?(?:\([^)]*\))? +(\S+)`)
)

// What a page shows of `argo get` is real, from a cluster test (test/e2e/argoget_test.go). Here its names are held against the templates,
// so that a step that is renamed is renamed there too.
func TestTheTreeOfArgoGetHasTheNamesOfTheTemplates(t *testing.T) {
	all, err := generator.WorkflowTemplates(generator.Options{Version: version.Number})
	require.NoError(t, err)
	templates, tasks := map[string]bool{}, map[string]bool{}
	for _, w := range all {
		if w.Name != generator.TemplateName("mpi") {
			continue
		}
		for _, one := range w.Spec.Templates {
			templates[one.Name] = true
			if one.DAG == nil {
				continue
			}
			for _, task := range one.DAG.Tasks {
				tasks[task.Name] = true
			}
		}
	}
	require.True(t, templates["run"] && tasks["score"])
	text, err := os.ReadFile(filepath.Join(root, "docs/how-to/debug-a-verdict.md"))
	require.NoError(t, err)
	block := treeBlock.FindStringSubmatch(string(text))
	require.NotNil(t, block, "the page shows what argo get prints")
	steps := 0
	for line := range strings.Lines(block[1]) {
		m := treeLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		require.True(t, templates[m[2]], "%s is no template", m[2])
		// The first line is the workflow's own; the exit handler's is named after it.
		if steps > 0 && m[1] != "pairs" {
			require.True(t, tasks[m[1]], "%s is no task", m[1])
		}
		steps++
	}
	require.Greater(t, steps, 10)
}
