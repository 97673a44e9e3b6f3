//go:build cluster

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestThePublishedExamplePassesInPairsOnThreeNodes(t *testing.T) {
	s := newStand(t, "smoke-pairs")
	r := s.run("seatrial", "workloadrun", "run", "examples/demo/nccl-pairs.yaml", "--wait")
	require.Zero(t, r.code, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "nccl-pairs")

	report := s.report("nccl-pairs")
	require.Equal(t, v1alpha1.Pass, report.Verdict)
	require.Equal(t, v1alpha1.Counts{Target: 3, Passed: 3}, report.Counts)
	require.Len(t, report.Groups, 2)
	require.True(t, report.Groups[1].Overflow)
	for _, g := range report.Groups {
		require.NotNil(t, g.Bandwidth, g.Name)
		require.Equal(t, 2, *g.Bandwidth.Ranks, "two ranks took part in %s", g.Name)
		require.True(t, g.Bandwidth.Checked && g.Bandwidth.Complete)
		require.Positive(t, *g.Bandwidth.PeakBusGBps)
		require.Len(t, g.Probe, 2)
	}
	s.noPodLeft("nccl-pairs")
}

func TestTheExecExamplePassesOnEveryNode(t *testing.T) {
	s := newStand(t, "smoke-exec")
	r := s.run("seatrial", "workloadrun", "run", "examples/demo/exec-script.yaml", "--wait")
	require.Zero(t, r.code, r.stdout+r.stderr)
	report := s.report("exec-script")
	require.Equal(t, v1alpha1.Pass, report.Verdict)
	require.Len(t, report.Groups, 3)
	s.noPodLeft("exec-script")
}

// A bad node is gpu-node-01: group-0 has it, and the overflow group borrows the other node of group-0.
func TestABadNodeFailsItsGroupAndNoOther(t *testing.T) {
	for _, bad := range []struct {
		namespace, fault string
		file             runFile
		cause            v1alpha1.Cause
		evidence         string
		blamed           bool
	}{
		// Half a second a call is 0.002 GB/s at 1 MiB; a healthy pair reaches 0.05 on a machine that is busy with other things.
		{"smoke-slow", "slow=500", runFile{Name: "slow", Threshold: "value >= 0.005", Measure: true, MinMessage: "256K"}, v1alpha1.CauseThreshold, "value >= 0.005", false},
		{"smoke-wrong", "wrong", runFile{Name: "wrong"}, v1alpha1.CauseWrongResults, "wrong", false},
		{"smoke-sshd", "nosshd", runFile{Name: "sshd", Timeout: "3m"}, v1alpha1.CauseWorkerNotStarted, "sshd", true},
	} {
		t.Run(bad.fault, func(t *testing.T) {
			s := newStand(t, bad.namespace)
			s.fault("gpu-node-01", bad.fault)
			r := s.run("seatrial", "workloadrun", "run", s.write(bad.file), "--wait")
			require.Equal(t, 1, r.code, r.stdout+r.stderr)

			report := s.report(bad.file.Name)
			require.Equal(t, v1alpha1.Fail, report.Verdict)
			failed := group(t, report, "group-0")
			require.Equal(t, v1alpha1.Fail, failed.Verdict)
			require.Equal(t, bad.cause, failed.Cause, failed.Message)
			require.Contains(t, strings.ToLower(failed.Message), bad.evidence)
			require.Equal(t, v1alpha1.Pass, group(t, report, "group-1").Verdict)
			if bad.blamed {
				require.Len(t, failed.Blamed, 1)
				require.Equal(t, "gpu-node-01", failed.Blamed[0].Name)
				require.Equal(t, 1, report.Counts.Failed)
			}
			s.noPodLeft(bad.file.Name)
		})
	}
}
