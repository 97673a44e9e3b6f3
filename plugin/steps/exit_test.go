package steps

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// TestCommandsThatFail: a command's exit is evidence against its node only where it differs from the others'.
func TestCommandsThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		exits   map[string]int32
		cause   v1alpha1.Cause
		message string
		nodes   []v1alpha1.NodeVerdict
	}{
		"in the same way on every node": {map[string]int32{"gpu-node-01": 2, "gpu-node-02": 2, "gpu-node-03": 2}, v1alpha1.CauseWorkload,
			"all 3 nodes failed in the same way: the command on gpu-node-01 exited with 2", []v1alpha1.NodeVerdict{v1alpha1.Suspect, v1alpha1.Suspect, v1alpha1.Suspect}},
		"on one node, while the others run on": {map[string]int32{"gpu-node-02": 2}, v1alpha1.CauseJobFailed,
			"the command on gpu-node-02 exited with 2", []v1alpha1.NodeVerdict{v1alpha1.Suspect, v1alpha1.Failed, v1alpha1.Suspect}},
		"on one node, while the others end well": {map[string]int32{"gpu-node-01": 0, "gpu-node-02": 2, "gpu-node-03": 0}, v1alpha1.CauseJobFailed,
			"the command on gpu-node-02 exited with 2", []v1alpha1.NodeVerdict{v1alpha1.Suspect, v1alpha1.Failed, v1alpha1.Suspect}},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, 3, 3, func(t *testing.T, s *sim) {
				s.commands = true
				s.plays["check-group-0"] = play{log: "checking\n", exits: c.exits}
				a := s.workflow("check", nil)
				require.Contains(t, a.run()["score group-0"].Message, c.message)
				r := a.report()
				require.Equal(t, c.cause, r.Groups[0].Cause)
				for i, want := range c.nodes {
					require.Equal(t, want, r.Nodes[i].Verdict, r.Nodes[i].Name)
				}
				require.Empty(t, s.leftovers())
			})
		})
	}
}
