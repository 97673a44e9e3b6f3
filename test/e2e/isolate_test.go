//go:build cluster

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Four nodes in pairs, gpu-node-02 slow by half a second a call: its group fails, and the two nodes of the other group are the
// judges. On the usual cluster of three nodes there would be one judge, who is not enough.
func TestIsolationNamesTheSlowNode(t *testing.T) {
	s := newStand(t, "smoke-isolate")
	nodes := strings.Fields(s.must("kubectl", "get", "nodes", "-l", "nvidia.com/gpu.present=true", "-o", "jsonpath={.items[*].metadata.name}"))
	if len(nodes) < 4 {
		t.Skipf("the cluster has %d nodes; four are needed: bin/cluster up with another node", len(nodes))
	}
	s.fault("gpu-node-02", "slow=500")
	// The same threshold as for a slow node without isolation: 0.002 GB/s with it, 0.05 without.
	f := runFile{Name: "isolate", Threshold: "value >= 0.005", Measure: true, MinMessage: "256K"}
	r := s.run("seatrial", "workloadrun", "run", s.write(f), "--isolate", "--wait")
	require.Equal(t, 1, r.code, r.stdout+r.stderr)

	report := s.report(f.Name)
	require.Equal(t, v1alpha1.Fail, report.Verdict)
	require.NotNil(t, report.Isolation)
	require.GreaterOrEqual(t, report.Isolation.Rounds, 2)
	require.Equal(t, 1, report.Counts.Failed)
	require.Equal(t, len(nodes)-1, report.Counts.Passed)
	for _, n := range report.Nodes {
		if n.Verdict == v1alpha1.Failed {
			require.Equal(t, "gpu-node-02", n.Name)
			require.Contains(t, n.Reason, "isolate-2-")
		}
	}
	require.Contains(t, s.must("kubectl", "get", "workflow", f.Name, "-o", "jsonpath={.status.nodes.*.displayName}"), "isolate-1-0", "each round is in the tree")
	s.noPodLeft(f.Name)
}
