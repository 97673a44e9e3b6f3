package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

func TestReport(t *testing.T) {
	for name, tt := range map[string]struct {
		second v1alpha1.Verdict
		code   Code
		text   string
	}{
		"a pass is exit 0":     {v1alpha1.Pass, Passed, "PASS: 2 groups passed"},
		"a fail is exit 1":     {v1alpha1.Fail, Failed, "FAIL (threshold): 1 of 2 groups failed"},
		"an unknown is exit 3": {v1alpha1.Unknown, Unsure, "UNKNOWN: 1 of 2 groups could not be judged"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t)
			w.finished("pairs", tt.second)
			got := w.seatrial(t.Context(), "wr", "report", "pairs")
			require.Equal(t, tt.code, got.code)
			require.Contains(t, got.stdout, tt.text)
			require.Empty(t, got.stderr)
		})
	}
	t.Run("what goes on is exit 3, even when every group has passed", func(t *testing.T) {
		w := newWorkshop(t)
		r := w.plan(w.workflow("pairs", "Running", 0), "")
		w.result(r, "group-0", v1alpha1.Pass, 1)
		w.result(r, "group-1", v1alpha1.Pass, 1)
		got := w.seatrial(t.Context(), "wr", "report", "pairs")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stdout, "UNKNOWN: the run is not over")
		require.Contains(t, got.stderr, "run pairs is not over: the workflow is Running")
	})
	t.Run("what goes on is exit 3, even when a group has failed", func(t *testing.T) {
		w := newWorkshop(t)
		w.result(w.plan(w.workflow("pairs", "Running", 0), ""), "group-0", v1alpha1.Fail, 1)
		got := w.seatrial(t.Context(), "wr", "report", "pairs")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stdout, "FAIL")
	})
	t.Run("the end of an earlier execution is not the end of this one", func(t *testing.T) {
		w := newWorkshop(t)
		r := w.plan(w.workflow("pairs", "Running", 0), "")
		w.result(r, "group-0", v1alpha1.Pass, 1)
		w.result(r, "group-1", v1alpha1.Pass, 1)
		w.close(r, began.Add(-time.Hour))
		require.Equal(t, Unsure, w.seatrial(t.Context(), "wr", "report", "pairs").code)
	})
	t.Run("one object for one run, a list for several, and --scope chooses", func(t *testing.T) {
		w := newWorkshop(t)
		owner := w.workflow("stages", "Succeeded", time.Minute)
		for _, scope := range []string{"bbbbbb", "aaaaaa"} {
			w.close(w.plan(owner, scope), began)
		}
		var all []v1alpha1.Report
		got := w.seatrial(t.Context(), "wr", "report", "stages", "-o", "json")
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &all))
		require.Equal(t, []string{"aaaaaa", "bbbbbb"}, []string{all[0].Scope, all[1].Scope})

		file := filepath.Join(t.TempDir(), "r.json")
		var one v1alpha1.Report
		got = w.seatrial(t.Context(), "wr", "report", "stages", "--scope", "bbbbbb", "--results-file", file)
		require.Contains(t, got.stdout, "scope bbbbbb")
		require.NotContains(t, got.stdout, "All stages")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &one))
		require.Equal(t, "bbbbbb", one.Scope)

		got = w.seatrial(t.Context(), "wr", "report", "stages", "--scope", "cccccc")
		require.Equal(t, Misused, got.code)
		require.Equal(t, "seatrial: there is no scope \"cccccc\"; there is \"aaaaaa\", \"bbbbbb\"\n", got.stderr)
	})
	t.Run("the only run of a workflow has no scope, and is not called one of no name", func(t *testing.T) {
		const says = "seatrial: there is no scope \"cccccc\", nor any other: the workflow is a single run, which report without --scope prints\n"
		w := newWorkshop(t)
		w.finished("pairs", v1alpha1.Pass)
		require.Equal(t, outcome{Misused, "", says}, w.seatrial(t.Context(), "wr", "report", "pairs", "--scope", "cccccc"))
		owner := cluster.Owner{Namespace: space, Name: "kept", UID: "gone"}
		require.NoError(t, w.KeepReports(t.Context(), owner, []v1alpha1.Report{{Name: "kept", Verdict: v1alpha1.Pass, Finished: &began}}))
		require.Equal(t, outcome{Misused, "", "workflow kept is gone; this is the report that it left\n" + says}, w.seatrial(t.Context(), "wr", "report", "kept", "--scope", "cccccc"))
	})
	t.Run("in every form, and one file for several runs", func(t *testing.T) {
		w := newWorkshop(t)
		owner := w.workflow("stages", "Succeeded", time.Minute)
		for _, scope := range []string{"bbbbbb", "aaaaaa"} {
			w.close(w.plan(owner, scope), began)
		}
		for form, begins := range map[string]string{
			"text": "Seatrial report: stages\n", "json": "[\n", "junit": "<?xml version=", "html": "<!DOCTYPE html>", "markdown": "# ❔ UNKNOWN: all stages\n",
		} {
			got := w.seatrial(t.Context(), "wr", "report", "stages", "-o", form)
			require.True(t, strings.HasPrefix(got.stdout, begins), got.stdout)
			require.Contains(t, got.stdout, "bbbbbb")
			require.Equal(t, Unsure, got.code)
		}
	})
	t.Run("a reason is whole in a pipe and cut on a terminal", func(t *testing.T) {
		w := newWorkshop(t)
		w.finished("pairs", v1alpha1.Fail)
		const line = "  suspect  gpu-node-03            group-1 failed: busBandwidthGBps is too low"
		require.Contains(t, w.seatrial(t.Context(), "wr", "report", "pairs").stdout, line+"\n")
		r := w.Record(cluster.Owner{Namespace: space, Name: "pairs", UID: "uid-of-pairs"}, "", "pairs")
		_, err := cluster.Update(t.Context(), r, "group-1", func(g *record.Group) error { g.Result.Message += ", by far"; return nil })
		require.NoError(t, err)
		require.Contains(t, w.seatrial(t.Context(), "wr", "report", "pairs").stdout, line+", by far\n")
		w.terminal = true
		require.Contains(t, w.seatrial(t.Context(), "wr", "report", "pairs").stdout, line+", …\n")
	})
	t.Run("a record outlives its workflow", func(t *testing.T) {
		w := newWorkshop(t)
		w.finished("pairs", v1alpha1.Fail)
		require.NoError(t, w.DeleteWorkflow(t.Context(), space, "pairs"))
		require.Equal(t, Failed, w.seatrial(t.Context(), "wr", "report", "pairs").code)
	})
	t.Run("a report that was kept outlives the record", func(t *testing.T) {
		w := newWorkshop(t)
		owner := cluster.Owner{Namespace: space, Name: "pairs", UID: "gone"}
		require.NoError(t, w.KeepReports(t.Context(), owner, []v1alpha1.Report{{Name: "pairs", Verdict: v1alpha1.Pass, Finished: &began}, {Name: "pairs", Scope: "aaaaaa", Finished: &began}}))
		got := w.seatrial(t.Context(), "wr", "report", "pairs", "--scope", "")
		require.Equal(t, Passed, got.code, got.stderr)
		require.Contains(t, got.stdout, "PASS")
		require.Equal(t, "workflow pairs is gone; this is the report that it left\n", got.stderr)
		require.Equal(t, Unsure, w.seatrial(t.Context(), "wr", "report", "pairs").code, "the other run could not be told")
	})
	t.Run("a kept report that cannot be read is not called missing", func(t *testing.T) {
		w := newWorkshop(t)
		owner := cluster.Owner{Namespace: space, Name: "pairs", UID: "gone"}
		require.NoError(t, w.KeepReports(t.Context(), owner, []v1alpha1.Report{{Name: "pairs", Verdict: v1alpha1.Pass, Finished: &began}}))
		kept, err := w.Kube.CoreV1().ConfigMaps(space).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, kept.Items, 1)
		for key := range kept.Items[0].BinaryData {
			kept.Items[0].BinaryData[key] = []byte("none")
		}
		_, err = w.Kube.CoreV1().ConfigMaps(space).Update(t.Context(), &kept.Items[0], metav1.UpdateOptions{})
		require.NoError(t, err)
		got := w.seatrial(t.Context(), "wr", "report", "pairs")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stderr, "reading the report that pairs left in the ConfigMap ")
	})
	t.Run("a record of another workflow of that name is not this one's", func(t *testing.T) {
		w := newWorkshop(t)
		w.close(w.plan(cluster.Owner{Namespace: space, Name: "pairs", UID: "another"}, ""), began)
		w.workflow("pairs", "Pending", 0)
		got := w.seatrial(t.Context(), "wr", "report", "pairs")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stdout, "the workflow is Pending and has no plan yet")
	})
	t.Run("a run that was never planned says what its first failed step said", func(t *testing.T) {
		w := newWorkshop(t)
		w.workflow("pairs", "Failed", time.Minute)
		status := over("Failed")
		status["nodes"] = map[string]any{"pairs-1": map[string]any{
			"type": "Plugin", "phase": "Failed", "message": "PartitionError: need 4, found\x1b[31m 2", "finishedAt": status["finishedAt"],
		}}
		w.update(status)
		got := w.seatrial(t.Context(), "wr", "report", "pairs")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stdout, "it is Failed: PartitionError: need 4, found 2\n")
	})
	t.Run("a name that there is not is exit 2", func(t *testing.T) {
		for _, command := range []string{"report", "status"} {
			got := newWorkshop(t).seatrial(t.Context(), "wr", command, "piars")
			require.Equal(t, outcome{Misused, "", "seatrial: no run piars in namespace seatrial\n"}, got)
		}
	})
}

// A run of 1,000 nodes in pairs, each with a table of 31 sizes, from the record to the page.
func BenchmarkReport1000Nodes(b *testing.B) {
	w := &workshop{Fake: cluster.NewFake(), now: began.Add(time.Minute)}
	owner := cluster.Owner{Namespace: space, Name: "pairs"}
	_, err := w.CreateWorkflow(b.Context(), space, map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "status": over("Succeeded"),
		"metadata": map[string]any{"name": owner.Name, "namespace": space},
	})
	require.NoError(b, err)
	r := w.Record(owner, "", owner.Name)
	_, err = cluster.Update(b.Context(), r, record.KeyPlan, func(p *record.Plan) error {
		p.Epoch, p.Started, p.Run, p.Framework = began.Format(time.RFC3339), began, owner.Name, "mpi"
		for i := range 500 {
			pair := []string{fmt.Sprintf("gpu-node-%04d", 2*i), fmt.Sprintf("gpu-node-%04d", 2*i+1)}
			p.Nodes = append(p.Nodes, resolve.Node{Name: pair[0]}, resolve.Node{Name: pair[1]})
			p.Groups = append(p.Groups, partition.Group{Name: fmt.Sprintf("group-%d", i), Nodes: pair})
		}
		return nil
	})
	require.NoError(b, err)
	table := &v1alpha1.Bandwidth{PeakBusGBps: new(388.1), BusBandwidthGBps: new(388.1), Checked: true, Complete: true}
	for e := range 31 {
		at := &v1alpha1.Placement{TimeUs: 18.41, AlgGBps: float64(e) * 6.7, BusGBps: float64(e) * 12.5, Wrong: new(int64(0))}
		table.Results = append(table.Results, v1alpha1.BandwidthSize{SizeBytes: 8 << e, DType: "float", RedOp: "sum", OutOfPlace: at, InPlace: at, Samples: 1})
	}
	for i := range 500 {
		_, err := cluster.Update(b.Context(), r, fmt.Sprintf("group-%d", i), func(g *record.Group) error {
			g.Attempt, g.Admitted = 1, new(began)
			g.Result = &v1alpha1.GroupResult{Verdict: v1alpha1.Pass, Attempts: 1, DurationSec: 42, Bandwidth: table}
			return nil
		})
		require.NoError(b, err)
	}
	for _, form := range []string{"text", "json", "junit", "markdown", "html"} {
		b.Run(form, func(b *testing.B) {
			for b.Loop() {
				if got := w.seatrial(b.Context(), "wr", "report", "pairs", "-o", form); got.code != Passed || len(got.stdout) < 100 {
					b.Fatal(got.code, got.stderr)
				}
			}
		})
	}
}

func TestStatus(t *testing.T) {
	w := newWorkshop(t)
	r := w.plan(w.workflow("pairs", "Running", 0), "")
	w.result(r, "group-0", v1alpha1.Fail, 12.5)
	got := w.seatrial(t.Context(), "wr", "status", "pairs")
	require.Equal(t, outcome{Passed, `run        seatrial/pairs
framework  mpi
phase      Running
groups     1 of 2 done, 1 failed, best busbw 12.5 GB/s
verdict    unknown
`, ""}, got)

	got = w.seatrial(t.Context(), "wr", "status", "pairs", "-o", "json")
	require.JSONEq(t, `{"name":"pairs","namespace":"seatrial","phase":"Running","message":"","verdict":"unknown","framework":"mpi",
		"groups":{"total":2,"done":1,"endedEarly":0,"failed":1,"bestBusGBps":12.5},"started":"2026-03-01T12:00:00Z","finished":null}`, got.stdout)
}

func TestStatusOfARunThatWasStopped(t *testing.T) {
	// stopped is a run whose first group came to an end with a verdict, if any, and whose others were ended with it.
	stopped := func(t *testing.T, first v1alpha1.Verdict, busGBps float64) *workshop {
		w := newWorkshop(t)
		r := w.plan(w.workflow("pairs", "Failed", time.Minute), "")
		w.early(r, "group-1")
		if first == v1alpha1.Unknown {
			w.early(r, "group-0")
		} else {
			w.result(r, "group-0", first, busGBps)
		}
		w.stopped(r)
		return w
	}
	for name, c := range map[string]struct {
		first   v1alpha1.Verdict
		busGBps float64
		groups  string
		json    string
	}{
		"groups that were ended with the run are not done, and their rows no bandwidth": {v1alpha1.Unknown, 0, "0 of 2 done, 2 ended early", `{"total":2,"done":0,"endedEarly":2,"failed":0,"bestBusGBps":null}`},
		"one that ended before by itself is":                                            {v1alpha1.Fail, 12.5, "1 of 2 done, 1 failed, 1 ended early, best busbw 12.5 GB/s", `{"total":2,"done":1,"endedEarly":1,"failed":1,"bestBusGBps":12.5}`},
		"a bandwidth of 0 that it measured is a value":                                  {v1alpha1.Pass, 0, "1 of 2 done, 1 ended early, best busbw 0 GB/s", `{"total":2,"done":1,"endedEarly":1,"failed":0,"bestBusGBps":0}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := stopped(t, c.first, c.busGBps)
			require.Contains(t, w.seatrial(t.Context(), "wr", "status", "pairs").stdout, "\ngroups     "+c.groups+"\n")
			var one struct{ Groups json.RawMessage }
			require.NoError(t, json.Unmarshal([]byte(w.seatrial(t.Context(), "wr", "status", "pairs", "-o", "json").stdout), &one))
			require.JSONEq(t, c.json, string(one.Groups))
			var all []struct{ Groups json.RawMessage }
			require.NoError(t, json.Unmarshal([]byte(w.seatrial(t.Context(), "wr", "list", "-o", "json").stdout), &all))
			require.JSONEq(t, c.json, string(all[0].Groups))
		})
	}
}

func TestReportOfARunThatWasStoppedBeforeItHadGroups(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(w *workshop, r *cluster.Record)
		says string
	}{
		"it was stopped":               {func(w *workshop, r *cluster.Record) { w.stopped(r) }, "the run was ended before it had groups: Stop was asked for"},
		"nobody closed it":             {func(*workshop, *cluster.Record) {}, "the run was ended before it had groups: the workflow ended"},
		"its report came all the same": {func(w *workshop, r *cluster.Record) { w.close(r, began) }, "the run ended before it had groups"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t)
			r := w.plan(w.workflow("pairs", "Failed", time.Minute), "")
			_, err := cluster.Update(t.Context(), r, record.KeyPlan, func(p *record.Plan) error { p.Groups = nil; return nil })
			require.NoError(t, err)
			c.end(w, r)
			var full v1alpha1.Report
			require.NoError(t, json.Unmarshal([]byte(w.seatrial(t.Context(), "wr", "report", "pairs", "-o", "json").stdout), &full))
			require.Equal(t, v1alpha1.Unknown, full.Verdict)
			for _, n := range full.Nodes {
				require.Equal(t, c.says, n.Reason)
			}
			require.Equal(t, v1alpha1.Counts{Target: 3, Untested: 3}, full.Counts)
		})
	}
}

func TestList(t *testing.T) {
	w := newWorkshop(t)
	got := w.seatrial(t.Context(), "wr", "list")
	require.Equal(t, outcome{Passed, "", "no run in namespace seatrial\n"}, got)

	w.finished("good", v1alpha1.Pass)
	w.finished("bad", v1alpha1.Fail)
	w.workflow("young", "Running", 0)
	got = w.seatrial(t.Context(), "wr", "list")
	require.Equal(t, outcome{Passed, `NAME   PHASE      VERDICT  FRAMEWORK  AGE
bad    Succeeded  fail     mpi        60s
good   Succeeded  pass     mpi        60s
young  Running    unknown  mpi        60s
`, ""}, got)
}

func TestListHasLargerDAGs(t *testing.T) {
	w := newWorkshop(t)
	for _, name := range []string{"certification", "somebody-elses"} { // without a label of ours
		made, err := w.CreateWorkflow(t.Context(), space, map[string]any{
			"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "status": running(),
			"metadata": map[string]any{"name": name, "namespace": space, "uid": "uid-of-" + name},
		})
		require.NoError(t, err)
		if name == "certification" {
			w.plan(made.Owner, "aaaaaa")
		}
	}
	got := w.seatrial(t.Context(), "wr", "list")
	require.Contains(t, got.stdout, "\ncertification  Running")
	require.NotContains(t, got.stdout, "somebody-elses")
}

func TestCancel(t *testing.T) {
	t.Run("stops a run, and its exit handler cleans up", func(t *testing.T) {
		w := newWorkshop(t)
		w.workflow("pairs", "Running", 0)
		w.finished("done", v1alpha1.Pass)
		got := w.seatrial(t.Context(), "wr", "cancel", "pairs", "nosuch", "done")
		require.Equal(t, outcome{Passed, "", `workflow seatrial/pairs is stopping; its exit handler deletes the pods that are left
no run nosuch in namespace seatrial
workflow seatrial/done is over already (Succeeded)
`}, got)
		stopped, err := w.Workflow(t.Context(), space, "pairs")
		require.NoError(t, err)
		require.Equal(t, "Stop", stopped.Shutdown)
		require.Contains(t, w.seatrial(t.Context(), "wr", "status", "pairs").stdout, "Running, stopping")
	})
	t.Run("--delete deletes it", func(t *testing.T) {
		w := newWorkshop(t)
		w.workflow("pairs", "Running", 0)
		got := w.seatrial(t.Context(), "wr", "cancel", "--delete", "pairs", "nosuch")
		require.Equal(t, outcome{Passed, "", "workflow seatrial/pairs deleted, with all that it made\nno run nosuch in namespace seatrial\n"}, got)
		require.Empty(t, w.workflowNames())
	})
}
