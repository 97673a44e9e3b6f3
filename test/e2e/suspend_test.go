//go:build cluster

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Argo neither tells a plugin of a suspension nor reads its answers during one: the group goes on, ends meanwhile, and counts once.
func TestAreaCertificationASuspendedRunHasTheSameReport(t *testing.T) {
	s := newStand(t, "area-suspend")
	f := runFile{Name: "suspended", NumNodes: 3, Env: long}
	s.midGroup(f)
	s.must("argo", "suspend", f.Name)
	jobs := map[string]bool{}
	look := func() {
		for _, uid := range strings.Fields(s.must("kubectl", "get", "trainjobs", "-o", "jsonpath={.items[*].metadata.uid}")) {
			jobs[uid] = true
		}
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Second) {
		look()
	}
	s.pluginCounts()
	require.Equal(t, "Running", s.field(f.Name, ".status.phase"))
	require.Equal(t, "true", s.field(f.Name, ".spec.suspend"))
	s.must("argo", "resume", f.Name)
	s.eventually(4*time.Minute, "the workflow ends", func() bool {
		look()
		return s.field(f.Name, ".status.phase") == "Succeeded"
	})
	require.Len(t, jobs, 1, "no second TrainJob")
	report := s.report(f.Name)
	require.Equal(t, v1alpha1.Pass, report.Verdict, report)
	require.Equal(t, v1alpha1.Counts{Target: 3, Passed: 3}, report.Counts)
	require.Equal(t, 1, report.Groups[0].Attempts)
	for _, size := range report.Groups[0].Bandwidth.Results {
		require.Equal(t, 1, size.Samples, "no row is counted twice")
	}
	s.noPodLeft(f.Name)
}

// pluginCounts asks the plugin's own port in the agent pod, through the API server.
func (s *stand) pluginCounts() {
	s.t.Helper()
	agent := s.must("kubectl", "get", "pods", "-l", "workflows.argoproj.io/component=agent", "-o", "jsonpath={.items[0].metadata.name}")
	ask := func(path string) string {
		return s.must("kubectl", "get", "--raw", fmt.Sprintf("/api/v1/namespaces/%s/pods/%s:7244/proxy/%s", s.namespace, agent, path))
	}
	require.Equal(s.t, "ok\n", ask("readyz"))
	require.Regexp(s.t, `(?m)^seatrial_plugin_calls_total\{step="launch"\} [1-9]`, ask("metrics"))
}
