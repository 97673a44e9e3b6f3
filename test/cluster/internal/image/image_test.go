package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func sample(t *testing.T) Image {
	t.Helper()
	source := filepath.Join(t.TempDir(), "pause")
	require.NoError(t, os.WriteFile(source, []byte("a program"), 0o600))
	return Image{Name: "seatrial/pause:1", Architecture: "amd64", Entrypoint: []string{"/pause"}, Files: []File{{Path: "/bin/pause", Source: source}}}
}

func entries(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for reader := tar.NewReader(bytes.NewReader(archive)); ; {
		head, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		out[head.Name], err = io.ReadAll(reader)
		require.NoError(t, err)
	}
}

func TestWrite(t *testing.T) {
	var out bytes.Buffer
	image := sample(t)
	require.NoError(t, Write(&out, image))
	files := entries(t, out.Bytes())
	var manifest []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	require.NoError(t, json.Unmarshal(files["manifest.json"], &manifest))
	layer := files[manifest[0].Layers[0]]

	t.Run("the_manifest_names_the_image_and_files_that_exist", func(t *testing.T) {
		require.Equal(t, []string{"seatrial/pause:1"}, manifest[0].RepoTags)
		require.Contains(t, files, manifest[0].Config)
		require.NotEmpty(t, layer)
	})
	t.Run("the_config_names_the_layer_by_its_content", func(t *testing.T) {
		sum := sha256.Sum256(layer)
		require.Contains(t, string(files[manifest[0].Config]), `"sha256:`+hex.EncodeToString(sum[:])+`"`)
		require.True(t, strings.HasPrefix(manifest[0].Layers[0], hex.EncodeToString(sum[:])))
	})
	t.Run("the_program_is_in_the_layer_and_may_be_executed", func(t *testing.T) {
		head, err := tar.NewReader(bytes.NewReader(layer)).Next()
		require.NoError(t, err)
		require.Equal(t, "bin/pause", head.Name)
		require.EqualValues(t, 0o755, head.Mode)
		require.Equal(t, []byte("a program"), entries(t, layer)["bin/pause"])
	})
	t.Run("same_files_same_bytes", func(t *testing.T) {
		var again bytes.Buffer
		require.NoError(t, Write(&again, image))
		require.Equal(t, out.Bytes(), again.Bytes())
	})
	t.Run("a_missing_program_is_an_error", func(t *testing.T) {
		image.Files[0].Source += "-gone"
		require.ErrorContains(t, Write(io.Discard, image), "pause-gone")
	})
}
