//go:build cluster

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/test/e2e/overlay"
)

// example is a WorkloadRun file that the area runs by an overlay.
type example struct {
	// file is relative to the repository.
	file string
	// nodes is --node-list, so that a group of two is the only one; "" for the file's whole target.
	nodes string
	// patch is what only this file needs; FOLDER in it is the test's folder on every node.
	patch string
	flags []string
	// groups and nodes of each; the verdict is always a pass.
	groups, size int
	// look looks at what the run left, or at its report; nil for nothing more.
	look func(s *stand, name string, r v1alpha1.Report)
}

const (
	pair  = "gpu-node-01,gpu-node-02"
	pair2 = "gpu-node-02,gpu-node-03"
	pair3 = "gpu-node-01,gpu-node-03"
	// anyBusbw can be met without a network card: a pair on two busy cores reaches 0.05 GB/s.
	anyBusbw = "spec: {thresholds: {busBandwidthGBps: value >= 0.001}}"
	// The machine has no InfiniBand: an empty folder is mounted in its place, as strictly (type: Directory).
	noDevices = `spec:
  target: {nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}}
  volumes: [{name: ib-dev, hostPath: {path: FOLDER/infiniband, type: Directory}}]
`
	// The script comes from a ConfigMap, where the example's image has it.
	torchOnCPU = `spec:
  image: seatrial.dev/test-image-torch:1
  env:
  - {name: GLOO_SOCKET_IFNAME, value: eth0}
  - {name: PET_REDIRECTS, value: "9:1"} # see torch_test.go
  - {name: PET_TEE, value: "9:1"}
  - {name: EXPECT_WORLD, value: "2"}
  volumes: [{name: scripts, configMap: {name: scripts}}]
  volumeMounts: [{name: scripts, mountPath: /workspace}]
`
	keep = "--cleanup=never"
)

// published are the files of the published page and its variants, in their order.
var published = []example{
	{file: "01-basic", nodes: pair, groups: 1, size: 2},
	{file: "02-one-node", groups: 1, size: 1, look: onNodes("gpu-node-01")},
	{file: "03-unpinned", groups: 1, size: 2, look: leaves(1)},
	{file: "04-unpinned-one-domain", groups: 1, size: 2, look: onNodes("gpu-node-01", "gpu-node-02")},
	{file: "05-env", nodes: pair2, groups: 1, size: 2},
	{file: "06-volumes-config-init", nodes: pair3, groups: 1, size: 2},
	{file: "07-host-rdma-override", nodes: pair, patch: noDevices, flags: []string{keep}, groups: 1, size: 2, look: onlyWorkersArePrivileged},
	{file: "08-bandwidth", nodes: pair2, groups: 1, size: 2},
	{file: "09-goodput", nodes: pair3, patch: torchOnCPU, flags: again, groups: 1, size: 2, look: trained(60)},
	{file: "10-gang-kai", nodes: pair, flags: []string{keep}, groups: 1, size: 2, look: inQueue("kai-scheduler", "kai.scheduler/queue", "high-priority")},
	{file: "11-gang-runai", nodes: pair2, flags: []string{keep}, groups: 1, size: 2, look: inQueue("runai-scheduler", "runai/queue", "team-a")},
	{file: "12-exec", groups: 3, size: 1},
}

// own are the folders of examples with a run.yaml that have nothing more to them.
var own = []example{
	{file: "exec-script", groups: 3, size: 1, patch: `spec:
  volumes: [{name: tools, configMap: {name: tools, defaultMode: 0755}}]
  volumeMounts: [{name: tools, mountPath: /usr/local/sbin}] # an nvidia-smi that finds a healthy GPU
`},
	{file: "host-rdma", nodes: pair3, patch: noDevices, groups: 1, size: 2},
	{file: "isolation", nodes: pair, patch: anyBusbw, flags: []string{"--isolate"}, groups: 1, size: 2},
	{file: "kai", nodes: pair2, groups: 1, size: 2},
	{file: "kueue", nodes: pair3, flags: []string{keep}, groups: 1, size: 2, look: jobsHave("kueue.x-k8s.io/queue-name=gpu-tests")}, // without Kueue the label holds nothing up
	{file: "one-node", groups: 3, size: 1},
	{file: "override", nodes: pair, flags: []string{keep}, groups: 1, size: 2, look: workersTolerate("site/burn-in")},
	{file: "pairs", nodes: pair2, patch: "spec: {target: {nodeSelector: {node.kubernetes.io/instance-type: null}}}", groups: 1, size: 2},
	{file: "rack", nodes: pair, patch: "spec: {orchestration: {topology: {topologyKey: kubernetes.io/os}}}", groups: 1, size: 2},
	{file: "pvc", nodes: pair3, groups: 1, size: 2},
	{file: "runai", nodes: pair, groups: 1, size: 2},
	{file: "thresholds", nodes: pair2, patch: anyBusbw, groups: 1, size: 2},
	{file: "torch", nodes: pair3, patch: strings.ReplaceAll(torchOnCPU, "/workspace", "/opt/megatron-lm"), flags: again, groups: 1, size: 2, look: trained(200)},
	{file: "unpinned", groups: 1, size: 2, look: onNodes("gpu-node-01", "gpu-node-02")},
}

// elsewhere are the folders that another test runs.
var elsewhere = map[string]string{
	"demo": "TestThePublishedExamplePassesInPairsOnThreeNodes", "certification": "an area of its own",
	"chain": "TestAreaExamplesChain", "ci-gate": "TestAreaExamplesGate", "site-fragment": "TestAreaExamplesSiteFragment",
}

// again: on a machine whose processors others use, steps become slower indeed, and the drift is no pass.
var again = []string{"--retry-failed-groups", "2"}

func TestAreaExamples(t *testing.T) {
	s := aloneStand(t, "area-examples")
	s.forExamples()
	folders, err := os.ReadDir(filepath.Join(repository(t), "examples"))
	require.NoError(t, err)
	for _, folder := range folders {
		_, is := elsewhere[folder.Name()]
		require.True(t, is || slices.ContainsFunc(own, func(e example) bool { return e.file == folder.Name() }), "no test runs examples/%s", folder.Name())
	}
	for _, e := range published {
		name := "seed-" + e.file
		e.file = "api/v1alpha1/testdata/examples/" + e.file + ".yaml"
		t.Run(name, func(t *testing.T) { s.within(t).example(name, e) })
	}
	for _, e := range own {
		name := e.file
		e.file = "examples/" + e.file + "/run.yaml"
		t.Run(name, func(t *testing.T) { s.within(t).example(name, e) })
	}
}

// within is the stand for a test inside of the one that made it, beside others of its kind.
func (s *stand) within(t *testing.T) *stand {
	t.Helper()
	t.Parallel()
	return &stand{t: t, namespace: s.namespace, faults: s.faults}
}

// example runs a file by its overlay under a name, and sees that it passes, is complete and leaves nothing.
func (s *stand) example(name string, e example) {
	s.t.Helper()
	args := []string{"workloadrun", "run", s.fit(e.file, e.patch), "--name", name, "--wait", "--timeout", "8m"}
	if e.nodes != "" {
		args = append(args, "--node-list", e.nodes)
	}
	seen := s.watchPods(name, slices.Contains(e.flags, keep))
	r := s.run("seatrial", append(args, e.flags...)...)
	s.seen = seen()
	if r.code != 0 {
		out, _ := s.try("argo", "get", name)
		events, _ := s.try("kubectl", "get", "events", "--sort-by=.lastTimestamp")
		s.t.Logf("%s\n%s", out, events)
	}
	require.Zero(s.t, r.code, r.stdout+r.stderr)
	report := s.report(name)
	require.Equal(s.t, v1alpha1.Pass, report.Verdict)
	require.Len(s.t, report.Groups, e.groups)
	for _, g := range report.Groups {
		require.Len(s.t, g.Nodes, e.size)
		if report.Framework == v1alpha1.FrameworkMPI {
			require.NotNil(s.t, g.Bandwidth, g.Name)
			require.Equal(s.t, e.size, *g.Bandwidth.Ranks, "one rank a node took part in %s", g.Name)
			require.True(s.t, g.Bandwidth.Checked && g.Bandwidth.Complete)
		}
	}
	if e.look != nil {
		e.look(s, name, report)
	}
	if !slices.Contains(e.flags, keep) {
		s.noPodLeft(name)
	}
}

// fit writes a run as its overlay makes it, and shows what that changes.
func (s *stand) fit(file, patch string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(repository(s.t), file))
	require.NoError(s.t, err)
	fitted, changes, err := overlay.Run(text, strings.ReplaceAll(patch, "FOLDER", s.faults))
	require.NoError(s.t, err)
	s.t.Logf("%s, but\n%s", file, changes)
	return s.file(string(fitted))
}

// forExamples makes what the files expect of a cluster: the claim, a domain of two nodes, and the scripts of other images.
func (s *stand) forExamples() {
	s.t.Helper()
	for _, folder := range []string{"infiniband", "datasets"} {
		require.NoError(s.t, os.MkdirAll(filepath.Join(s.faults, folder), 0o755))
	}
	s.must("kubectl", "label", "node", "gpu-node-01", "gpu-node-02", "nvidia.com/gpu.clique=clique-0", "--overwrite")
	s.t.Cleanup(func() { s.try("kubectl", "label", "node", "gpu-node-01", "gpu-node-02", "nvidia.com/gpu.clique-") })
	s.must("kubectl", "apply", "-f", s.file(strings.ReplaceAll(claim, "FOLDER", s.faults)))
	s.t.Cleanup(func() { s.try("kubectl", "delete", "pv", "area-examples-datasets", "--wait=false") })
	scripts := s.t.TempDir()
	for name, text := range map[string]string{"train.py": trainScript, "nvidia-smi": "#!/bin/sh\ncase $1 in -L) echo 'GPU 0: made up' ;; *) echo 0 ;; esac\n"} {
		require.NoError(s.t, os.WriteFile(filepath.Join(scripts, name), []byte(text), 0o600))
	}
	train := filepath.Join(scripts, "train.py")
	s.must("kubectl", "create", "configmap", "scripts", "--from-file=train.py="+train, "--from-file=pretrain_gpt.py="+train)
	s.must("kubectl", "create", "configmap", "tools", "--from-file="+filepath.Join(scripts, "nvidia-smi"))
}

const claim = `apiVersion: v1
kind: PersistentVolume
metadata: {name: area-examples-datasets}
spec:
  storageClassName: ""
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteMany]
  hostPath: {path: FOLDER/datasets}
  claimRef: {namespace: area-examples, name: nccl-datasets}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: nccl-datasets}
spec:
  storageClassName: ""
  volumeName: area-examples-datasets
  accessModes: [ReadWriteMany]
  resources: {requests: {storage: 1Gi}}
`

func onNodes(nodes ...string) func(*stand, string, v1alpha1.Report) {
	return func(s *stand, _ string, r v1alpha1.Report) {
		require.ElementsMatch(s.t, nodes, r.Groups[0].Nodes)
		require.Equal(s.t, len(nodes), r.Counts.Target)
	}
}

func leaves(untested int) func(*stand, string, v1alpha1.Report) {
	return func(s *stand, _ string, r v1alpha1.Report) {
		require.Equal(s.t, untested, r.Counts.Untested)
		require.Equal(s.t, r.Counts.Target, r.Counts.Passed+untested)
	}
}

func trained(steps int) func(*stand, string, v1alpha1.Report) {
	return func(s *stand, _ string, r v1alpha1.Report) {
		for _, g := range r.Groups {
			require.NotNil(s.t, g.Training, g.Name)
			require.Equal(s.t, steps, g.Training.Steps[len(g.Training.Steps)-1])
		}
	}
}

func inQueue(scheduler, key, queue string) func(*stand, string, v1alpha1.Report) {
	return func(s *stand, name string, r v1alpha1.Report) {
		s.eachPod(func(p corev1.Pod, _ bool) {
			require.Equal(s.t, scheduler, p.Spec.SchedulerName, p.Name)
			require.Equal(s.t, queue, p.Labels[key], p.Name)
		})
		jobsHave(key+"="+queue)(s, name, r)
	}
}

func jobsHave(label string) func(*stand, string, v1alpha1.Report) {
	return func(s *stand, name string, _ v1alpha1.Report) {
		require.Contains(s.t, s.must("kubectl", "get", "trainjobs", "-l", label, "-o", "name"), "/"+name+"-group-0")
	}
}

// eachPod looks at the pods that a run had, and sees that there were launchers and workers.
func (s *stand) eachPod(look func(p corev1.Pod, launcher bool)) {
	seen := map[bool]int{}
	for _, p := range s.seen {
		launcher := strings.Contains(p.Name, "-launcher-")
		seen[launcher]++
		look(p, launcher)
	}
	require.Equal(s.t, map[bool]int{true: 1, false: 2}, seen)
}

// watchPods looks for the pods of a workflow until it is stopped, and returns each as it was seen last: JobSet deletes the workers once their
// launcher has ended.
func (s *stand) watchPods(workflow string, wanted bool) (stop func() map[string]corev1.Pod) {
	seen, over := map[string]corev1.Pod{}, make(chan struct{})
	var looks sync.WaitGroup
	if wanted {
		looks.Go(func() {
			for {
				var list corev1.PodList
				out, code := s.try("kubectl", "get", "pods", "-l", "seatrial.dev/workflow="+workflow, "-o", "json")
				if code == 0 && json.Unmarshal([]byte(out), &list) == nil {
					for _, p := range list.Items {
						seen[p.Name] = p
					}
				}
				select {
				case <-over:
					return
				case <-time.After(2 * time.Second):
				}
			}
		})
	}
	return func() map[string]corev1.Pod {
		close(over)
		looks.Wait()
		return seen
	}
}

func onlyWorkersArePrivileged(s *stand, _ string, _ v1alpha1.Report) {
	s.eachPod(func(p corev1.Pod, launcher bool) {
		security := p.Spec.Containers[0].SecurityContext
		privileged := security != nil && security.Privileged != nil && *security.Privileged
		require.Equal(s.t, !launcher, privileged, p.Name)
		mounted := slices.ContainsFunc(p.Spec.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/dev/infiniband" })
		require.Equal(s.t, !launcher, mounted, p.Name)
	})
}

func workersTolerate(key string) func(*stand, string, v1alpha1.Report) {
	return func(s *stand, _ string, _ v1alpha1.Report) {
		s.eachPod(func(p corev1.Pod, launcher bool) {
			has := slices.ContainsFunc(p.Spec.Tolerations, func(t corev1.Toleration) bool { return t.Key == key })
			require.Equal(s.t, !launcher, has, p.Name)
		})
	}
}
