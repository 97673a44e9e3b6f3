//go:build cluster

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// odd gives every worker a volume more (mounts merge by its name) and an init container that find their node's own troubles: `data` of the node's folder that is no
// folder cannot be mounted below, and an init container waits while there is `slow`.
const odd = `
- when: {}
  dependencies:
  - apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainingRuntime
    metadata:
      name: RUN-runtime
    spec:
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  spec:
                    initContainers:
                    - name: stage-data
                      image: nvcr.io/nvidia/pytorch:26.01-py3
                      command: [sh, -c, "trap 'exit 0' TERM; while test -e /run/seatrial-test/slow; do sleep 1; done"]
                      env: [{name: SEATRIAL_TEST_NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
                      volumeMounts: [{name: troubles, mountPath: /run/seatrial-test, subPathExpr: $(SEATRIAL_TEST_NODE)}]
                    containers:
                    - name: node
                      volumeMounts: [{name: troubles, mountPath: /data, subPathExpr: $(SEATRIAL_TEST_NODE)/data/set}]
                    volumes: [{name: troubles, hostPath: {path: FOLDER, type: DirectoryOrCreate}}]`

// writeOdd writes a run file whose workers meet the troubles of their nodes.
func (s *stand) writeOdd(f runFile) string {
	s.t.Helper()
	file := s.write(f)
	text, err := os.ReadFile(file)
	require.NoError(s.t, err)
	require.Contains(s.t, string(text), "\n  overrides:\n")
	more := strings.NewReplacer("RUN", f.Name, "FOLDER", s.faults, "\n", "\n  ").Replace(odd)
	require.NoError(s.t, os.WriteFile(file, []byte(strings.TrimRight(string(text), "\n")+more+"\n"), 0o600))
	return file
}

// trouble puts a file into a node's folder.
func (s *stand) trouble(node, name string) {
	s.t.Helper()
	folder := filepath.Join(s.faults, node)
	require.NoError(s.t, os.MkdirAll(folder, 0o755))
	require.NoError(s.t, os.WriteFile(filepath.Join(folder, name), nil, 0o644))
}

// Three groups of one node each, side by side: a worker whose volume cannot be mounted, one whose sshd is stopped, and one that is slow to
// start. Each is named with its cause in its group's message and in the report, and nobody else is.
func TestAWorkerThatDoesNotAnswerIsNamedWithItsCause(t *testing.T) {
	s := newStand(t, "smoke-probe")
	s.trouble("gpu-node-01", "data")
	s.fault("gpu-node-02", "nosshd")
	s.trouble("gpu-node-03", "slow")
	r := s.run("seatrial", "workloadrun", "run", s.writeOdd(runFile{Name: "late", NumNodes: 1, Timeout: "2m"}), "--wait")
	require.Equal(t, 1, r.code, r.stdout+r.stderr)

	report := s.report("late")
	require.Len(t, report.Groups, 3)
	for node, want := range map[string]struct {
		cause   v1alpha1.Cause
		state   v1alpha1.ProbeState
		message string
	}{
		"gpu-node-01": {v1alpha1.CauseVolume, v1alpha1.ProbeVolume, "subPath"},
		"gpu-node-02": {v1alpha1.CauseWorkerNotStarted, v1alpha1.ProbeRefused, "its sshd did not answer: refused, connection refused"},
		"gpu-node-03": {v1alpha1.CauseWorkerNotStarted, v1alpha1.ProbeInit, "init container stage-data has not ended"},
	} {
		g := groupOf(t, report, node)
		require.Equal(t, v1alpha1.Fail, g.Verdict, g.Message)
		require.Equal(t, want.cause, g.Cause, g.Message)
		require.Contains(t, g.Message, want.message)
		require.Len(t, g.Probe, 1, g.Message)
		require.Equal(t, want.state, g.Probe[0].State, g.Probe[0].Reason)
		require.Contains(t, r.stdout, "sshd of "+node+": "+string(want.state)+", ")
	}
	require.Len(t, groupOf(t, report, "gpu-node-02").Blamed, 1)
	require.Empty(t, groupOf(t, report, "gpu-node-01").Blamed)
	require.Empty(t, groupOf(t, report, "gpu-node-03").Blamed)
	require.Contains(t, s.must("argo", "get", "late", "-o", "json"), "not every worker answered sshd: 0 of 1 workers answered; gpu-node-01: volume, ")
	s.noPodLeft("late")
}

func TestAnImageThatDoesNotExistIsNamed(t *testing.T) {
	s := newStand(t, "smoke-image")
	file := s.write(runFile{Name: "image", NumNodes: 3, Timeout: "1m"})
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	const missing = "seatrial.dev/no-such-image:1"
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "nvcr.io/nvidia/pytorch:26.01-py3", missing)), 0o600))
	r := s.run("seatrial", "workloadrun", "run", file, "--wait")
	require.Equal(t, 1, r.code, r.stdout+r.stderr)
	g := group(t, s.report("image"), "group-0")
	require.Equal(t, v1alpha1.CauseImagePull, g.Cause, g.Message)
	require.Contains(t, g.Message, missing)
	require.Empty(t, g.Blamed)
	require.Len(t, g.Probe, 3)
	for _, p := range g.Probe {
		require.Equal(t, v1alpha1.ProbeImagePull, p.State, p.Reason)
	}
	s.noPodLeft("image")
}

// groupOf is the group of one node.
func groupOf(t *testing.T, r v1alpha1.Report, node string) v1alpha1.GroupResult {
	t.Helper()
	for _, g := range r.Groups {
		if len(g.Nodes) == 1 && g.Nodes[0] == node {
			return g
		}
	}
	require.Failf(t, "no such group", "of %s in %v", node, r.Groups)
	return v1alpha1.GroupResult{}
}
