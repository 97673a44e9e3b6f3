//go:build cluster

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// paper is a node without a kubelet: an object that a test makes and deletes. It is cordoned to the scheduler by a taint, so
// that no pod of another test lands on it, and the plan of the test ends before any pod.
type paper struct {
	name, providerID, product string
	labels, resources         map[string]string
}

// paper creates the node and makes it Ready by its status. spec.providerID cannot be changed once it is set, so each platform
// has nodes of its own.
func (s *stand) paper(p paper) {
	s.t.Helper()
	labels := map[string]string{
		"kubernetes.io/hostname": p.name, "nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": p.product, "seatrial.dev/e2e": s.namespace,
	}
	for k, v := range p.labels {
		labels[k] = v
	}
	object, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": p.name, "labels": labels},
		"spec": map[string]any{"providerID": p.providerID, "taints": []map[string]string{{"key": "seatrial.dev/paper", "effect": "NoSchedule"}}},
	})
	require.NoError(s.t, err)
	file := filepath.Join(s.t.TempDir(), p.name+".json")
	require.NoError(s.t, os.WriteFile(file, object, 0o600))
	s.must("kubectl", "create", "-f", file)
	s.t.Cleanup(func() { s.try("kubectl", "delete", "node", p.name, "--wait=false") })
	s.ready(p)
}

// ready says that the node is Ready. The node controller takes that back within a minute of a heartbeat that it has not seen
// before, unless another one comes: no kubelet sends one.
func (s *stand) ready(p paper) {
	s.t.Helper()
	out, code := s.heartbeat(p)
	require.Zero(s.t, code, out)
}

func (s *stand) heartbeat(p paper) (string, int) {
	now := time.Now().UTC().Format(time.RFC3339)
	status, err := json.Marshal(map[string]any{"status": map[string]any{
		"conditions":  []map[string]string{{"type": "Ready", "status": "True", "reason": "Paper", "lastHeartbeatTime": now, "lastTransitionTime": now}},
		"allocatable": p.resources, "capacity": p.resources,
	}})
	if err != nil {
		return err.Error(), 1
	}
	return s.try("kubectl", "patch", "node", p.name, "--subresource=status", "--type=merge", "-p", string(status))
}

// alive keeps nodes Ready until the function that it returns is called.
func (s *stand) alive(nodes ...paper) (stop func()) {
	s.t.Helper()
	for _, p := range nodes {
		s.ready(p)
	}
	quit := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-quit:
				return
			case <-time.After(15 * time.Second):
			}
			for _, p := range nodes {
				if out, code := s.heartbeat(p); code != 0 {
					s.t.Logf("the heartbeat of %s: %s", p.name, out)
				}
			}
		}
	})
	return func() {
		close(quit)
		wait.Wait()
	}
}

// plan submits a run that ends after its plan, on the nodes with the labels, and returns its report. The nodes given are kept Ready.
func (s *stand) plan(name string, selector map[string]string, nodes ...paper) v1alpha1.Report {
	s.t.Helper()
	labels, err := json.Marshal(selector)
	require.NoError(s.t, err)
	defer s.alive(nodes...)()
	args := []string{"submit", "--from", "workflowtemplate/workloadrun-mpi", "--name", name, "--wait",
		"-p", "planOnly=true", "-p", "image=i", "-p", "numNodes=1", "-p", "mpirunPath=/m", "-p", "binary=/b", "-p", "nodeSelector=" + string(labels)}
	r := s.run("argo", args...)
	require.Equal(s.t, 1, r.code, "a plan is no pass: %s%s", r.stdout, r.stderr)
	return s.report(name)
}

// onNode writes the file of a run on one node.
func (s *stand) onNode(name string) string {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "run.yaml")
	require.NoError(s.t, os.WriteFile(file, []byte(fmt.Sprintf(`apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: rendered}
spec:
  image: i
  numNodes: 1
  framework: {mpi: {mpirunPath: /m, binary: /b}}
  target: {nodeSelector: {kubernetes.io/hostname: %s}}
`, name)), 0o600))
	return file
}

// renders shows what a run would create on a node: as the live cluster has it with --dry-run, and from files that hold the same.
// Both must be one text.
func (s *stand) renders(p paper) string {
	s.t.Helper()
	run, nodes := s.onNode(p.name), filepath.Join(s.t.TempDir(), "nodes.json")
	defer s.alive(p)()
	require.NoError(s.t, os.WriteFile(nodes, []byte(s.must("kubectl", "get", "nodes", "-l", "kubernetes.io/hostname="+p.name, "-o", "json")), 0o600))
	live := s.must("seatrial", "workloadrun", "render", run, "--dry-run", "--what", "objects")
	filed := s.must("seatrial", "workloadrun", "render", run, "--nodes", nodes, "--what", "objects")
	require.Equal(s.t, filed, live)
	return live
}

func uses(r v1alpha1.Report) []string {
	var names []string
	for _, f := range r.Fragments {
		names = append(names, f.Name)
	}
	return names
}

func TestAreaPlatforms(t *testing.T) {
	s := aloneStand(t, "area-platforms") // other runs would take the nodes for theirs
	gpus := map[string]string{"nvidia.com/gpu": "8", "pods": "0", "cpu": "1", "memory": "1Gi"}
	with := func(resource, count string) map[string]string {
		all := map[string]string{resource: count}
		for k, v := range gpus {
			all[k] = v
		}
		return all
	}
	nodes := map[string]paper{}
	for _, c := range []struct {
		paper
		platform  string
		fragments []string
		// sets is a part of the objects that only the platform's fragments make.
		sets string
	}{
		{paper{"paper-aws", "aws:///us-east-1a/i-0", "NVIDIA-H100-80GB-HBM3", nil, gpus}, "aws", []string{"defaults", "aws", "aws-mpi"}, "NCCL_NET_PLUGIN=none"},
		{paper{"paper-aws-efa", "aws:///us-east-1a/i-1", "NVIDIA-H100-80GB-HBM3", nil, with("vpc.amazonaws.com/efa", "32")}, "aws", []string{"defaults", "aws-efa"}, `vpc.amazonaws.com/efa: "32"`},
		{paper{"paper-gcp", "gce://p/z/n", "NVIDIA-H100-80GB-HBM3", nil, gpus}, "gcp", []string{"defaults", "gcp-h100"}, "tcpxo"},
		{paper{"paper-azure", "azure:///s", "NVIDIA-A100-SXM4-80GB", nil, gpus}, "azure", []string{"defaults", "nic", "azure", "azure-topology-file", "azure-a100"}, "azure-a100-topo"},
		{paper{"paper-oci", "ocid1.instance.x", "NVIDIA-GB200", nil, gpus}, "oci", []string{"defaults", "gb200-computedomain", "oci", "oci-mpi", "oci-gb200"}, "kind: ComputeDomain"},
		{paper{"paper-onprem", "", "NVIDIA-B300-SXM6-AC", nil, with("rdma/ib", "8")}, "onprem", []string{"defaults", "nic", "onprem-hgx", "onprem-hgx-mpi"}, `rdma/ib: "8"`},
		{paper{"paper-together", "kubevirt://vm", "NVIDIA-B200", map[string]string{"node-role.together.ai/worker": ""}, gpus}, "togetherai", []string{"defaults", "nic"}, `nvidia.com/mlnxnics: "8"`},
		{paper{"paper-mistral", "metal3://ns/h", "NVIDIA-GB300", nil, gpus}, "mistral", []string{"defaults", "gb200-computedomain", "mistral-gb300", "mistral-gb300-env"}, "kind: ComputeDomain"},
		{paper{"paper-forge", "", "NVIDIA-L40", map[string]string{"nke.nvidia.com/site-name": "x"}, gpus}, "forge", []string{"defaults", "nic", "forge-l40"}, `nvidia.com/mlnxnics: "4"`},
		{paper{"paper-nscale", "nscale://n", "NVIDIA-B200", nil, gpus}, "nscale", []string{"defaults", "nscale", "nscale-rdma"}, "deviceClassName: rdma.nscale.com"},
	} {
		s.paper(c.paper)
		nodes[c.name] = c.paper
		r := s.plan(strings.TrimPrefix(c.name, "paper-"), map[string]string{"kubernetes.io/hostname": c.name}, c.paper)
		require.Equal(t, c.platform, r.Platform, r.Message)
		require.Equal(t, c.fragments, uses(r), r.Message)
		require.Contains(t, s.renders(c.paper), c.sets, "render --dry-run of %s", c.name)
	}
	t.Run("mixed platforms fail", func(t *testing.T) {
		r := s.plan("mixed", map[string]string{"seatrial.dev/e2e": s.namespace}, nodes["paper-aws"], nodes["paper-gcp"])
		require.Contains(t, r.Message, "HeterogeneousPlatform")
	})
	t.Run("a fragment that is edited changes the next run, and the report says so", func(t *testing.T) {
		before := s.plan("before", map[string]string{"kubernetes.io/hostname": "paper-gcp"}, nodes["paper-gcp"])
		s.must("kubectl", "patch", "workflowtemplate", "platform-gcp-h100", "--type=json", "-p",
			`[{"op": "add", "path": "/spec/templates/0/plugin/seatrial/fragment/env/-", "value": {"name": "SITE", "value": "1"}}]`)
		after := s.plan("after", map[string]string{"kubernetes.io/hostname": "paper-gcp"}, nodes["paper-gcp"])
		require.Equal(t, uses(before), uses(after))
		require.Equal(t, before.Fragments[0], after.Fragments[0])
		require.NotEqual(t, before.Fragments[1].ResourceVersion, after.Fragments[1].ResourceVersion)
		defer s.alive(nodes["paper-gcp"])()
		live := s.must("seatrial", "workloadrun", "render", s.onNode("paper-gcp"), "--dry-run", "--what", "objects")
		require.Contains(t, live, "SITE=1", "render --dry-run reads the fragments of the cluster")
	})
	t.Run("a fragment checks itself", func(t *testing.T) {
		r := s.run("argo", "submit", "--from", "workflowtemplate/platform-aws-gb300", "--name", "itself", "--wait")
		require.Zero(t, r.code, r.stdout+r.stderr)
		require.Contains(t, s.must("kubectl", "get", "workflow", "itself", "-o", "yaml"), "ResourceClaimTemplate [[ .run ]]-roce")
	})
	t.Run("a broken one fails the run with its name and line", func(t *testing.T) {
		s.must("kubectl", "patch", "workflowtemplate", "platform-oci", "--type=json", "-p",
			`[{"op": "add", "path": "/spec/templates/0/plugin/seatrial/fragment/orders", "value": 1}]`)
		r := s.plan("broken", map[string]string{"kubernetes.io/hostname": "paper-gcp"}, nodes["paper-gcp"])
		line := 0
		for i, text := range strings.Split(s.must("kubectl", "get", "workflowtemplate", "platform-oci", "-o", "yaml"), "\n") {
			if strings.HasSuffix(text, " orders: 1") {
				line = i + 1
			}
		}
		require.Contains(t, r.Message, fmt.Sprintf("BuildFailed: platform-oci:%d: orders: unknown field", line))
		s.must("kubectl", "patch", "workflowtemplate", "platform-oci", "--type=json", "-p",
			`[{"op": "remove", "path": "/spec/templates/0/plugin/seatrial/fragment/orders"}]`)
	})
}

// onAWS shows in its log what only the platform's fragment gives the ranks.
const onAWS = `apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata:
  name: on-aws
spec:
  image: nvcr.io/nvidia/pytorch:26.01-py3
  framework:
    mpi:
      mpirunPath: /usr/local/mpi/bin/mpirun
      binary: /config/show.sh
  numNodes: 2
  gpusPerNode: 1
  config:
    inline:
      show.sh: |
        #!/bin/sh
        echo "rank $OMPI_COMM_WORLD_RANK plugin=$NCCL_NET_PLUGIN"
`

// The nodes of this area's cluster have their providerID from the kubelet, and nothing in the file names a platform.
func TestAreaPlatformsRunsOnWhatTheKubeletSays(t *testing.T) {
	s := newStand(t, "area-provider")
	require.Contains(t, s.must("kubectl", "get", "node", "gpu-node-01", "-o", "jsonpath={.spec.providerID}"), "aws:///")
	r := s.run("seatrial", "workloadrun", "run", s.file(onAWS), "--wait", "--cleanup", "never")
	require.Zero(t, r.code, r.stdout+r.stderr)
	report := s.report("on-aws")
	require.Equal(t, "aws", report.Platform)
	require.Equal(t, []string{"defaults", "aws", "aws-mpi"}, uses(report))
	logs := s.must("seatrial", "workloadrun", "logs", "on-aws", "--group", "group-0")
	for _, rank := range []string{"0", "1"} {
		require.Contains(t, logs, "rank "+rank+" plugin=none")
	}
}

// stubDomains is the part of NVIDIA's CRD that the objects need: the API server must know the kind, and nobody acts on it.
const stubDomains = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: computedomains.resource.nvidia.com}
spec:
  group: resource.nvidia.com
  names: {kind: ComputeDomain, listKind: ComputeDomainList, plural: computedomains, singular: computedomain}
  scope: Namespaced
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [numNodes, channel]
            properties:
              numNodes: {type: integer}
              channel:
                type: object
                properties:
                  allocationMode: {type: string, enum: [Single, All]}
                  resourceClaimTemplate: {type: object, properties: {name: {type: string}}}
`

// The DRA objects of a group are accepted by a real API server, are there before its job and go after its pods. The job of the
// test takes no claim, since nothing here makes one: an override adds the objects alone.
func TestAreaPlatformsClaims(t *testing.T) {
	s := newStand(t, "area-claims")
	file := filepath.Join(t.TempDir(), "crd.yaml")
	require.NoError(t, os.WriteFile(file, []byte(stubDomains), 0o600))
	s.must("kubectl", "apply", "-f", file)
	s.must("kubectl", "wait", "--for=condition=Established", "crd/computedomains.resource.nvidia.com", "--timeout=60s")
	run := s.write(runFile{Name: "claims"})
	text, err := os.ReadFile(run)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(run, append(text, []byte(`  - when: {}
    dependencies:
    - apiVersion: resource.nvidia.com/v1beta1
      kind: ComputeDomain
      metadata: {name: claims-domain}
      spec: {numNodes: 2, channel: {allocationMode: Single, resourceClaimTemplate: {name: claims-channel}}}
    - apiVersion: resource.k8s.io/v1
      kind: ResourceClaimTemplate
      metadata: {name: claims-roce}
      spec: {spec: {devices: {requests: [{name: roce, exactly: {deviceClassName: roce.example, count: 8}}]}}}
`)...), 0o600))
	s.must("seatrial", "workloadrun", "run", run)
	dra := func() string {
		out, _ := s.try("kubectl", "get", "computedomains,resourceclaimtemplates", "-o", "name")
		return strings.TrimSpace(out)
	}
	pods := func() string {
		out, _ := s.try("kubectl", "get", "pods", "-l", "jobset.sigs.k8s.io/jobset-name", "-o", "name")
		return strings.TrimSpace(out)
	}
	s.eventually(2*time.Minute, "the first pod", func() bool { return pods() != "" })
	require.NotEmpty(t, dra(), "they are there before the pods")
	early := false // require must not end a goroutine of eventually's
	s.eventually(5*time.Minute, "the last pod's end", func() bool {
		before := dra()
		gone := pods() == ""
		early = early || !gone && before == ""
		return gone || early
	})
	require.False(t, early, "a domain went before the pods")
	s.eventually(time.Minute, "the end of the claims", func() bool { return dra() == "" })
	s.finished("claims")
	require.Equal(t, v1alpha1.Pass, s.report("claims").Verdict)
}
