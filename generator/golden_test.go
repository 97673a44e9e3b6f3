package generator_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/generator"
	"github.com/seed-95c1acfe/seatrial/generator/fragments"
	"github.com/seed-95c1acfe/seatrial/internal/version"
)

var update = flag.Bool("update", false, "write the generated files of the repository")

// committed are the options of the files that the repository holds.
var committed = generator.Options{Version: version.Number}

const (
	templates  = "../templates"
	manifests  = "../manifests"
	pluginFile = manifests + "/cluster/executor-plugin.yaml"
)

func TestCommittedFiles(t *testing.T) {
	files, err := generator.Files(committed)
	require.NoError(t, err)
	plugin, err := generator.PluginFile(committed)
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.MkdirAll(templates, 0o755))
		for name, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(templates, name), text, 0o644))
		}
		require.NoError(t, os.WriteFile(pluginFile, plugin, 0o644))
	}
	t.Run("the folder templates is what the generator writes", func(t *testing.T) {
		differences, err := generator.Check(readFolder(t, templates), committed)
		require.NoError(t, err)
		require.Empty(t, differences, "run: go test ./generator -update")
	})
	t.Run("the plugin's ConfigMap is what the generator writes", func(t *testing.T) {
		have, err := os.ReadFile(pluginFile)
		require.NoError(t, err)
		require.Equal(t, string(plugin), string(have), "run: go test ./generator -update")
	})
	t.Run("the same options give the same bytes", func(t *testing.T) {
		again, err := generator.Files(committed)
		require.NoError(t, err)
		require.Equal(t, files, again)
	})
	t.Run("a template holds the whole of its fragment", func(t *testing.T) {
		brought, err := fragments.All()
		require.NoError(t, err)
		stored, err := fragments.Read(os.DirFS(templates))
		require.NoError(t, err)
		require.Len(t, stored, len(brought))
		for i := range brought {
			require.Equal(t, brought[i].Name, stored[i].Name)
			want, err := json.Marshal(brought[i].Fragment)
			require.NoError(t, err)
			have, err := json.Marshal(stored[i].Fragment)
			require.NoError(t, err)
			require.JSONEq(t, string(want), string(have), brought[i].Name)
		}
	})
	t.Run("each file says that it is generated and begins with its kind", func(t *testing.T) {
		for name, text := range files {
			require.True(t, strings.HasPrefix(string(text), generator.Header+"apiVersion: "), name)
			require.NotContains(t, string(text), "null", name)
			require.NotContains(t, string(text), "\nstatus", name)
		}
	})
}

func TestCheck(t *testing.T) {
	whole := func() map[string][]byte {
		files, err := generator.Files(committed)
		require.NoError(t, err)
		return files
	}
	for name, c := range map[string]struct {
		change func(map[string][]byte)
		want   []string
	}{
		"nothing changed": {func(map[string][]byte) {}, nil},
		"a missing file is named": {
			func(f map[string][]byte) { delete(f, "workloadrun-mpi.yaml") },
			[]string{"workloadrun-mpi.yaml: is missing"}},
		"an edit is named with its line": {
			func(f map[string][]byte) {
				f["workloadrun-exec.yaml"] = []byte(strings.Replace(string(f["workloadrun-exec.yaml"]), "kind: W", "kind: w", 1))
			},
			[]string{"workloadrun-exec.yaml:3: differs from what `seatrial generate` writes"}},
		"a file cut short differs after its end": {
			func(f map[string][]byte) { f["kustomization.yaml"] = []byte(generator.Header) },
			[]string{"kustomization.yaml:2: differs from what `seatrial generate` writes"}},
		"a template that is gone is named": {
			func(f map[string][]byte) { f["workloadrun-old.yaml"] = []byte(generator.Header + "kind: x\n") },
			[]string{"workloadrun-old.yaml: is no longer generated"}},
		"the site's own file is left alone": {
			func(f map[string][]byte) { f["platform-ours.yaml"] = []byte("kind: x\n") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			files := whole()
			c.change(files)
			got, err := generator.Check(files, committed)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	t.Run("another version differs in every template", func(t *testing.T) {
		got, err := generator.Check(whole(), generator.Options{Version: version.Number + "-other"})
		require.NoError(t, err)
		require.Len(t, got, len(install(t)))
	})
}

func readFolder(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	files := map[string][]byte{}
	for _, e := range entries {
		files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name()))
		require.NoError(t, err)
	}
	return files
}
