package steps

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/probe"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// looker looks at workers by way of these.
func looker(lookup func(context.Context, string) ([]netip.Addr, error), dial func(context.Context, string, string) (net.Conn, error)) *watchProbe {
	p := &probe.Prober{Clock: clock.RealClock{}, Lookup: lookup, Dial: dial}
	return &watchProbe{r: &run{s: &Steps{prober: p}}, g: partition.Group{Name: "group-0", Nodes: []string{"gpu-node-01", "gpu-node-02"}}, results: map[string]v1alpha1.ProbeResult{}}
}

func named(p *corev1.Pod) {
	p.Spec.Hostname, p.Spec.Subdomain, p.Status.PodIP = "run-node-0-0", "run", "10.0.0.1"
}

func answering(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	go func() {
		_, _ = far.Write([]byte("SSH-2.0-x\r\n"))
		_, _ = far.Read(make([]byte, 100))
		_ = far.Close()
	}()
	return near, nil
}

func refusing(context.Context, string, string) (net.Conn, error) { return nil, syscall.ECONNREFUSED }

func TestLook(t *testing.T) {
	var asked []string
	known := func(_ context.Context, host string) ([]netip.Addr, error) {
		asked = append(asked, host)
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	}
	unknown := func(_ context.Context, host string) ([]netip.Addr, error) {
		return nil, &net.DNSError{Err: "no such host", Name: host}
	}
	asksNobody := looker(nil, func(context.Context, string, string) (net.Conn, error) { t.Error("dialled"); return nil, nil })

	for name, c := range map[string]struct {
		w        *watchProbe
		change   []func(*corev1.Pod)
		old      v1alpha1.ProbeResult
		event    podEvent
		state    v1alpha1.ProbeState
		attempts int
		reason   string
	}{
		"by the name that mpirun uses":   {looker(known, answering), []func(*corev1.Pod){named}, v1alpha1.ProbeResult{Attempts: 2}, podEvent{}, v1alpha1.ProbeReady, 3, ""},
		"a name that does not resolve":   {looker(unknown, answering), []func(*corev1.Pod){named}, v1alpha1.ProbeResult{}, podEvent{}, v1alpha1.ProbeDNS, 1, "its sshd answers at 10.0.0.1, but not by name: lookup run-node-0-0.run: no such host"},
		"neither by name nor by address": {looker(unknown, refusing), []func(*corev1.Pod){named}, v1alpha1.ProbeResult{}, podEvent{}, v1alpha1.ProbeRefused, 1, "connection refused: nothing listens on the port; and its name does not resolve: lookup run-node-0-0.run: no such host"},
		"ready by its own account":       {looker(known, refusing), []func(*corev1.Pod){named, ready}, v1alpha1.ProbeResult{}, podEvent{}, v1alpha1.ProbeRefused, 1, "not reachable from here, though its readiness probe has a session with it: connection refused: nothing listens on the port"},
		"refused, and not ready":         {looker(known, refusing), []func(*corev1.Pod){named}, v1alpha1.ProbeResult{}, podEvent{}, v1alpha1.ProbeRefused, 1, "connection refused: nothing listens on the port"},
		"a fault of ours": {looker(known, func(context.Context, string, string) (net.Conn, error) { return nil, syscall.EMFILE }), []func(*corev1.Pod){named},
			v1alpha1.ProbeResult{State: v1alpha1.ProbeSilent, Attempts: 4, Reason: "before"}, podEvent{}, v1alpha1.ProbeSilent, 4, "before"},
		"no address yet":                 {asksNobody, nil, v1alpha1.ProbeResult{}, podEvent{}, v1alpha1.ProbeInit, 0, "has no address yet"},
		"a volume, as an event has it":   {asksNobody, []func(*corev1.Pod){waiting("ContainerCreating")}, v1alpha1.ProbeResult{}, podEvent{noon, v1alpha1.ProbeVolume, "FailedMount: m"}, v1alpha1.ProbeVolume, 0, "is being created: FailedMount: m"},
		"an image, as its status has it": {asksNobody, []func(*corev1.Pod){waiting("ImagePullBackOff")}, v1alpha1.ProbeResult{}, podEvent{}, v1alpha1.ProbeImagePull, 0, "ImagePullBackOff: why"},
		"one that was stopped":           {asksNobody, []func(*corev1.Pod){exited(1, "Error")}, v1alpha1.ProbeResult{State: v1alpha1.ProbeRefused, Attempts: 3}, podEvent{}, v1alpha1.ProbeTerminated, 3, "exited with 1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := pod(workers, "w-0", "gpu-node-01", c.change...)
			got := c.w.look(t.Context(), &p, c.old, c.event)
			got.LatencyMs = 0
			if c.old.Reason == "before" {
				require.Equal(t, c.old, got)
				return
			}
			require.Equal(t, v1alpha1.ProbeResult{Target: "w-0", Node: "gpu-node-01", State: c.state, Attempts: c.attempts, Reason: c.reason}, got)
		})
	}
	require.Contains(t, asked, "run-node-0-0.run")
}

func TestProbeText(t *testing.T) {
	w := looker(nil, nil)
	w.plan = &record.Plan{}
	for i, node := range []string{"gpu-node-01", "gpu-node-02"} {
		w.results[string(rune('a'+i))] = v1alpha1.ProbeResult{Target: string(rune('a' + i)), Node: node, State: v1alpha1.ProbeDNS, Reason: "why", Attempts: 1}
	}
	require.Equal(t, "0 of 2 workers answered; no worker's name resolves, so the name service is at fault and no worker: why", w.text())
	w.results["a"] = v1alpha1.ProbeResult{Target: "a", Node: "gpu-node-01", State: v1alpha1.ProbeReady}
	require.Equal(t, "1 of 2 workers answered; gpu-node-02: dns, why", w.text())
	for i := range 20 {
		name := "x" + string(rune('a'+i))
		w.results[name] = v1alpha1.ProbeResult{Target: name, Node: name, State: v1alpha1.ProbeSilent}
	}
	require.True(t, strings.HasSuffix(w.text(), "; xg: silent; and 13 more"), w.text())
}

func TestProbeSaysThePagesWordsOnceTheWorkersAreLate(t *testing.T) {
	w := looker(nil, nil)
	w.plan = &record.Plan{}
	w.plan.Options.ProbeWarnAfter = v1alpha1.Duration(20 * time.Minute)
	w.results["w-0"] = v1alpha1.ProbeResult{Target: "w-0", Node: "gpu-node-01", State: v1alpha1.ProbeVolume, Reason: "FailedMount: m"}
	o := mpiJob(worker0, worker1)
	o.now = noon.Add(20 * time.Minute)
	require.Equal(t, "0 of 2 workers answered; gpu-node-01: volume, FailedMount: m", w.progress(o))
	o.now = o.now.Add(time.Second)
	require.Equal(t, "not every worker answered sshd within 20 minutes: 0 of 2 workers answered; gpu-node-01: volume, FailedMount: m; waiting until 2026-01-02T13:00:00Z (timeoutPerJob)", w.progress(o))
	o.pods[1] = pod(workers, "w-1", "", unscheduled)
	require.NotContains(t, w.progress(o), "not every worker", "its clock starts when the last worker is scheduled")

	require.Equal(t, "1m0s", minutes(time.Minute))
	require.Equal(t, "1m30s", minutes(90*time.Second))
}

// The launcher has run from the first second on; the workers are asked all the same, and their latencies are kept.
func TestProbeMakesAPassThoughTheLauncherRuns(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.deaf["gpu-node-02"] = true
		a := s.workflow("nccl", nil)
		got := a.run()
		require.Equal(t, server.Succeeded, got["probe group-0"].Phase, "the launcher decides: %s", got["probe group-0"].Message)
		require.Contains(t, got["probe group-0"].Message, "the launcher runs; 1 of 2 workers answered; gpu-node-02: no-banner")
		g := a.report().Groups[0]
		require.Equal(t, v1alpha1.Pass, g.Verdict)
		require.Empty(t, g.Blamed)
		require.Equal(t, v1alpha1.ProbeReady, g.Probe[0].State)
		require.Equal(t, 1, g.Probe[0].Attempts)
	})
}

// A worker waits for its volume until timeoutPerJob: the group's message, the step and the report name it with what the event says.
func TestAWorkerWithoutItsVolumeIsNamedWithItsEvent(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{deaf: true, broken: map[string]func(*corev1.Pod){"gpu-node-02": waiting("ContainerCreating")}}
		e := event("nccl-group-0-node-0-1", "FailedMount", `MountVolume.SetUp failed for volume "data": hostPath type check failed: /data is not a directory`, 0)
		_, err := s.Kube.CoreV1().Events(namespace).Create(t.Context(), &e, metav1.CreateOptions{})
		require.NoError(t, err)
		a := s.workflow("nccl", map[string]string{"probeWarnAfter": "2m"})
		got := a.run()
		const why = `FailedMount: MountVolume.SetUp failed for volume "data": hostPath type check failed: /data is not a directory`
		require.Contains(t, got["score group-0"].Message, "fail (volume): no end within 10m0s (timeoutPerJob): nccl-group-0-node-0-1 (gpu-node-02): is being created: "+why)
		require.Equal(t, server.Failed, got["probe group-0"].Phase)
		require.Contains(t, got["probe group-0"].Message, "1 of 2 workers answered; gpu-node-02: volume, is being created: "+why)
		g := a.report().Groups[0]
		require.Equal(t, v1alpha1.CauseVolume, g.Cause)
		require.Empty(t, g.Blamed, "a volume is no fault of a node")
		require.Equal(t, v1alpha1.ProbeVolume, g.Probe[1].State)
	})
}

// TestARetriedGroupIsProbedAgain: the probe step is over when the next attempt begins.
func TestARetriedGroupIsProbedAgain(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.plays["nccl-group-0"] = play{log: wrongTable}
		s.plays["nccl-group-0-a2"] = play{deaf: true}
		s.deaf["gpu-node-02"] = true
		a := s.workflow("nccl", map[string]string{"retryFailedGroups": "1"})
		got := a.run()
		require.Contains(t, got["score group-0"].Message, "fail (worker-not-started): no end within 10m0s (timeoutPerJob): gpu-node-02: its sshd did not answer: no-banner")
		r := a.report()
		require.Equal(t, 2, r.Groups[0].Attempts)
		require.Len(t, r.Groups[0].Probe, 2)
		for _, p := range r.Groups[0].Probe {
			require.Contains(t, p.Target, "nccl-group-0-a2-node-", "the pods of the attempt")
		}
		require.Equal(t, []v1alpha1.NodeVerdict{v1alpha1.Suspect, v1alpha1.Failed}, []v1alpha1.NodeVerdict{r.Nodes[0].Verdict, r.Nodes[1].Verdict})
		require.Empty(t, s.leftovers())
	})
}
