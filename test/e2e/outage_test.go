//go:build cluster

package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// cluster does something to the cluster itself (test/cluster).
func (s *stand) cluster(args ...string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	root := repository(s.t)
	c := exec.CommandContext(ctx, filepath.Join(root, "bin", "cluster"), args...)
	c.Dir = root
	out, err := c.CombinedOutput()
	require.NoError(s.t, err, "cluster %s\n%s", strings.Join(args, " "), out)
}

// broken lets a component be broken until the test ends, whatever way it ends.
func (s *stand) broken(component string) {
	s.t.Cleanup(func() {
		root := repository(s.t)
		for _, verb := range []string{"resume", "start"} { // one of them is what it needs; the other leaves it alone, or says so
			c := exec.Command(filepath.Join(root, "bin", "cluster"), verb, component)
			c.Dir = root
			if out, err := c.CombinedOutput(); err != nil {
				s.t.Logf("cluster %s %s: %v: %s", verb, component, err, out)
			}
		}
		s.healthy()
	})
}

// healthy waits until nothing is wrong with the cluster.
func (s *stand) healthy() {
	s.t.Helper()
	root := repository(s.t)
	s.eventually(3*time.Minute, "the cluster is healthy", func() bool {
		c := exec.Command(filepath.Join(root, "bin", "cluster"), "status")
		c.Dir = root
		return c.Run() == nil
	})
}

// What a whole cluster feels happens to one run at a time, and to no other test.
func TestAreaFaultsOfTheCluster(t *testing.T) {
	all := aloneStand(t, "fault-cluster")
	outage := func(name string, test func(s *stand, f runFile)) {
		t.Run(name, func(t *testing.T) {
			s := *all
			s.t = t
			s.healthy()
			began := time.Now()
			test(&s, runFile{Name: strings.ReplaceAll(name, " ", "-"), NumNodes: 3, Env: brief})
			t.Logf("%s: %s", name, time.Since(began).Round(time.Second))
		})
	}
	outage("controller restarted", func(s *stand, f runFile) {
		s.broken("argo")
		s.submit(f)
		s.atItsMoment(50 * time.Second)
		s.cluster("stop", "argo")
		s.cluster("start", "argo")
		require.Empty(s.t, s.passes(f).Warnings)
	})
	outage("apiserver away", func(s *stand, f runFile) {
		s.broken("apiserver")
		s.submit(f)
		s.atItsMoment(50 * time.Second)
		s.cluster("stop", "apiserver")
		time.Sleep(30 * time.Second)
		s.cluster("start", "apiserver")
		require.Empty(s.t, s.passes(f).Warnings)
	})
	outage("etcd slow", func(s *stand, f runFile) {
		s.broken("etcd")
		s.submit(f)
		s.atItsMoment(20 * time.Second)
		s.cluster("slow", "etcd", "--paused", "0.8", "--for", "40s")
		require.Empty(s.t, s.passes(f).Warnings)
	})
	outage("webhook away", func(s *stand, f runFile) {
		s.broken("trainer")
		s.submit(f)
		s.atItsMoment(10 * time.Second) // no group has a job by then
		s.cluster("stop", "trainer")
		time.Sleep(45 * time.Second)
		s.cluster("start", "trainer")
		require.Empty(s.t, s.passes(f).Warnings)
	})
	outage("log endpoint away", func(s *stand, f runFile) {
		s.midGroup(f)
		node := strings.TrimSpace(s.must("kubectl", "get", "pods", "-l", "jobset.sigs.k8s.io/jobset-name="+f.Name+"-group-0,jobset.sigs.k8s.io/replicatedjob-name=launcher", "-o", "jsonpath={.items[0].spec.nodeName}"))
		kubelet := "kubelet-" + node
		s.broken(kubelet)
		s.atItsMoment(20 * time.Second)
		s.cluster("pause", kubelet) // it takes connections and answers none; 30 s are too short for the node to be missed
		time.Sleep(30 * time.Second)
		s.cluster("resume", kubelet)
		require.Empty(s.t, s.passes(f).Warnings)
	})
	outage("node lost", func(s *stand, f runFile) {
		f.Timeout = "2m30s"
		s.midGroup(f)
		agent := s.must("kubectl", "get", "pod", s.agent(), "-o", "jsonpath={.spec.nodeName}")
		lost := ""
		for _, node := range []string{"gpu-node-03", "gpu-node-02"} { // an agent that goes with its node is another fault: docs/faults.md
			if node != strings.TrimSpace(agent) {
				lost = node
				break
			}
		}
		kubelet := "kubelet-" + lost
		s.broken(kubelet)
		s.atItsMoment(15 * time.Second)
		s.cluster("lose", lost)
		s.eventually(5*time.Minute, "the node is found to be lost", func() bool {
			for _, n := range s.report(f.Name).Nodes {
				if n.Name == lost && n.Verdict == v1alpha1.Failed {
					return true
				}
			}
			return false
		})
		s.cluster("resume", kubelet)
		s.finished(f.Name)
		report := s.report(f.Name)
		require.Equal(s.t, v1alpha1.Fail, report.Verdict, report)
		require.Equal(s.t, v1alpha1.Counts{Target: 3, Failed: 1, Suspect: 2}, report.Counts)
		for _, n := range report.Nodes {
			if n.Name == lost {
				require.Contains(s.t, n.Reason, "not ready")
			}
		}
		s.noPodLeft(f.Name)
	})
}
