package docs

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the pages anew")

// root is the repository.
const root = "../.."

// comments maps Type and Type.Field of api/v1alpha1 to what is said of them.
func comments(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(root + "/api/v1alpha1/*.go")
	require.NoError(t, err)
	said := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			group, is := n.(*ast.GenDecl)
			if !is {
				return true
			}
			for _, s := range group.Specs {
				spec, is := s.(*ast.TypeSpec)
				if !is {
					continue
				}
				said[spec.Name.Name] = oneLine(group.Doc.Text())
				if structure, is := spec.Type.(*ast.StructType); is {
					above := ""
					for _, f := range structure.Fields.List {
						if f.Doc != nil {
							above = oneLine(f.Doc.Text())
						} else {
							above = "" // a comment holds for the line below it
						}
						for _, n := range f.Names {
							said[spec.Name.Name+"."+n.Name] = above
						}
					}
				}
			}
			return true
		})
	}
	return said
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// keyOf is a field's name in JSON, and whether it may be missing. It is "" for a field that is written into its parent.
func keyOf(f reflect.StructField) (key string, optional bool) {
	key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key, strings.Contains(options, "omitempty")
}

// requirePage compares a page with what it should be.
func requirePage(t *testing.T, path, want string) {
	t.Helper()
	path = filepath.Join(root, path)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(have), "run: go test ./internal/docs -update")
}
