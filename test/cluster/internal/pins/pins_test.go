package pins

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func module(text string) fstest.MapFS {
	return fstest.MapFS{"etcd/go.mod": {Data: []byte(text)}, "etcd/go.sum": {Data: []byte("sums")}}
}

func TestHash(t *testing.T) {
	base, err := Load(module("require x v1"))
	require.NoError(t, err)

	t.Run("same_content_same_name", func(t *testing.T) {
		again, err := Load(module("require x v1"))
		require.NoError(t, err)
		require.Equal(t, base.Hash("amd64"), again.Hash("amd64"))
		require.Len(t, base.Hash(), hashLength)
	})
	t.Run("a_changed_pin_is_another_name", func(t *testing.T) {
		changed, err := Load(module("require x v2"))
		require.NoError(t, err)
		require.NotEqual(t, base.Hash(), changed.Hash())
	})
	t.Run("another_platform_is_another_name", func(t *testing.T) {
		require.NotEqual(t, base.Hash("amd64"), base.Hash("arm64"))
		require.NotEqual(t, base.Hash("ab", "c"), base.Hash("a", "bc"))
	})
	t.Run("bytes_moved_between_files_are_another_name", func(t *testing.T) {
		moved, err := Load(fstest.MapFS{"etcd/go.mod": {Data: []byte("require x v1s")}, "etcd/go.sum": {Data: []byte("ums")}})
		require.NoError(t, err)
		require.NotEqual(t, base.Hash(), moved.Hash())
	})
}

func TestLoad(t *testing.T) {
	t.Run("no_modules_is_an_error", func(t *testing.T) {
		_, err := Load(fstest.MapFS{})
		require.ErrorContains(t, err, "empty")
	})
}

func TestVersion(t *testing.T) {
	set, err := Load(module("module m\n\nrequire go.etcd.io/etcd/server/v3 v3.6.16 // indirect\n\nrequire (\n\tk8s.io/api v0.34.4\n)\n"))
	require.NoError(t, err)

	t.Run("of_a_line", func(t *testing.T) {
		version, err := set.Version("etcd", "go.etcd.io/etcd/server/v3")
		require.NoError(t, err)
		require.Equal(t, "v3.6.16", version)
	})
	t.Run("of_a_block", func(t *testing.T) {
		version, err := set.Version("etcd", "k8s.io/api")
		require.NoError(t, err)
		require.Equal(t, "v0.34.4", version)
	})
	t.Run("of_a_module_that_is_not_required_is_an_error", func(t *testing.T) {
		_, err := set.Version("etcd", "k8s.io/ap")
		require.ErrorContains(t, err, "does not require")
		_, err = set.Version("argo", "x")
		require.ErrorContains(t, err, "there is no")
	})
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	modules := filepath.Join(root, filepath.FromSlash(Folder))
	deep := filepath.Join(root, "test", "cluster", "e2e")
	require.NoError(t, os.MkdirAll(modules, 0o755))
	require.NoError(t, os.MkdirAll(deep, 0o755))

	t.Run("from_a_folder_below_the_root", func(t *testing.T) {
		found, err := Find(deep)
		require.NoError(t, err)
		require.Equal(t, modules, found)
	})
	t.Run("outside_the_repository_is_an_error", func(t *testing.T) {
		_, err := Find(t.TempDir())
		require.ErrorContains(t, err, "run inside the repository")
	})
}

func FuzzVersion(f *testing.F) {
	f.Add("require go.etcd.io/etcd v3.6.16")
	f.Add("require (\n\x1b[31m\n")
	f.Fuzz(func(t *testing.T, text string) {
		set, err := Load(module(text))
		require.NoError(t, err)
		version, err := set.Version("etcd", "go.etcd.io/etcd")
		if err == nil { // whatever is found is a version, never empty
			require.Regexp(t, `^v\S+$`, version)
		}
	})
}

func BenchmarkHash(b *testing.B) {
	set, err := Load(os.DirFS("../../modules"))
	require.NoError(b, err)
	for b.Loop() {
		set.Hash("amd64")
	}
}
