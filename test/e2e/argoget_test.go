//go:build cluster

package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

var update = flag.Bool("update", false, "write what the cluster shows into the docs")

// debugPage shows what `argo get` prints of a failed run, between these lines.
const (
	debugPage = "docs/how-to/debug-a-verdict.md"
	treeBegin = "```text\n$ argo get pairs\n…\n"
	treeEnd   = "```\n"
)

// gpu-node-01 corrupts data, and its pair fails. The page is written by: go test -tags cluster ./test/e2e -run ArgoGet -update
func TestAreaCertificationArgoGetShowsAFailedRunAsTheDocsDo(t *testing.T) {
	s := newStand(t, "area-get")
	s.fault("gpu-node-01", "wrong")
	r := s.run("seatrial", "workloadrun", "run", s.write(runFile{Name: "pairs"}), "--wait")
	require.Equal(t, 1, r.code, r.stdout+r.stderr)
	require.Equal(t, v1alpha1.Fail, s.report("pairs").Verdict)
	shown := s.must("argo", "get", "pairs", "--no-color")
	_, tree, found := strings.Cut(shown, "\nSTEP ")
	require.True(t, found, shown)
	tree = "STEP " + tree

	page := filepath.Join(repository(t), debugPage)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), treeBegin)
	require.True(t, found, "%s has no block that begins with %q", debugPage, treeBegin)
	documented, after, found := strings.Cut(rest, treeEnd)
	require.True(t, found)
	if *update {
		documented = trimmed(tree)
		require.NoError(t, os.WriteFile(page, []byte(before+treeBegin+documented+treeEnd+after), 0o644))
	}
	require.Equal(t, steps(tree), steps(documented), "the docs show:\n%s\nthe cluster:\n%s", documented, tree)
}

func trimmed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

var step = regexp.MustCompile(`[✔✖○◷●⚠] \S+ +\S+`)

// steps are the sign, the name and the template of each line of a tree, in an order that does not depend on which of two steps that
// run side by side Argo lists first.
func steps(tree string) []string {
	var all []string
	for line := range strings.Lines(tree) {
		if found := step.FindString(line); found != "" {
			all = append(all, strings.Join(strings.Fields(found), " "))
		}
	}
	slices.Sort(all)
	return all
}
