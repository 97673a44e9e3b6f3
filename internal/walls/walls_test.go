// Package walls holds the walls between the packages: which of them may import what, directly. The reasons are in
// docs/architecture.md. Tests, and what is under test/, may import anything.
package walls

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// wall keeps imports out of packages. A package or an import of a list stands for all below it too.
type wall struct {
	name string
	// only are the packages that may; in are the packages that may not. One of them is empty.
	only, in []string
	imports  []string
}

var pure = []string{"api", "generator/fragments", "internal/demo", "internal/explain", "internal/resolve", "plugin/isolate", "plugin/parse", "plugin/partition", "plugin/report", "plugin/score"}

var walls = []wall{
	{name: "one binary of the plugin serves Argo 3.6 to 4", only: []string{"generator", "internal/cli"}, imports: []string{"github.com/argoproj/argo-workflows"}},
	{name: "one package talks to the cluster", only: []string{"internal/cluster"}, imports: []string{"k8s.io/client-go"}},
	{name: "pure packages know no cluster, network or machine", in: pure, imports: []string{
		"k8s.io/client-go", "sigs.k8s.io/controller-runtime", "github.com/argoproj", "net", "os", "syscall",
		"github.com/seed-95c1acfe/seatrial/internal/cluster",
	}},
	{name: "a plan is made of what its caller has seen", in: []string{"internal/planning"}, imports: []string{
		"k8s.io/client-go", "sigs.k8s.io/controller-runtime", "github.com/argoproj", "net", "os", "syscall",
	}},
}

// keepsOut says whether the wall stands between a package and an import.
func (w wall) keepsOut(pkg, imported string) bool {
	if !below(w.imports, imported) {
		return false
	}
	return below(w.in, pkg) || len(w.only) > 0 && !below(w.only, pkg)
}

func below(roots []string, name string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return name == root || strings.HasPrefix(name, root+"/") })
}

// breaches returns every import of a tree that a wall keeps out, as file: import: wall, and the packages that it looked at.
func breaches(tree fs.FS) (found []string, packages map[string]bool, err error) {
	packages = map[string]bool{}
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return skip(tree, name, entry.Name())
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		packages[path.Dir(name)] = true
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			for _, w := range walls {
				if w.keepsOut(path.Dir(name), imported) {
					found = append(found, fmt.Sprintf("%s: %s: %s", name, imported, w.name))
				}
			}
		}
		return nil
	})
	return found, packages, err
}

// skip leaves out what is no package of this module's product.
func skip(tree fs.FS, name, base string) error {
	if name == "." {
		return nil
	}
	if name == "test" || base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, path.Join(name, "go.mod")); err == nil { // a module of its own
		return fs.SkipDir
	}
	return nil
}

func TestWalls_hold(t *testing.T) {
	found, packages, err := breaches(os.DirFS("../.."))
	require.NoError(t, err)
	require.Empty(t, found)
	for _, w := range walls {
		for _, root := range append(slices.Clone(w.only), w.in...) {
			require.True(t, slices.ContainsFunc(keys(packages), func(p string) bool { return below([]string{root}, p) }),
				"%s: there is no package %s; a wall around nothing holds nothing", w.name, root)
		}
	}
}

func keys(m map[string]bool) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	return all
}

// Each wall finds a breach that is made up for it, and lets through what it should.
func TestWalls_find_a_breach(t *testing.T) {
	for _, c := range []struct {
		file, imported string
		want           bool
	}{
		{"plugin/steps/x.go", "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1", true},
		{"generator/x.go", "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1", false},
		{"internal/cli/x.go", "github.com/argoproj/argo-workflows/v3/workflow/common", false},
		{"internal/cli2/x.go", "github.com/argoproj/argo-workflows/v3/workflow/common", true},
		{"plugin/steps/x_test.go", "github.com/argoproj/argo-workflows/v3/pkg/plugins/spec", false},
		{"test/e2e/x.go", "github.com/argoproj/argo-workflows/v3/pkg/plugins/spec", false},
		{"internal/cluster/x.go", "github.com/argoproj/pkg/kubeclientmetrics", false},

		{"internal/record/x.go", "k8s.io/client-go/kubernetes", true},
		{"cmd/seatrial/x.go", "k8s.io/client-go/rest", true},
		{"internal/cluster/x.go", "k8s.io/client-go/rest", false},
		{"plugin/steps/x.go", "k8s.io/apimachinery/pkg/api/errors", false},
		{"plugin/steps/x.go", "k8s.io/utils/ptr", false},

		{"api/v1alpha1/x.go", "os", true},
		{"internal/explain/x.go", "github.com/seed-95c1acfe/seatrial/internal/cluster", true},
		{"internal/planning/x.go", "os", true},
		{"internal/planning/x.go", "github.com/seed-95c1acfe/seatrial/internal/cluster", false}, // its types
		{"internal/resolve/x.go", "os/exec", true},
		{"plugin/parse/x.go", "net/http", true},
		{"plugin/partition/x.go", "net", true},
		{"plugin/report/plain/x.go", "github.com/argoproj/pkg/humanize", true},
		{"plugin/score/x.go", "github.com/seed-95c1acfe/seatrial/internal/cluster", true},
		{"plugin/score/x.go", "github.com/seed-95c1acfe/seatrial/plugin/parse", false},
		{"plugin/probe/x.go", "net", false},
		{"tools/x.go", "k8s.io/client-go/rest", false},
		{"plugin/parse/testdata/x.go", "os", false},
	} {
		tree := fstest.MapFS{
			c.file:         {Data: []byte("package x\n\nimport _ \"" + c.imported + "\"\n")},
			"tools/go.mod": {Data: []byte("module tools\n")},
			"go.mod":       {Data: []byte("module seatrial\n")},
		}
		found, _, err := breaches(tree)
		require.NoError(t, err)
		require.Equal(t, c.want, len(found) > 0, "%s imports %s: %v", c.file, c.imported, found)
	}
	t.Run("a_file_that_cannot_be_read_is_an_error_not_a_pass", func(t *testing.T) {
		_, _, err := breaches(fstest.MapFS{"api/x.go": {Data: []byte("package")}})
		require.Error(t, err)
	})
}
