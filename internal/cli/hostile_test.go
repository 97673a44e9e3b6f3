package cli

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// Broken and hostile files: each is refused before anything is created, with all that is wrong in one go.
func TestHostileFiles(t *testing.T) {
	const file = "testdata/hostile.txtar"
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	require.Greater(t, len(archive.Files), 60)
	updating := flag.Lookup("update").Value.String() == "true"
	for i := 0; i+1 < len(archive.Files); i += 2 {
		run, want := archive.Files[i], &archive.Files[i+1]
		t.Run(want.Name, func(t *testing.T) {
			require.Equal(t, want.Name+".yaml", run.Name)
			w := newWorkshop(t)
			w.stdin = string(run.Data)
			got := w.seatrial(t.Context(), "wr", "render", "-", "--gpu-arch", "h100")
			if updating {
				want.Data = []byte(got.stderr)
			}
			require.Equal(t, Misused, got.code, got.stderr)
			require.Empty(t, got.stdout)
			require.Equal(t, string(want.Data), got.stderr)
			require.NotContains(t, got.stderr, "\x1b", "a terminal must not obey a file")
			for line := range strings.Lines(got.stderr) {
				require.Less(t, len(line), 400)
			}
		})
	}
	if updating {
		require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
	}
}
