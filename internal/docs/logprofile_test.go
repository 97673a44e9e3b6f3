package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// The log profile that the page shows reads each of the lines that it is for.
func TestThePagesLogProfile(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/how-to/add-a-log-profile.md"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	text, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	p, err := v1alpha1.LoadLogProfile("page", []byte(text))
	require.NoError(t, err)
	profile, err := parse.NewProfile(p)
	require.NoError(t, err)
	parser := &parse.Parser{Profile: profile}
	_, err = parser.Write([]byte("2026-01-02 03:04:05 step 40 took 812.5 loss 1.25\n2026-01-02 03:04:06 step 41 took 813 loss 1.5\n2026-01-02 03:04:07 step 42 took 812 loss 1\n"))
	require.NoError(t, err)
	steps := parser.Finish().Training.Steps
	require.Len(t, steps, 3)
	require.Equal(t, parse.Measure{Value: 0.813, Seen: true}, steps[1].TimeSec)
}
