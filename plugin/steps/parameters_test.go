package steps

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

var update = flag.Bool("update", false, "write testdata/parameters.txtar anew")

// Odd parameters: discover refuses each in one line that says all that is wrong, and nothing is created.
func TestOddParameters(t *testing.T) {
	const file = "testdata/parameters.txtar"
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	require.Greater(t, len(archive.Files), 40)
	for i := 0; i+1 < len(archive.Files); i += 2 {
		given, want := archive.Files[i], &archive.Files[i+1]
		t.Run(want.Name, func(t *testing.T) {
			require.Equal(t, want.Name+".json", given.Name)
			simulate(t, 3, 2, func(t *testing.T, s *sim) {
				a := s.workflow("nccl", nil)
				a.parameters = map[string]string{}
				require.NoError(t, json.Unmarshal(given.Data, &a.parameters))
				got := a.step(stepDiscover, "")
				if *update {
					want.Data = []byte(got.Message + "\n")
				}
				require.Equal(t, server.Failed, got.Phase, got.Message)
				require.Equal(t, string(want.Data), got.Message+"\n")
				require.NotContains(t, got.Message, "\n")
				require.NotContains(t, got.Message, "\x1b")
				require.Empty(t, s.leftovers())
			})
		})
	}
	if *update {
		require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
	}
}
