//go:build cluster

package e2e

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// The area of faults: docs/faults.md says of each what must come of it. Those that only one run feels are here, three at a time;
// those that a whole cluster feels are in outage_test.go. The smoke test has the plugin killed three times in a group and more.

// brief makes a group of three nodes run for about 25 s.
var brief = map[string]string{"SEATRIAL_TEST_FAULT": "slow=60", "SEATRIAL_TEST_ITERS": "8"}

// seed is what the moments of all faults come from: SEATRIAL_SEED, or 9.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("SEATRIAL_SEED")
	if text == "" {
		return 9
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

// atItsMoment waits for a moment up to the given time from now, which the seed and the test's name choose.
func (s *stand) atItsMoment(most time.Duration) {
	s.t.Helper()
	name := fnv.New64a()
	_, _ = name.Write([]byte(s.t.Name())) // a hash never fails
	at := time.Duration(rand.New(rand.NewPCG(seed(s.t), name.Sum64())).Int64N(int64(most)))
	s.t.Logf("SEATRIAL_SEED=%d: it happens after %s", seed(s.t), at.Round(time.Millisecond))
	time.Sleep(at)
}

// submit starts a run and does not wait.
func (s *stand) submit(f runFile) {
	s.t.Helper()
	s.must("seatrial", "workloadrun", "run", s.write(f))
}

// passes waits for the end of a run of one group of three nodes, to which nothing may be seen to have happened.
func (s *stand) passes(f runFile) v1alpha1.GroupResult {
	s.t.Helper()
	s.finished(f.Name)
	report := s.report(f.Name)
	require.Equal(s.t, v1alpha1.Pass, report.Verdict, report)
	require.Equal(s.t, v1alpha1.Counts{Target: 3, Passed: 3}, report.Counts)
	require.Equal(s.t, "Succeeded", s.must("kubectl", "get", "workflow", f.Name, "-o", "jsonpath={.status.phase}"))
	g := group(s.t, report, "group-0")
	require.Equal(s.t, 1, g.Attempts)
	for _, size := range g.Bandwidth.Results {
		require.Equal(s.t, 1, size.Samples, "every row counts once")
	}
	s.noPodLeft(f.Name)
	return g
}

// tellsNothing waits for the end of a run that is no pass and blames nobody.
func (s *stand) tellsNothing(f runFile) v1alpha1.Report {
	s.t.Helper()
	s.finished(f.Name)
	report := s.report(f.Name)
	require.Equal(s.t, v1alpha1.Unknown, report.Verdict, report)
	require.Zero(s.t, report.Counts.Failed+report.Counts.Suspect, "nobody is blamed")
	s.noPodLeft(f.Name)
	return report
}

// agent is the agent's pod, once there is one.
func (s *stand) agent() string {
	s.t.Helper()
	var name string
	s.eventually(time.Minute, "there is an agent", func() bool {
		out, code := s.try("kubectl", "get", "pods", "-l", "workflows.argoproj.io/component=agent", "-o", "jsonpath={.items[*].metadata.name}")
		name = strings.TrimSpace(out)
		return code == 0 && name != "" && !strings.ContainsAny(name, " \n")
	})
	return name
}

func TestAreaFaultsThePluginIsKilled(t *testing.T) {
	s := newStand(t, "fault-plugin")
	f := runFile{Name: "plugin", NumNodes: 3, Env: brief}
	s.submit(f)
	s.agent()
	s.atItsMoment(40 * time.Second)
	s.killPlugin()
	require.Empty(t, s.passes(f).Warnings)
}

func TestAreaFaultsTheAgentPodIsDeleted(t *testing.T) {
	s := newStand(t, "fault-agent")
	f := runFile{Name: "agent", NumNodes: 3, Env: brief}
	s.submit(f)
	agent := s.agent()
	s.atItsMoment(40 * time.Second)
	s.must("kubectl", "delete", "pod", agent, "--wait=false")
	require.Empty(t, s.passes(f).Warnings)
}

// The kubelet fails a pod whose deadline is over, as it does one that it evicts. Argo makes no other agent for this execution.
func TestAreaFaultsTheAgentPodIsEvictedAndOneCommandRunsTheRest(t *testing.T) {
	s := newStand(t, "fault-evicted")
	f := runFile{Name: "evicted", NumNodes: 3, Env: brief}
	s.midGroup(f)
	s.atItsMoment(15 * time.Second)
	s.must("kubectl", "patch", "pod", s.agent(), "-p", `{"spec":{"activeDeadlineSeconds":1}}`)
	report := s.tellsNothing(f)
	require.Contains(t, group(t, report, "group-0").Message, "`argo retry evicted` runs it again")

	s.must("argo", "retry", f.Name)
	s.finished(f.Name)
	report = s.report(f.Name)
	require.Equal(t, v1alpha1.Pass, report.Verdict, report)
	require.Equal(t, v1alpha1.Counts{Target: 3, Passed: 3}, report.Counts)
	require.Equal(t, 2, group(t, report, "group-0").Attempts)
	s.noPodLeft(f.Name)
}

func TestAreaFaultsTheLauncherIsKilledForWantOfMemory(t *testing.T) {
	s := newStand(t, "fault-memory")
	f := runFile{Name: "memory", NumNodes: 3, Env: brief, Memory: "64Mi"}
	s.midGroup(f)
	s.atItsMoment(15 * time.Second)
	launcher := strings.Fields(s.must("kubectl", "get", "pods", "-l", "jobset.sigs.k8s.io/replicatedjob-name=launcher", "-o", "jsonpath={.items[0].metadata.name} {.items[0].metadata.uid}"))
	// Something in the launcher's container takes more than its limit. The kernel picks whom to kill; mpirun goes for certain.
	out, code := s.try("kubectl", "exec", launcher[0], "-c", "node", "--", "sh", "-c", "head -c 300000000 /dev/zero | tail -c 200000000 >/dev/null")
	require.NotZero(t, code, "nothing was killed: %s", out)
	time.Sleep(5 * time.Second) // the runtime hears of it by an event of its own; an exit that comes first is no lack of memory to it
	if pid := processOf(launcher[1], "/usr/local/mpi/bin/mpirun"); pid != 0 {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	s.finished(f.Name)
	report := s.report(f.Name)
	require.Equal(t, v1alpha1.Fail, report.Verdict, report)
	g := group(t, report, "group-0")
	require.Equal(t, v1alpha1.CauseOutOfMemory, g.Cause, g.Message)
	require.Empty(t, g.Blamed, "the launcher's memory says nothing of the nodes")
	require.Equal(t, v1alpha1.Counts{Target: 3, Suspect: 3}, report.Counts)
	s.noPodLeft(f.Name)
}

// Trainer makes the JobSet anew, and the job begins from its beginning.
func TestAreaFaultsTheJobSetIsDeleted(t *testing.T) {
	s := newStand(t, "fault-jobset")
	f := runFile{Name: "jobset", NumNodes: 3, Env: brief}
	s.midGroup(f)
	s.atItsMoment(15 * time.Second)
	s.must("kubectl", "delete", "jobset", "jobset-group-0", "--wait=false")
	require.Contains(t, strings.Join(s.passes(f).Warnings, "\n"), "pods of the job were deleted while it ran, and not by Seatrial")
}

func TestAreaFaultsAWorkerIsDeleted(t *testing.T) {
	s := newStand(t, "fault-worker")
	f := runFile{Name: "worker", NumNodes: 3, Env: brief}
	s.midGroup(f)
	s.atItsMoment(15 * time.Second)
	pods := strings.Fields(s.must("kubectl", "get", "pods", "-l", "jobset.sigs.k8s.io/replicatedjob-name=node", "-o", "jsonpath={.items[*].metadata.name}"))
	s.must("kubectl", "delete", "pod", pods[0], "--wait=false")
	g := group(t, s.tellsNothing(f), "group-0")
	require.Equal(t, v1alpha1.CauseInfrastructure, g.Cause)
	require.Contains(t, g.Message, "and not by Seatrial")
}

func TestAreaFaultsTheRunRecordIsDeleted(t *testing.T) {
	s := newStand(t, "fault-record")
	f := runFile{Name: "record", NumNodes: 3, Env: brief}
	s.midGroup(f)
	s.atItsMoment(15 * time.Second)
	s.must("kubectl", "delete", "configmaps", "-l", fmt.Sprintf("seatrial.dev/record,seatrial.dev/workflow=%s", f.Name))
	require.Contains(t, s.tellsNothing(f).Message, "plan")
}
