//go:build cluster

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// long makes a group run for about 40 s, so that something can happen to it: 15 calls a size of 60 ms each. Slower calls would
// print a bandwidth of 0.00 on a busy machine.
var long = map[string]string{"SEATRIAL_TEST_FAULT": "slow=60", "SEATRIAL_TEST_ITERS": "15"}

// midGroup starts a run and returns once a launcher runs.
func (s *stand) midGroup(f runFile) {
	s.t.Helper()
	s.must("seatrial", "workloadrun", "run", s.write(f))
	s.eventually(3*time.Minute, "a launcher runs", func() bool {
		out, _ := s.try("kubectl", "get", "pods", "-l", "jobset.sigs.k8s.io/replicatedjob-name=launcher", "-o", "jsonpath={.items[*].status.phase}")
		return strings.Contains(out, "Running")
	})
}

func TestThePluginIsKilledThreeTimesAndTheReportIsTheSame(t *testing.T) {
	s := newStand(t, "smoke-kill")
	f := runFile{Name: "kill", NumNodes: 3, Env: long}
	s.midGroup(f)
	for range 3 {
		s.killPlugin()
		time.Sleep(12 * time.Second)
	}
	s.finished(f.Name)
	report := s.report(f.Name)
	require.Equal(t, v1alpha1.Pass, report.Verdict, report)
	require.Equal(t, 3, report.Counts.Passed)
	for _, g := range report.Groups {
		require.Equal(t, 1, g.Attempts)
		for _, size := range g.Bandwidth.Results {
			require.Equal(t, 1, size.Samples, "no row is counted twice")
		}
	}
	s.noPodLeft(f.Name)
}

func TestTheAgentPodIsDeletedAndTheReportIsTheSame(t *testing.T) {
	s := newStand(t, "smoke-drain")
	f := runFile{Name: "drain", Env: long}
	s.midGroup(f)
	agent := s.must("kubectl", "get", "pods", "-l", "workflows.argoproj.io/component=agent", "-o", "name")
	s.must("kubectl", "delete", strings.TrimSpace(agent), "--wait=false")
	s.finished(f.Name)
	report := s.report(f.Name)
	require.Equal(t, v1alpha1.Pass, report.Verdict, report)
	require.Equal(t, v1alpha1.Counts{Target: 3, Passed: 3}, report.Counts)
	s.noPodLeft(f.Name)
}

// killPlugin kills the plugin's process in this namespace's agent pod as the kernel would: with SIGKILL, from outside.
func (s *stand) killPlugin() {
	s.t.Helper()
	uid := s.must("kubectl", "get", "pods", "-l", "workflows.argoproj.io/component=agent", "-o", "jsonpath={.items[0].metadata.uid}")
	require.NotEmpty(s.t, uid)
	s.eventually(time.Minute, "the plugin runs", func() bool {
		pid := processOf(uid, "/seatrial-plugin\x00serve")
		return pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil
	})
}

// processOf is the process of a pod whose command line begins so; 0 when there is none.
func processOf(podUID, command string) int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(line), command) {
			continue
		}
		folder := filepath.Dir(file)
		groups, err := os.ReadFile(filepath.Join(folder, "cgroup"))
		if err != nil || !strings.Contains(string(groups), podUID) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err == nil {
			return pid
		}
	}
	return 0
}

// finished waits until the workflow is over.
func (s *stand) finished(workflow string) {
	s.t.Helper()
	s.eventually(6*time.Minute, "the workflow ends", func() bool {
		switch s.run("kubectl", "get", "workflow", workflow, "-o", "jsonpath={.status.phase}").stdout {
		case "Succeeded", "Failed", "Error":
			return true
		}
		return false
	})
}

func TestAStoppedRunLeavesNoPodAndHasAReport(t *testing.T) {
	for _, end := range []struct {
		namespace string
		stop      func(s *stand, workflow string)
	}{
		{"smoke-stop", func(s *stand, w string) { s.must("argo", "stop", w) }},
		{"smoke-terminate", func(s *stand, w string) { s.must("argo", "terminate", w) }},
		{"smoke-agent", func(s *stand, _ string) {
			// The kubelet fails a pod whose deadline is over, as it does one that it evicts.
			agent := s.must("kubectl", "get", "pods", "-l", "workflows.argoproj.io/component=agent", "-o", "name")
			s.must("kubectl", "patch", strings.TrimSpace(agent), "-p", `{"spec":{"activeDeadlineSeconds":1}}`)
		}},
	} {
		t.Run(strings.TrimPrefix(end.namespace, "smoke-"), func(t *testing.T) {
			s := newStand(t, end.namespace)
			f := runFile{Name: "ended", Env: long}
			s.midGroup(f)
			end.stop(s, f.Name)
			s.finished(f.Name)
			s.noPodLeft(f.Name)
			report := s.report(f.Name)
			require.Equal(t, v1alpha1.Unknown, report.Verdict)
			require.Zero(t, report.Counts.Failed+report.Counts.Suspect, "nobody is blamed")
			require.NotNil(t, report.Finished)
		})
	}
}
