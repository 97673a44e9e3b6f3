//go:build cluster

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// gpu-node-01 is slow by half a second a call: its pair fails. On the usual three nodes gpu-node-03 clears gpu-node-02, which
// has passed in the overflow group too, and both of them are the judges; on four the other pair is.
func TestAreaIsolationNamesTheSlowNode(t *testing.T) {
	s := newStand(t, "smoke-isolate")
	nodes := strings.Fields(s.must("kubectl", "get", "nodes", "-l", "nvidia.com/gpu.present=true", "-o", "jsonpath={.items[*].metadata.name}"))
	s.fault("gpu-node-01", "slow=500")
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
			require.Equal(t, "gpu-node-01", n.Name)
			require.Contains(t, n.Reason, "which pass with others")
		}
	}
	require.Contains(t, s.must("kubectl", "get", "workflow", f.Name, "-o", "jsonpath={.status.nodes.*.displayName}"), "isolate-1-0", "each round is in the tree")
	s.noPodLeft(f.Name)
}
