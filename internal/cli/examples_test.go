package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every WorkloadRun of examples renders without a cluster, beside the fragments that its folder has.
func TestExamplesRender(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*.yaml")
	require.NoError(t, err)
	rendered := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if !strings.Contains("\n"+string(text), "\nkind: WorkloadRun\n") {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			args := []string{"wr", "render", file, "--gpu-arch", "h100", "--what", "objects"}
			fragments := filepath.Join(filepath.Dir(file), "fragments")
			_, err := os.Stat(fragments)
			if err == nil {
				args = append(args, "--fragments", fragments)
			}
			got := newWorkshop(t).seatrial(t.Context(), args...)
			require.Equal(t, Passed, got.code, got.stderr)
			require.Contains(t, got.stdout, "kind: TrainJob\n")
			require.Equal(t, err == nil, strings.Contains(got.stdout, "NCCL_SOCKET_IFNAME=moon0"), "a fragment of the folder applies")
		})
		rendered++
	}
	require.Greater(t, rendered, 12)
}
