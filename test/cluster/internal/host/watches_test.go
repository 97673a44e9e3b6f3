package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestALowLimitOfWatchesIsRaisedAndAHighOneStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "max_user_instances")
	for _, c := range []struct {
		before, after string
		raised        bool
	}{{"128\n", "1024", true}, {"1024\n", "1024\n", false}, {"8192\n", "8192\n", false}} {
		require.NoError(t, os.WriteFile(file, []byte(c.before), 0o600))
		raised, err := raiseWatches(file)
		require.NoError(t, err)
		require.Equal(t, c.raised, raised)
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, c.after, string(after))
	}
	require.NoError(t, os.WriteFile(file, []byte("many"), 0o600))
	_, err := raiseWatches(file)
	require.ErrorContains(t, err, `reading the limit of inotify instances: strconv.Atoi: parsing "many"`)
}
