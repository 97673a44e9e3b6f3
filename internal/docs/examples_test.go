package docs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Each folder of examples has a README of three lines, and each WorkloadRun in it is sound.
func TestExamples(t *testing.T) {
	folders, err := os.ReadDir(filepath.Join(root, "examples"))
	require.NoError(t, err)
	runs := 0
	for _, folder := range folders {
		t.Run(folder.Name(), func(t *testing.T) {
			path := filepath.Join(root, "examples", folder.Name())
			readme, err := os.ReadFile(filepath.Join(path, "README.md"))
			require.NoError(t, err)
			require.Equal(t, 3, bytes.Count(readme, []byte("\n")), "a README of three lines")
			files, err := filepath.Glob(path + "/*.yaml")
			require.NoError(t, err)
			require.NotEmpty(t, files)
			for _, file := range files {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				var head struct{ Kind string }
				require.NoError(t, yaml.NewDecoder(bytes.NewReader(text)).Decode(&head))
				if head.Kind == v1alpha1.RunKind {
					_, err = v1alpha1.Load(strings.TrimPrefix(file, root+"/"), text)
					require.NoError(t, err)
					runs++
				}
			}
		})
	}
	require.Greater(t, runs, 3)
}
