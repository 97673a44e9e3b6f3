//go:build cluster

package e2e

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// certify is the arguments of `argo submit` for a certification of this cluster: two ranks a node, and bounds that its bandwidth meets.
func (s *stand) certify(from, name, least string) []string {
	s.t.Helper()
	spec := s.spec(runFile{Name: name, GPUs: 2}, "")
	return []string{
		"submit", "--from", from, "--name", name, "-p", "image=nvcr.io/nvidia/pytorch:26.01-py3", "-p", "spec=" + spec,
		"-p", `args=["-b", "8", "-e", "1M", "-f", "2", "-n", "20"]`, "-p", "least=" + least,
		"-p", "nodeThreshold=value >= 0.0001", "-p", "pairThreshold=value >= 0.0001", "-p", "wholeThreshold=value >= 0.0001",
	}
}

// stages reads the reports of a workflow of several runs.
func (s *stand) stages(workflow string) (all []v1alpha1.Report, names []string) {
	s.t.Helper()
	out := s.run("seatrial", "workloadrun", "report", workflow, "-o", "json")
	require.NoError(s.t, json.Unmarshal([]byte(out.stdout), &all), out.stdout+out.stderr)
	for _, r := range all {
		names = append(names, r.Stage)
	}
	return all, names
}

func targetOf(r v1alpha1.Report) []string {
	var names []string
	for _, n := range r.Nodes {
		names = append(names, n.Name)
	}
	return names
}

func (s *stand) field(workflow, path string) string {
	s.t.Helper()
	out, _ := s.try("kubectl", "get", "workflow", workflow, "-o", "jsonpath={"+path+"}")
	return out
}

// gpu-node-01 corrupts data. The first certification goes on without it; the second asks for three nodes and stops.
func TestAreaCertificationGoesOnWithTheNodesThatPassed(t *testing.T) {
	s := newStand(t, "area-cert")
	s.must("kubectl", "apply", "-f", "examples/certification")
	s.fault("gpu-node-01", "wrong")
	s.must("argo", s.certify("workflowtemplate/certification", "first", "2")...)
	s.eventually(time.Minute, "the first has begun", func() bool { return s.field("first", ".status.phase") == "Running" })
	s.must("argo", s.certify("workflowtemplate/certification", "second", "3")...)
	s.eventually(time.Minute, "the second waits for the first", func() bool {
		return s.field("second", ".status.phase") == "Pending" && strings.Contains(s.field("second", ".status.message"), "Waiting for")
	})
	s.finished("first")
	s.finished("second")

	first, names := s.stages("first")
	require.Equal(t, []string{"nodes", "pairs", "whole"}, names)
	nodes, pairs, whole := first[0], first[1], first[2]
	require.Equal(t, v1alpha1.Fail, nodes.Verdict)
	require.Equal(t, v1alpha1.Counts{Target: 3, Passed: 2, Failed: 1}, nodes.Counts)
	require.Equal(t, v1alpha1.CauseWrongResults, group(t, nodes, "group-0").Cause, nodes.Groups)
	require.Equal(t, []string{"gpu-node-01"}, group(t, nodes, "group-0").Nodes)
	left := []string{"gpu-node-02", "gpu-node-03"}
	for _, r := range []v1alpha1.Report{pairs, whole} {
		require.Equal(t, v1alpha1.Pass, r.Verdict, r)
		require.Equal(t, left, targetOf(r))
		require.Len(t, r.Groups, 1)
		require.Equal(t, left, r.Groups[0].Nodes)
		require.Equal(t, 4, *r.Groups[0].Bandwidth.Ranks)
		require.True(t, r.Thresholds[0].Met)
	}
	require.Equal(t, "Succeeded", s.field("first", ".status.phase"), "it came to its end on as many nodes as were asked for")
	text := s.run("seatrial", "workloadrun", "report", "first")
	require.Equal(t, 1, text.code, "a stage failed")
	t.Log(text.stdout)
	require.Contains(t, text.stdout, "FAIL: failed: nodes; passed: pairs, whole\n3 nodes: 2 passed, 1 failed, 0 suspect, 0 unknown, 0 untested\n  failed   gpu-node-01")
	require.Zero(t, s.run("seatrial", "workloadrun", "report", "first", "--scope", "pairs").code)

	second, names := s.stages("second")
	require.Equal(t, []string{"nodes", "stopped"}, names, "the stop rule")
	require.Equal(t, v1alpha1.Fail, second[0].Verdict)
	require.Equal(t, v1alpha1.Unknown, second[1].Verdict)
	require.Equal(t, "Failed", s.field("second", ".status.phase"), "and never in green")
	require.False(t, second[0].Started.Before(*whole.Finished), "the mutex: %s, %s", second[0].Started, whole.Finished)

	listed := s.must("seatrial", "workloadrun", "list")
	require.Regexp(t, `(?m)^first +Succeeded +fail`, listed)
	require.Regexp(t, `(?m)^second +Failed +fail`, listed)
	for _, workflow := range []string{"first", "second"} {
		s.noPodLeft(workflow)
	}
	t.Log(s.must("argo", "get", "first"))
	s.must("argo", "delete", "first")
	s.eventually(time.Minute, "the kept report outlives the workflow", func() bool {
		out := s.run("seatrial", "workloadrun", "report", "first")
		return out.stdout == text.stdout && strings.Contains(out.stderr, "this is the report that it left")
	})
}

func TestAreaCertificationEveryNightPassesOnGoodNodes(t *testing.T) {
	s := newStand(t, "area-cron")
	s.must("kubectl", "apply", "-f", "examples/certification")
	require.Contains(t, s.must("argo", "cron", "list"), "certification-nightly")
	s.must("argo", append(s.certify("cronwf/certification-nightly", "nightly", "3"), "--wait")...)
	reports, names := s.stages("nightly")
	require.Equal(t, []string{"nodes", "pairs", "whole"}, names)
	for i, r := range reports {
		require.Equal(t, v1alpha1.Pass, r.Verdict, r)
		require.Equal(t, v1alpha1.Counts{Target: 3, Passed: 3}, r.Counts)
		require.Len(t, r.Groups, 3-i)
	}
	require.Zero(t, s.run("seatrial", "workloadrun", "report", "nightly").code)
	require.Equal(t, "seatrial-certification", s.field("nightly", ".status.storedWorkflowTemplateSpec.synchronization.mutexes[0].name"))
	s.noPodLeft("nightly")
}
