//go:build cluster

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// wholeRun shows in its log what each rank sees: the environment by its precedence, the files of /config, and a volume that an
// init container filled.
const wholeRun = `apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata:
  name: whole
spec:
  image: nvcr.io/nvidia/pytorch:26.01-py3
  framework:
    mpi:
      mpirunPath: /usr/local/mpi/bin/mpirun
      binary: /config/show.sh
      mpiArgs: ["-x", "BOTH=args"]
  numNodes: 2
  gpusPerNode: 1
  env:
  - {name: NCCL_DEBUG, value: TRACE}
  - {name: BOTH, value: env}
  - {name: EMPTY, value: ""}
  - {name: WHERE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
  imagePullSecrets: [{name: registry}]
  config:
    inline:
      show.sh: |
        #!/bin/sh
        # {{workflow.name}} stays as it is
        echo "rank $OMPI_COMM_WORLD_RANK debug=$NCCL_DEBUG shm=$NCCL_SHM_DISABLE both=$BOTH empty=[${EMPTY-unset}] where=$WHERE staged=$(cat /data/staged) braces=$(grep -c '{{workflow.name}}' /config/show.sh)"
  volumes: [{name: data, emptyDir: {}}]
  volumeMounts: [{name: data, mountPath: /data}]
  initContainers:
  - name: stage
    image: nvcr.io/nvidia/pytorch:26.01-py3
    command: [sh, -c, echo ready >/data/staged]
    volumeMounts: [{name: data, mountPath: /data}]
`

func (s *stand) file(text string) string {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "run.yaml")
	require.NoError(s.t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func (s *stand) pods(workflow string) []corev1.Pod {
	s.t.Helper()
	var list corev1.PodList
	require.NoError(s.t, json.Unmarshal([]byte(s.must("kubectl", "get", "pods", "-l", "seatrial.dev/workflow="+workflow, "-o", "json")), &list))
	require.NotEmpty(s.t, list.Items)
	return list.Items
}

func TestWhatTheRanksSeeAndWhatRenderPrints(t *testing.T) {
	s := newStand(t, "area-whole")
	file := s.file(wholeRun)
	var rendered struct {
		Items []map[string]any `json:"items"`
	}
	out := s.must("seatrial", "workloadrun", "render", file, "--dry-run", "--what", "objects", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(out), &rendered))

	r := s.run("seatrial", "workloadrun", "run", file, "--wait", "--cleanup", "never")
	require.Zero(t, r.code, r.stdout+r.stderr)
	logs := s.must("seatrial", "workloadrun", "logs", "whole", "--group", "group-0")
	for _, rank := range []string{"0", "1"} {
		require.Contains(t, logs, "rank "+rank+" debug=TRACE shm=1 both=args empty=[] where=area-whole staged=ready braces=2")
	}
	for _, p := range s.pods("whole") {
		require.Equal(t, []corev1.LocalObjectReference{{Name: "registry"}}, p.Spec.ImagePullSecrets, p.Name)
		node := p.Spec.Containers[0]
		mounts := map[string]bool{}
		for _, m := range node.VolumeMounts {
			mounts[m.MountPath] = m.ReadOnly
		}
		require.Contains(t, mounts, "/config", p.Name)
		launcher := strings.Contains(p.Name, "-launcher-")
		require.Equal(t, launcher, mounts["/config"], "only the launcher's is read-only")
		_, data := mounts["/data"]
		require.Equal(t, !launcher, data, p.Name)
	}
	for _, want := range rendered.Items {
		metadata, is := want["metadata"].(map[string]any)
		require.True(t, is)
		kind, is := want["kind"].(string)
		require.True(t, is)
		name, is := metadata["name"].(string)
		require.True(t, is)
		var live map[string]any
		require.NoError(t, json.Unmarshal([]byte(s.must("kubectl", "get", strings.ToLower(kind), name, "-o", "json")), &live))
		require.True(t, holds(live, want), "%s %s is not what was rendered", kind, name)
	}
}

// holds says whether an object of the cluster has all that another one has; the cluster adds defaults, owners and status.
func holds(live, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		have, is := live.(map[string]any)
		if !is {
			return len(want) == 0
		}
		for key, value := range want {
			if !holds(have[key], value) {
				return false
			}
		}
		return true
	case []any:
		have, is := live.([]any)
		if !is || len(have) != len(want) {
			return len(want) == 0 && live == nil
		}
		for i := range want {
			if !holds(have[i], want[i]) {
				return false
			}
		}
		return true
	}
	return live == want || want == "" && live == nil
}

func TestAGangSchedulerPlacesEveryPod(t *testing.T) {
	s := newStand(t, "area-kai")
	text := strings.Replace(wholeRun, "name: whole", "name: gang", 1) + "  gangScheduler: {schedulerName: kai-scheduler, queue: team-a}\n"
	r := s.run("seatrial", "workloadrun", "run", s.file(text), "--wait", "--cleanup", "never")
	require.Zero(t, r.code, r.stdout+r.stderr)
	for _, p := range s.pods("gang") {
		require.Equal(t, "kai-scheduler", p.Spec.SchedulerName, p.Name)
		require.Equal(t, "team-a", p.Labels["kai.scheduler/queue"], p.Name)
	}
	require.Contains(t, s.must("kubectl", "get", "trainjobs", "-l", "kai.scheduler/queue=team-a", "-o", "name"), "gang-group-0")
}

func TestAnUnpinnedJobRunsOnceWhereTheSchedulerPutsIt(t *testing.T) {
	s := newStand(t, "area-unpinned")
	text := `apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: unpinned}
spec:
  image: nvcr.io/nvidia/pytorch:26.01-py3
  framework: {exec: {command: [hostname]}}
  numNodes: 2
  gpusPerNode: 1
  orchestration: {placement: Unpinned}
`
	r := s.run("seatrial", "workloadrun", "run", s.file(text), "--wait")
	require.Zero(t, r.code, r.stdout+r.stderr)
	report := s.report("unpinned")
	require.Equal(t, v1alpha1.Pass, report.Verdict)
	require.Equal(t, v1alpha1.Counts{Target: 3, Passed: 2, Untested: 1}, report.Counts)
	require.Len(t, report.Groups, 1)
	require.Len(t, report.Groups[0].Nodes, 2)
	s.noPodLeft("unpinned")
}
