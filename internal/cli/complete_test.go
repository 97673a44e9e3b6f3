package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
)

func TestCompletion(t *testing.T) {
	w := newWorkshop(t)
	w.finished("pairs", v1alpha1.Pass)
	w.workflow("again", "Running", 0)
	owner := w.workflow("stages", "Succeeded", time.Minute)
	_, err := cluster.Update(t.Context(), w.plan(owner, "aaaaaa"), record.KeyPlan, func(p *record.Plan) error { p.Stage = "burn-in"; return nil })
	require.NoError(t, err)
	for name, c := range map[string]struct {
		line string
		want []string
	}{
		"names of runs, with their phase":      {"wr report ", []string{"again\tRunning", "pairs\tSucceeded", "stages\tSucceeded"}},
		"one run is enough for status":         {"wr status pairs ", nil},
		"cancel takes several, each once":      {"wr cancel pairs ", []string{"again\tRunning", "stages\tSucceeded"}},
		"the flags of the cluster are heeded":  {"wr logs -n elsewhere ", nil},
		"groups of the run":                    {"wr logs pairs --group ", []string{"group-0", "group-1"}},
		"stages of the run":                    {"wr report stages --scope ", []string{"burn-in"}},
		"no stages of a run that is not there": {"wr report nothing --scope ", nil},
		"no stages without a run":              {"wr report --scope ", nil},
		"forms of a report":                    {"wr report -o ", []string{"text", "json", "junit", "html", "markdown"}},
		"values that the file could have, too": {"wr run x.yaml --test-scale ", []string{"intra-node", "intra-rack", "full-scale"}},
		"platforms":                            {"explain x.yaml p --platform ", v1alpha1.Platforms},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.seatrial(t.Context(), append([]string{"__complete"}, strings.Split(c.line, " ")...)...)
			require.Equal(t, Passed, got.code, got.stderr)
			lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
			require.Equal(t, ":4", lines[len(lines)-1], "no file has such a name")
			require.Equal(t, c.want, append([]string(nil), lines[:len(lines)-1]...))
		})
	}
	t.Run("a cluster that does not answer offers nothing and says nothing", func(t *testing.T) {
		w := newWorkshop(t)
		w.Refuse(func(_, _, _ string) error { return errors.New("no route to host") })
		got := w.seatrial(t.Context(), "__complete", "wr", "report", "")
		require.Equal(t, Passed, got.code)
		require.Equal(t, ":4\n", got.stdout)
	})
}
