package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

func TestLeaveReports(t *testing.T) {
	ended := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	owner := cluster.Owner{Namespace: "ns", Name: "pairs", UID: "u"}
	finished := func(t *testing.T, options map[string]v1alpha1.Options) *cluster.Fake {
		f := cluster.NewFake()
		for scope, o := range options {
			r := f.Record(owner, scope, "pairs")
			_, err := cluster.Update(t.Context(), r, record.KeyPlan, func(p *record.Plan) error {
				p.Run, p.Options, p.Nodes = "pairs", o, []resolve.Node{{Name: "n1"}}
				p.Groups = []partition.Group{{Name: "group-0", Nodes: []string{"n1"}}}
				return nil
			})
			require.NoError(t, err)
			_, err = cluster.Update(t.Context(), r, record.KeyClose, func(c *record.Close) error { c.Finished = ended; return nil })
			require.NoError(t, err)
		}
		return f
	}
	t.Run("nothing was asked for, so there is no file and nothing is kept", func(t *testing.T) {
		folder := t.TempDir()
		f := finished(t, map[string]v1alpha1.Options{"": {}})
		require.NoError(t, leaveReports(t.Context(), f.Cluster, owner, folder))
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Empty(t, left)
		kept, err := f.KeptReports(t.Context(), "ns", "pairs")
		require.NoError(t, err)
		require.Empty(t, kept)
	})
	t.Run("artifacts are three files of the runs that ask for them", func(t *testing.T) {
		folder := t.TempDir()
		f := finished(t, map[string]v1alpha1.Options{"aaaaaa": {Artifacts: true}, "bbbbbb": {}})
		require.NoError(t, leaveReports(t.Context(), f.Cluster, owner, folder))
		var r v1alpha1.Report
		text, err := os.ReadFile(filepath.Join(folder, "report.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &r))
		require.Equal(t, "aaaaaa", r.Scope)
		require.Equal(t, ended, *r.Finished)
		require.FileExists(t, filepath.Join(folder, "report.html"))
		require.FileExists(t, filepath.Join(folder, "junit.xml"))
	})
	t.Run("keepReport keeps it", func(t *testing.T) {
		f := finished(t, map[string]v1alpha1.Options{"": {KeepReport: true}})
		require.NoError(t, leaveReports(t.Context(), f.Cluster, owner, t.TempDir()))
		kept, err := f.KeptReports(t.Context(), "ns", "pairs")
		require.NoError(t, err)
		require.Len(t, kept, 1)
		require.Equal(t, "pairs", kept[0].Name)
	})
}
