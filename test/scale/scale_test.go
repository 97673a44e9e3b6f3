package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/internal/demo"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// The plugin reads what the kubelet writes: the same fields decide.
func TestPod(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	p := &corev1.Pod{
		Spec:   corev1.PodSpec{InitContainers: []corev1.Container{{Name: "keys"}}, Containers: []corev1.Container{{Name: "node"}}},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now)}}},
	}
	p.Status = running(p, "100.65.0.1", "100.67.1.0", now)
	require.Equal(t, corev1.PodRunning, p.Status.Phase)
	require.Equal(t, corev1.PodScheduled, p.Status.Conditions[0].Type, "what the scheduler wrote stays")
	require.Zero(t, p.Status.InitContainerStatuses[0].State.Terminated.ExitCode)
	require.NotNil(t, p.Status.ContainerStatuses[0].State.Running)

	p.Status = succeeded(p, now.Add(time.Minute))
	require.Equal(t, corev1.PodSucceeded, p.Status.Phase)
	ended := p.Status.ContainerStatuses[0].State.Terminated
	require.Equal(t, now, ended.StartedAt.Time)
	require.Equal(t, now.Add(time.Minute), ended.FinishedAt.Time)
	require.Equal(t, "100.67.1.0", p.Status.PodIP)
}

func TestLog(t *testing.T) {
	text := demo.Log("pairs-group-7", hosts("pairs-group-7", 2))
	t.Run("is_a_table_that_scores_as_a_pass", func(t *testing.T) {
		s := score.Log("x", parse.Text([]byte(text)))
		require.True(t, s.Bandwidth.Complete && s.Bandwidth.Checked)
		require.Equal(t, 16, *s.Bandwidth.Ranks)
	})
	t.Run("is_followed_to_the_end_of_its_container", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			l := newLogText(text, began)
			go func() {
				time.Sleep(time.Minute)
				l.endAt(time.Now().Add(time.Minute))
			}()
			var all bytes.Buffer
			require.NoError(t, l.send(t.Context(), &all, func() {}, logOptions{follow: true}))
			require.Equal(t, text, all.String())
			require.Equal(t, 2*time.Minute, time.Since(began))
			require.True(t, l.isOver(time.Now()))
		})
	})
	t.Run("is_what_there_is_so_far_without_follow", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLogText(text, time.Now())
			time.Sleep(writtenFor)
			var part bytes.Buffer
			require.NoError(t, l.send(t.Context(), &part, func() {}, logOptions{timestamps: true, since: time.Now().Add(-writtenFor / 2)}))
			require.NotContains(t, part.String(), "Avg bus bandwidth")
			require.NotContains(t, part.String(), "nThread", "that was written earlier")
			for line := range strings.Lines(part.String()) {
				_, err := time.Parse(time.RFC3339Nano, strings.Fields(line)[0])
				require.NoError(t, err)
			}
		})
	})
}

func TestSum(t *testing.T) {
	page := "# TYPE x_total counter\nx_total{a=\"1\",resource=\"pods\"} 3\nx_total{resource=\"leases\"} 100\nx_total_more{} 7\nx_total 2\n"
	require.EqualValues(t, 5, sum(page, "x_total", func(labels string) bool { return !strings.Contains(labels, `"leases"`) }))
	require.Zero(t, sum("", "x_total", func(string) bool { return true }))
}

func TestTable(t *testing.T) {
	good := result{sweep: sweep{name: "pairs", nodes: 4, size: 2}, verdict: "pass", report: time.Second}
	good.counts.Passed, good.counts.Target = 4, 4
	good.peak = peak{taskSet: 1, workflow: 1, recordLargest: 1, plugin: process{most: 1}}
	var out bytes.Buffer
	require.Zero(t, table(&out, []result{good}))
	require.Contains(t, out.String(), "| nodes, groups | 4, 2 |")

	t.Run("a_missed_target_is_counted_and_bold", func(t *testing.T) {
		for name, spoil := range map[string]func(*result){
			"**31 s**":                         func(r *result) { r.report = 31 * time.Second },
			"**501 KiB**":                      func(r *result) { r.peak.taskSet = 500<<10 + 1 },
			"**1025 KiB**":                     func(r *result) { r.peak.workflow = 1<<20 + 1 },
			"**unknown, 4 of 4 nodes passed**": func(r *result) { r.verdict = "unknown" },
			"**1**":                            func(r *result) { r.peak.restarts = 1 },
		} {
			bad := good
			spoil(&bad)
			var out bytes.Buffer
			require.Equal(t, 1, table(&out, []result{bad}))
			require.Contains(t, out.String(), name)
		}
	})
	t.Run("nothing_measured_is_not_a_pass", func(t *testing.T) {
		require.Equal(t, 6, table(&bytes.Buffer{}, []result{{sweep: sweep{nodes: 4, size: 2}}}))
	})
}

func TestMain_outside_of_the_clusters_network_changes_nothing(t *testing.T) {
	var out, say bytes.Buffer
	require.Equal(t, 1, Main(t.Context(), nil, &out, &say))
	require.Contains(t, say.String(), "bin/cluster exec")
	require.Empty(t, out.String())
}
