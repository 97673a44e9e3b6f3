//go:build cluster

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// stand is one test's place on the cluster: a namespace with Seatrial's manifests.
type stand struct {
	t         *testing.T
	namespace string
	faults    string
	// seen are the pods of the last run that a test watched, by name.
	seen map[string]corev1.Pod
}

// newStand lets other tests run beside this one, and installs the manifests into a namespace of the test's own, which goes with the test.
func newStand(t *testing.T, namespace string) *stand {
	t.Helper()
	t.Parallel() // make test-cluster runs three at a time
	return aloneStand(t, namespace)
}

// aloneStand is newStand for a test that changes what others see, such as the cluster's nodes: those run before all others.
func aloneStand(t *testing.T, namespace string) *stand {
	t.Helper()
	s := &stand{t: t, namespace: namespace, faults: filepath.Join("/run/seatrial-faults", namespace)}
	t.Cleanup(func() {
		if t.Failed() {
			s.dump()
		}
		s.try("kubectl", "delete", "workflows", "--all", "--wait=false")
		s.try("kubectl", "delete", "namespace", namespace, "--timeout=120s")
		require.NoError(t, os.RemoveAll(s.faults))
	})
	root := repository(t)
	overlay := t.TempDir()
	relative, err := filepath.Rel(overlay, filepath.Join(root, "manifests", "namespace"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte(overlayText(namespace, relative)), 0o600))
	s.must("kubectl", "apply", "-k", overlay)
	return s
}

func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	return root
}

// dump shows what a failed test leaves: workflows with their nodes' messages, pods, and the plugin's log.
func (s *stand) dump() {
	for _, c := range [][]string{
		{"kubectl", "get", "workflows,pods,trainjobs,jobsets", "-o", "wide"},
		{"kubectl", "get", "events", "--sort-by=.lastTimestamp"},
		{"kubectl", "logs", "-l", "workflows.argoproj.io/component=agent", "--all-containers", "--tail=100", "--prefix"},
	} {
		out, _ := s.try(c[0], c[1:]...)
		s.t.Logf("%s:\n%s", strings.Join(c, " "), out)
	}
	names, _ := s.try("kubectl", "get", "workflows", "-o", "name")
	for _, name := range strings.Fields(names) {
		name = strings.TrimPrefix(name, "workflow.argoproj.io/")
		out, _ := s.try("argo", "get", name)
		report := s.run("seatrial", "workloadrun", "report", name)
		s.t.Log(out, report.stdout, report.stderr) // the report last: the end of a long output is what is kept of it
	}
}

// result is what a command did.
type result struct {
	stdout, stderr string
	code           int
}

// run runs a command inside the cluster's network, for ten minutes at most. kubectl, argo and seatrial work in the test's namespace.
func (s *stand) run(command string, args ...string) result {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	root := repository(s.t)
	if command == "seatrial" {
		command = filepath.Join(root, "bin", "seatrial")
	}
	if !slices.Contains(args, "--all-namespaces") {
		end := slices.Index(args, "--") // what follows is not the command's own
		if end < 0 {
			end = len(args)
		}
		args = slices.Insert(slices.Clone(args), end, "-n", s.namespace)
	}
	argv := append([]string{"exec", "--", command}, args...)
	c := exec.CommandContext(ctx, filepath.Join(root, "bin", "cluster"), argv...)
	c.Dir = root
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(s.t, err)
	}
	return result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

func (s *stand) must(command string, args ...string) string {
	s.t.Helper()
	r := s.run(command, args...)
	require.Zero(s.t, r.code, "%s %s\n%s%s", command, strings.Join(args, " "), r.stdout, r.stderr)
	return r.stdout
}

func (s *stand) try(command string, args ...string) (string, int) {
	s.t.Helper()
	r := s.run(command, args...)
	return r.stdout + r.stderr, r.code
}

// eventually waits until ok, looking every second.
func (s *stand) eventually(within time.Duration, what string, ok func() bool) {
	s.t.Helper()
	require.Eventually(s.t, ok, within, time.Second, what)
}

// report reads the report of a finished workflow.
func (s *stand) report(name string) v1alpha1.Report {
	s.t.Helper()
	out := s.run("seatrial", "workloadrun", "report", name, "-o", "json")
	report := v1alpha1.Report{}
	require.NoError(s.t, json.Unmarshal([]byte(out.stdout), &report), "%s%s", out.stdout, out.stderr)
	return report
}

// noPodLeft waits until no pod of a workflow's groups exists.
func (s *stand) noPodLeft(workflow string) {
	s.t.Helper()
	s.eventually(2*time.Minute, "no pod of the run is left", func() bool {
		out, code := s.try("kubectl", "get", "pods,trainjobs", "-l", "seatrial.dev/workflow="+workflow, "-o", "name")
		return code == 0 && strings.TrimSpace(out) == ""
	})
}

// fault makes one node bad for this test, with a fault of the test image (test/image/src/fault.c); "" makes it good again.
func (s *stand) fault(node, fault string) {
	s.t.Helper()
	folder := filepath.Join(s.faults, node)
	require.NoError(s.t, os.MkdirAll(folder, 0o755))
	file := filepath.Join(folder, "fault")
	if fault == "" {
		require.NoError(s.t, os.Remove(file))
		return
	}
	require.NoError(s.t, os.WriteFile(file, []byte(fault), 0o644))
}

// runFile is a WorkloadRun, in pairs with one GPU each unless it says otherwise, whose workers find the faults of their node.
type runFile struct {
	Name     string
	NumNodes int
	// GPUs of each node; 0 means one.
	GPUs       int
	Timeout    string
	Threshold  string
	Env        map[string]string
	Measure    bool
	MinMessage string
	// Memory is the launcher's limit; empty for none.
	Memory string
}

func (s *stand) write(f runFile) string {
	s.t.Helper()
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata:\n  name: %s\nspec:", f.Name)
	b.WriteString(s.spec(f, "  "))
	file := filepath.Join(s.t.TempDir(), f.Name+".yaml")
	require.NoError(s.t, os.WriteFile(file, []byte(b.String()), 0o600))
	return file
}

func (s *stand) spec(f runFile, indent string) string {
	if f.NumNodes == 0 {
		f.NumNodes = 2
	}
	if f.GPUs == 0 {
		f.GPUs = 1
	}
	if f.MinMessage == "" {
		f.MinMessage = "8"
	}
	limits := ""
	if f.Memory != "" {
		limits = fmt.Sprintf(", limits: {memory: %s}", f.Memory)
	}
	var b strings.Builder
	p := func(format string, args ...any) {
		for _, line := range strings.Split(fmt.Sprintf(format, args...), "\n") {
			fmt.Fprintf(&b, "%s%s\n", indent, line)
		}
	}
	p(`image: nvcr.io/nvidia/pytorch:26.01-py3
framework:
  mpi:
    mpirunPath: /usr/local/mpi/bin/mpirun
    binary: /usr/local/bin/all_reduce_perf_mpi
    args: ["-b", %q, "-e", "32G", "-f", "2", "-n", "100"]
numNodes: %d
gpusPerNode: %d`, f.MinMessage, f.NumNodes, f.GPUs)
	if f.Timeout != "" {
		p("orchestration:\n  timeoutPerJob: %s", f.Timeout)
	}
	if f.Threshold != "" {
		p("thresholds:\n  busBandwidthGBps: %q", f.Threshold)
	}
	if f.Measure {
		p("bandwidthMeasurement:\n  logProfileRef: nccl-bandwidth\n  testType: all_reduce")
	}
	if len(f.Env) > 0 {
		p("env:")
		for name, value := range f.Env {
			p("- name: %s\n  value: %q", name, value)
		}
	}
	p(`overrides:
- when: {}
  dependencies:
  - apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainingRuntime
    metadata:
      name: %s-runtime
    spec:
      template:
        spec:
          replicatedJobs:
          - name: launcher
            template: {spec: {template: {spec: {containers: [{name: node, resources: {requests: {cpu: 50m, memory: 32Mi}%s}}]}}}}
          - name: node
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: node
                      env: [{name: SEATRIAL_TEST_NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
                      volumeMounts: [{name: faults, mountPath: /run/seatrial-test, subPathExpr: $(SEATRIAL_TEST_NODE)}]
                    volumes: [{name: faults, hostPath: {path: %s, type: DirectoryOrCreate}}]`, f.Name, limits, s.faults)
	return b.String()
}

func group(t *testing.T, r v1alpha1.Report, name string) v1alpha1.GroupResult {
	t.Helper()
	for _, g := range r.Groups {
		if g.Name == name {
			return g
		}
	}
	require.Failf(t, "no such group", "%s is not in %v", name, r.Groups)
	return v1alpha1.GroupResult{}
}

// overlayText is the kustomization of manifests/README.md for another namespace.
func overlayText(namespace, base string) string {
	return fmt.Sprintf(`apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: %[1]s
resources: [%[2]s]
patches:
  - target: {kind: ClusterRoleBinding, name: seatrial-nodes.seatrial}
    options: {allowNameChange: true}
    patch: |
      - {op: replace, path: /metadata/name, value: seatrial-nodes.%[1]s}
`, namespace, base)
}
