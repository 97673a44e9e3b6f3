//go:build cluster

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/test/e2e/overlay"
)

// The examples that are more than a file for `workloadrun run`.

func TestAreaExamplesGate(t *testing.T) {
	s := newStand(t, "area-gate")
	folder := t.TempDir()
	root := repository(t)
	// The gate calls seatrial as CI has it; here it works in the test's namespace.
	wrapper := "#!/bin/sh\nexec " + filepath.Join(root, "bin", "seatrial") + ` "$@" -n ` + s.namespace + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "seatrial"), []byte(wrapper), 0o755))
	gate := func(job, patch string) int {
		file := s.fit("examples/ci-gate/run.yaml", patch+"\n  orchestration: {timeoutPerJob: 5m}\n  target: {nodeNames: [gpu-node-01, gpu-node-02]}")
		r := s.run("sh", "-c", "cd "+folder+" && PATH=$PWD:$PATH CI_JOB_ID="+job+" sh "+filepath.Join(root, "examples/ci-gate/gate.sh")+" "+file)
		t.Log(r.stdout + r.stderr)
		return r.code
	}
	require.Equal(t, 0, gate("1", "spec:\n  thresholds: {busBandwidthGBps: value >= 0.001}"))
	for name, holds := range map[string]string{"junit.xml": "<testsuites", "report.html": "<html"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Contains(t, string(text), holds)
	}
	require.Equal(t, 1, gate("2", "spec:"), "the example's own 350 GB/s, which a CPU does not reach")
	require.Equal(t, 2, gate("3", "spec:\n  image: \"\""))
}

func TestAreaExamplesChain(t *testing.T) {
	s := newStand(t, "area-chain")
	text, err := os.ReadFile(filepath.Join(repository(t), "examples/chain/workflow.yaml"))
	require.NoError(t, err)
	fitted, changes, err := overlay.Workflow(text, "chain", map[string]string{"image": "nvcr.io/nvidia/pytorch:26.01-py3", "command": `["hostname"]`}, "")
	require.NoError(t, err)
	t.Logf("examples/chain/workflow.yaml, but\n%s", changes)
	r := s.run("argo", "submit", s.file(string(fitted)), "--wait")
	require.Zero(t, r.code, r.stdout+r.stderr)

	var reports []v1alpha1.Report
	out := s.run("seatrial", "workloadrun", "report", "chain", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(out.stdout), &reports), out.stdout+out.stderr)
	require.Len(t, reports, 3)
	for _, r := range reports {
		require.Equal(t, v1alpha1.Pass, r.Verdict, r)
		require.Equal(t, v1alpha1.Counts{Target: 3, Passed: 3}, r.Counts)
	}
	s.noPodLeft("chain")
}

// The fragment of the example is on a cluster as docs/how-to/add-a-platform.md says: in a copy of a template that is there.
func TestAreaExamplesSiteFragment(t *testing.T) {
	s := newStand(t, "area-fragment")
	text, err := os.ReadFile(filepath.Join(repository(t), "examples/site-fragment/fragments/moonbase.yaml"))
	require.NoError(t, err)
	var fragment, template map[string]any
	// No pod has the interface moon0; that ranks reach each other over the one they are told is what is tried.
	require.NoError(t, yaml.Unmarshal([]byte(strings.ReplaceAll(string(text), "moon0", "eth0")), &fragment))
	require.NoError(t, yaml.Unmarshal([]byte(s.must("kubectl", "get", "workflowtemplate", "platform-aws", "-o", "yaml")), &template))
	spec, _ := template["spec"].(map[string]any)
	templates, _ := spec["templates"].([]any)
	require.Len(t, templates, 1)
	first, _ := templates[0].(map[string]any)
	plugin, _ := first["plugin"].(map[string]any)
	body, _ := plugin["seatrial"].(map[string]any)
	require.NotNil(t, body["fragment"])
	body["fragment"] = fragment
	template["metadata"] = map[string]any{"name": "platform-moonbase", "labels": map[string]any{v1alpha1.LabelFragment: "true"}}
	copied, err := yaml.Marshal(template)
	require.NoError(t, err)
	s.must("kubectl", "create", "-f", s.file(string(copied)))

	s.example("site-fragment", example{
		file: "examples/site-fragment/run.yaml", nodes: pair, flags: []string{keep}, groups: 1, size: 2,
		look: func(s *stand, name string, r v1alpha1.Report) {
			require.Contains(s.t, uses(r), "moonbase")
			line := s.must("kubectl", "get", "trainjob", name+"-group-0", "-o", "jsonpath={.spec.trainer.args}")
			require.Contains(s.t, line, `"btl_tcp_if_include","eth0"`)
			require.Contains(s.t, line, "NCCL_SOCKET_IFNAME=eth0")
		},
	})
}
