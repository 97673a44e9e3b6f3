//go:build cluster

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestArgoSubmitDoesAsTheCommandLineDoes(t *testing.T) {
	s := newStand(t, "smoke-argo")
	r := s.run("argo", "submit", "--from", "workflowtemplate/workloadrun-mpi", "--name", "argo", "--wait",
		"-p", "image=nvcr.io/nvidia/pytorch:26.01-py3", "-p", "mpirunPath=/usr/local/mpi/bin/mpirun", "-p", "binary=/usr/local/bin/all_reduce_perf_mpi",
		"-p", `args=["-b","8","-e","32G","-f","2","-n","100"]`, "-p", "numNodes=2", "-p", "gpusPerNode=1",
		"-p", `overrides=[{"when":{},"dependencies":[{"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainingRuntime","metadata":{"name":"argo-runtime"},"spec":{"template":{"spec":{"replicatedJobs":[{"name":"launcher","template":{"spec":{"template":{"spec":{"containers":[{"name":"node","resources":{"requests":{"cpu":"50m","memory":"32Mi"}}}]}}}}}]}}}}]}]`)
	require.Zero(t, r.code, r.stdout+r.stderr)
	require.Equal(t, v1alpha1.Pass, s.report("argo").Verdict)
	s.noPodLeft("argo")
}

func TestOneFileTwiceAtOnceUnderTwoNames(t *testing.T) {
	s := newStand(t, "smoke-twice")
	file := s.write(runFile{Name: "twice", NumNodes: 3})
	var wait sync.WaitGroup
	results := make([]result, 2)
	for i, name := range []string{"first", "second"} {
		wait.Go(func() { results[i] = s.run("seatrial", "workloadrun", "run", file, "--name", name, "--wait") })
	}
	wait.Wait()
	for i, name := range []string{"first", "second"} {
		require.Zero(t, results[i].code, results[i].stdout+results[i].stderr)
		require.Equal(t, v1alpha1.Pass, s.report(name).Verdict)
	}
}

func TestTwoRunsInOneWorkflowHaveTheirOwnResults(t *testing.T) {
	s := newStand(t, "smoke-chain")
	spec := func(name string, n int, threshold string) string {
		return s.spec(runFile{Name: name, NumNodes: n, Threshold: threshold}, "              ")
	}
	text := `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: chain}
spec:
  entrypoint: main
  serviceAccountName: seatrial-workflow
  templates:
  - name: main
    dag:
      failFast: false
      tasks:
      - name: ones
        templateRef: {name: workloadrun-mpi, template: run}
        arguments:
          parameters:
          - {name: name, value: ones}
          - {name: nodeNames, value: '["gpu-node-01","gpu-node-02"]'}
          - name: spec
            value: |
` + spec("ones", 2, "") + `
      - name: rest
        depends: ones
        templateRef: {name: workloadrun-mpi, template: run}
        arguments:
          parameters:
          - {name: name, value: rest}
          - {name: nodeNames, value: '["gpu-node-03","gpu-node-02"]'}
          - name: spec
            value: |
` + spec("rest", 2, "value >= 1000000") + `
`
	file := filepath.Join(t.TempDir(), "chain.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	r := s.run("argo", "submit", file, "--wait")
	require.Zero(t, r.code, "a run without the gate gives its verdict as data: %s%s", r.stdout, r.stderr)

	reports := []v1alpha1.Report{}
	out := s.run("seatrial", "workloadrun", "report", "chain", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(out.stdout), &reports), out.stdout+out.stderr)
	require.Len(t, reports, 2)
	byName := map[string]v1alpha1.Report{}
	for _, r := range reports {
		byName[r.Name] = r
	}
	require.Equal(t, v1alpha1.Pass, byName["ones"].Verdict)
	require.Equal(t, []string{"gpu-node-01", "gpu-node-02"}, byName["ones"].Groups[0].Nodes)
	require.Equal(t, v1alpha1.Fail, byName["rest"].Verdict)
	require.Equal(t, v1alpha1.CauseThreshold, byName["rest"].Groups[0].Cause)
	require.Equal(t, []string{"gpu-node-02", "gpu-node-03"}, byName["rest"].Groups[0].Nodes)
	s.noPodLeft("chain")
}

func TestArgoRetryLaunchesTheFailedGroupAgainAndMergesTheReport(t *testing.T) {
	s := newStand(t, "smoke-retry")
	s.fault("gpu-node-01", "wrong")
	f := runFile{Name: "retry"}
	r := s.run("seatrial", "workloadrun", "run", s.write(f), "--wait")
	require.Equal(t, 1, r.code, r.stdout+r.stderr)
	before := s.report(f.Name)

	s.fault("gpu-node-01", "")
	s.must("argo", "retry", f.Name)
	s.must("argo", "wait", f.Name)
	after := s.report(f.Name)
	require.Equal(t, v1alpha1.Pass, after.Verdict, after)
	require.Equal(t, 2, group(t, after, "group-0").Attempts)
	require.Contains(t, strings.Join(group(t, after, "group-0").Warnings, "\n"), "attempt 1: fail")
	require.Equal(t, group(t, before, "group-1"), group(t, after, "group-1"), "the group that passed is not run again")
	s.noPodLeft(f.Name)
}

func TestWhatOnlyTheClusterCanRefuseFailsTheRunWithOneMessage(t *testing.T) {
	s := newStand(t, "smoke-refuse")
	t.Run("numNodes above the fleet", func(t *testing.T) {
		r := s.run("seatrial", "workloadrun", "run", s.write(runFile{Name: "large", NumNodes: 4}), "--wait")
		require.Equal(t, 3, r.code, r.stdout+r.stderr)
		require.Contains(t, r.stdout, "PartitionError: need 4, found 3")
	})
	t.Run("no eligible node", func(t *testing.T) {
		r := s.run("argo", "submit", "--from", "workflowtemplate/workloadrun-mpi", "--name", "none", "--wait",
			"-p", "spec="+s.spec(runFile{Name: "none"}, ""), "-p", "nodeNames=[]")
		require.Equal(t, 1, r.code, r.stdout+r.stderr)
		report := s.report("none")
		require.Equal(t, v1alpha1.Unknown, report.Verdict)
		require.Contains(t, report.Message, "no eligible node")
	})
	t.Run("a parameter that is wrong", func(t *testing.T) {
		s.try("argo", "submit", "--from", "workflowtemplate/workloadrun-mpi", "--name", "bad", "--wait", "-p", "numNodes=0", "-p", "cleanup=sometimes")
		report := s.report("bad")
		require.Equal(t, v1alpha1.Unknown, report.Verdict)
		for _, part := range []string{"BuildFailed", "cleanup: is \"sometimes\"", "numNodes", "image: is missing"} {
			require.Contains(t, report.Message, part)
		}
	})
	out := s.must("kubectl", "get", "trainjobs,trainingruntimes", "-o", "name")
	require.Empty(t, strings.TrimSpace(out), "nothing was created")
}
