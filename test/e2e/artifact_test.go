//go:build cluster

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// artifactRepository is Argo's way to give one namespace an artifact repository of its own.
const artifactRepository = `apiVersion: v1
kind: ConfigMap
metadata:
  name: artifact-repositories
  annotations: {workflows.argoproj.io/default-artifact-repository: s3}
data:
  s3: |
    archiveLogs: false
    s3:
      endpoint: %s
      insecure: true
      bucket: reports
      region: us-east-1
      keyFormat: "{{workflow.name}}/{{pod.name}}"
      accessKeySecret: {name: s3, key: user}
      secretKeySecret: {name: s3, key: password}
---
apiVersion: v1
kind: Secret
metadata: {name: s3}
stringData: {user: anybody, password: not-a-secret}
`

// store runs an S3 store in the cluster's network until the test ends. What it stores is in the folder.
func (s *stand) store(port int) (endpoint, folder string) {
	s.t.Helper()
	root := repository(s.t)
	program := filepath.Join(root, "bin", "s3")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join(root, "test", "s3")
	out, err := build.CombinedOutput()
	require.NoError(s.t, err, string(out))
	folder = s.t.TempDir()
	// The host's address, at which pods reach what runs on it: Trainer's webhook as well.
	host := s.must("kubectl", "get", "endpointslices", "--all-namespaces", "-l", "kubernetes.io/service-name=kubeflow-trainer-controller-manager", "-o", "jsonpath={.items[0].endpoints[0].addresses[0]}")
	endpoint = fmt.Sprintf("%s:%d", host, port)
	server := exec.Command(filepath.Join(root, "bin", "cluster"), "exec", "--", program, "-listen", endpoint, "-folder", folder)
	var log strings.Builder
	server.Stderr = &log
	server.Dir = root
	require.NoError(s.t, server.Start())
	s.t.Cleanup(func() {
		require.NoError(s.t, server.Process.Kill())
		_ = server.Wait() // it was killed
		if s.t.Failed() {
			s.t.Log(log.String())
		}
	})
	return endpoint, folder
}

func TestAreaCertificationTheReportsAreArtifacts(t *testing.T) {
	s := newStand(t, "area-artifacts")
	endpoint, folder := s.store(9300)
	file := filepath.Join(t.TempDir(), "repository.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, artifactRepository, endpoint), 0o600))
	s.must("kubectl", "apply", "-f", file)

	r := s.run("seatrial", "workloadrun", "run", "examples/demo/exec-script.yaml", "--artifacts", "--wait")
	require.Zero(t, r.code, r.stdout+r.stderr)
	for name, format := range map[string]string{"report.html": "html", "report.json": "json", "junit.xml": "junit"} {
		files, err := filepath.Glob(filepath.Join(folder, "exec-script", "*", name))
		require.NoError(t, err)
		require.Len(t, files, 1, "it is stored")
		stored, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.Equal(t, s.must("seatrial", "workloadrun", "report", "exec-script", "-o", format), string(stored), "byte for byte what the command prints")
	}
	// What the UI reads: the artifact, by name, is in the node of finish with its key.
	keys := s.must("kubectl", "get", "workflow", "exec-script", "-o", `jsonpath={.status.nodes.*.outputs.artifacts[?(@.name=="report-html")].s3.key}`)
	require.Regexp(t, `^exec-script/[^ ]*/report\.html`, keys)

	// A run that does not ask for artifacts leaves none, in the same namespace.
	r = s.run("seatrial", "workloadrun", "run", "examples/demo/exec-script.yaml", "--name", "silent", "--wait")
	require.Zero(t, r.code, r.stdout+r.stderr)
	require.NoDirExists(t, filepath.Join(folder, "silent"))
	s.metrics(t)
}

// metrics are what Argo's controller counts, with a prefix of its own, on its port 9090. It runs on the host, which every node is.
func (s *stand) metrics(t *testing.T) {
	t.Helper()
	counted := s.must("kubectl", "get", "--raw", "/api/v1/nodes/https:gpu-node-01:9090/proxy/metrics")
	require.Regexp(t, `(?m)^argo_workflows_seatrial_runs_total\{framework="exec",verdict="pass"[^}]*\} [1-9]`, counted)
	require.Regexp(t, `(?m)^argo_workflows_seatrial_nodes_passed_total\{framework="exec"[^}]*\} [1-9]`, counted)
}
