package main

import (
	"debug/buildinfo"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheImageThatWasMade looks into the archive of `make image`, whose path SEATRIAL_IMAGE has (make test-image). Without it there is
// nothing to look into.
func TestTheImageThatWasMade(t *testing.T) {
	archive := os.Getenv("SEATRIAL_IMAGE")
	if archive == "" {
		t.Skip("SEATRIAL_IMAGE is not set; make test-image sets it")
	}
	top, err := unpack(t, archive).IndexManifest()
	require.NoError(t, err)
	require.Len(t, top.Manifests, 1)
	index, err := unpack(t, archive).ImageIndex(top.Manifests[0].Digest)
	require.NoError(t, err)
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	require.Len(t, manifest.Manifests, 2)
	_, components := readSBOM(t, filepath.Join(filepath.Dir(archive), "seatrial-image.cdx.json"))
	for _, m := range manifest.Manifests {
		t.Run(m.Platform.Architecture, func(t *testing.T) {
			img, err := index.Image(m.Digest)
			require.NoError(t, err)
			config, err := img.ConfigFile()
			require.NoError(t, err)
			require.Equal(t, "8737", config.Config.User)
			require.Equal(t, []string{"/seatrial-plugin"}, config.Config.Entrypoint)
			require.Empty(t, config.Config.ExposedPorts)
			require.Empty(t, config.History)

			headers, content := entries(t, onlyLayer(t, img))
			require.Len(t, headers, 1, "one program and nothing else: no shell, no libc, no package manager")
			require.Equal(t, "seatrial-plugin", headers[0].Name)
			require.EqualValues(t, 0o755, headers[0].Mode, "no set-user-id")

			file := writeFile(t, filepath.Join(t.TempDir(), "seatrial-plugin"), []byte(content["seatrial-plugin"]), 0o600)
			require.NoError(t, checkStatic(file, m.Platform.Architecture))
			info, err := buildinfo.ReadFile(file)
			require.NoError(t, err)
			settings := map[string]string{}
			for _, s := range info.Settings {
				settings[s.Key] = s.Value
			}
			require.Equal(t, "true", settings["-trimpath"], "no path of the machine that built it")
			require.Equal(t, "0", settings["CGO_ENABLED"])
			for _, d := range info.Deps {
				require.Equal(t, d.Version, components[d.Path].Version, "the bill of materials has it")
			}
		})
	}
}
