package planning

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

func TestConsiderBusy(t *testing.T) {
	plan := func(o v1alpha1.BusyNodes) *record.Plan {
		p := &record.Plan{Nodes: []resolve.Node{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Excluded: []v1alpha1.NodeReason{{Name: "z", Reason: "cordoned"}}}
		p.Options.BusyNodes = o
		return p
	}
	busy := Seen{Busy: resolve.Busy{"b": 8, "elsewhere": 1}}
	t.Run("warn leaves the nodes in", func(t *testing.T) {
		p := plan(v1alpha1.BusyWarn)
		require.NoError(t, considerBusy(p, busy))
		require.Len(t, p.Nodes, 3)
		require.Len(t, p.Warnings, 1)
		require.Contains(t, p.Warnings[0], "8 of b;")
	})
	t.Run("exclude takes them out, with the reason", func(t *testing.T) {
		p := plan(v1alpha1.BusyExclude)
		require.NoError(t, considerBusy(p, busy))
		require.Equal(t, []resolve.Node{{Name: "a"}, {Name: "c"}}, p.Nodes)
		require.Equal(t, []v1alpha1.NodeReason{{Name: "b", Reason: "busy: 8 of its GPUs are in use by pods that are not ours"}, {Name: "z", Reason: "cordoned"}}, p.Excluded)
		require.Empty(t, p.Warnings)
	})
	t.Run("nobody looked", func(t *testing.T) {
		p := plan(v1alpha1.BusyExclude)
		require.NoError(t, considerBusy(p, Seen{}))
		require.Len(t, p.Nodes, 3)
		require.Empty(t, p.Warnings)
	})
	t.Run("what cannot be seen is said once, and the run goes on", func(t *testing.T) {
		p := plan(v1alpha1.BusyWarn)
		require.NoError(t, considerBusy(p, Seen{BusyUnknown: "forbidden"}))
		require.Equal(t, []string{"whether other pods use the nodes' GPUs was not checked: forbidden"}, p.Warnings)
	})
	t.Run("what cannot be seen cannot be taken out", func(t *testing.T) {
		require.EqualError(t, considerBusy(plan(v1alpha1.BusyExclude), Seen{BusyUnknown: "forbidden"}),
			"busyNodes: is exclude, and whether other pods use the nodes' GPUs was not checked: forbidden; warn would do")
	})
}
