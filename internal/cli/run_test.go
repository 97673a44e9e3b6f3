package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
)

const sound = `apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata:
  name: pairs
spec:
  image: example/nccl:1
  framework:
    mpi:
      mpirunPath: /usr/local/mpi/bin/mpirun
      binary: /usr/local/bin/all_reduce_perf_mpi
      args: ["-b", "8", "-e", "32G"]
  numNodes: 2
  target:
    nodeNames: []
  thresholds:
    busBandwidthGBps: value >= 1
`

// submitted reads what was submitted: its labels, template and parameters.
func (w *workshop) submitted(name string) (labels map[string]string, template string, parameters map[string]string) {
	u, err := w.Dynamic.Resource(argo("workflows")).Namespace(space).Get(w.t.Context(), name, metav1.GetOptions{})
	require.NoError(w.t, err)
	template, _, err = unstructured.NestedString(u.Object, "spec", "workflowTemplateRef", "name")
	require.NoError(w.t, err)
	list, _, err := unstructured.NestedSlice(u.Object, "spec", "arguments", "parameters")
	require.NoError(w.t, err)
	parameters = map[string]string{}
	for _, p := range list {
		pair, is := p.(map[string]any)
		require.True(w.t, is)
		name, _, _ := unstructured.NestedString(pair, "name")
		parameters[name], _, _ = unstructured.NestedString(pair, "value")
	}
	return u.GetLabels(), template, parameters
}

func (w *workshop) workflowNames() []string {
	list, err := w.Dynamic.Resource(argo("workflows")).List(w.t.Context(), metav1.ListOptions{})
	require.NoError(w.t, err)
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].GetNamespace()+"/"+list.Items[i].GetName())
	}
	return names
}

func TestRunSubmits(t *testing.T) {
	t.Run("the file's spec and name as parameters of the framework's template", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.stdin = sound
		got := w.seatrial(t.Context(), "workloadrun", "run", "-")
		require.Equal(t, Passed, got.code, got.stderr)
		require.Empty(t, got.stdout)
		require.Equal(t, "workflow seatrial/pairs created\n  seatrial workloadrun status -n seatrial pairs\n  seatrial workloadrun report -n seatrial pairs\n", got.stderr)

		labels, template, parameters := w.submitted("pairs")
		require.Equal(t, "workloadrun-mpi", template)
		require.Equal(t, "seatrial", labels["app.kubernetes.io/managed-by"])
		require.Equal(t, "pairs", labels["seatrial.dev/run"])
		require.Equal(t, "mpi", labels["seatrial.dev/framework"])
		require.ElementsMatch(t, []string{"name", "spec"}, keys(parameters))

		run, err := v1alpha1.Load("x", []byte(sound))
		require.NoError(t, err)
		spec, _, err := v1alpha1.ParseParameters("mpi", parameters)
		require.NoError(t, err)
		require.Equal(t, run.Spec, *spec, "the plugin reads the spec that the file holds, an empty list of nodes too")
	})
	t.Run("flags as parameters, under another name", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.stdin = sound
		got := w.seatrial(t.Context(), "wr", "run", "-", "--name", "again", "--image", "other:2", "--cleanup", "never",
			"--retry-failed-groups", "2", "--probe-warn-after", "5m", "--node-list", "gpu-node-03", "--busy-nodes", "exclude", "--artifacts", "--keep-report")
		require.Equal(t, Passed, got.code, got.stderr)
		labels, _, parameters := w.submitted("again")
		require.Equal(t, "pairs", labels["seatrial.dev/run"])
		delete(parameters, "spec")
		require.Equal(t, map[string]string{
			"name": "pairs", "image": "other:2", "cleanup": "never", "retryFailedGroups": "2", "probeWarnAfter": "5m",
			"nodeNames": `["gpu-node-03"]`, "numNodes": "1", "busyNodes": "exclude", "artifacts": "true", "keepReport": "true",
		}, parameters)
	})
	t.Run("overrides know the run by the file's name, whatever the workflow is called", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.stdin = sound + `  overrides:
  - when: {}
    dependencies:
    - {apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainingRuntime, metadata: {name: pairs-runtime}, spec: {template: {spec: {suspend: false}}}}
`
		got := w.seatrial(t.Context(), "wr", "run", "-", "--name", "again")
		require.Equal(t, Passed, got.code, got.stderr)
	})
	t.Run("a longer list of nodes never raises numNodes", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.stdin = sound
		require.Equal(t, Passed, w.seatrial(t.Context(), "wr", "run", "-", "--node-list", "a, b, c").code)
		_, _, parameters := w.submitted("pairs")
		require.NotContains(t, parameters, "numNodes")
		require.Equal(t, `["a", "b", "c"]`, parameters["nodeNames"])
	})
	t.Run("text that Argo would take for its own is encoded", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.stdin = strings.Replace(sound, `"-b"`, `"{{workflow.name}}"`, 1)
		require.Equal(t, Passed, w.seatrial(t.Context(), "wr", "run", "-").code)
		_, _, parameters := w.submitted("pairs")
		require.NotContains(t, parameters["spec"], "{{")
		spec, _, err := v1alpha1.ParseParameters("mpi", parameters)
		require.NoError(t, err)
		require.Equal(t, "{{workflow.name}}", spec.Framework.MPI.Args[0])
	})
	t.Run("into the namespace of -n, else the file's, else the kubeconfig's", func(t *testing.T) {
		inFile := strings.Replace(sound, "name: pairs", "name: pairs\n  namespace: of-file", 1)
		for name, tt := range map[string]struct {
			text string
			args []string
			want string
		}{
			"flag":       {sound, []string{"-n", "of-flag"}, "of-flag"},
			"both":       {inFile, []string{"-n", "of-file"}, "of-file"},
			"file":       {inFile, nil, "of-file"},
			"kubeconfig": {sound, nil, "seatrial"},
		} {
			w := newWorkshop(t)
			w.stdin = tt.text
			got := w.seatrial(t.Context(), append([]string{"wr", "run", "-"}, tt.args...)...)
			require.Equal(t, Unsure, got.code, name)
			require.Contains(t, got.stderr, "namespace "+tt.want+": is not there", name)
		}
	})
	t.Run("never into one of two namespaces", func(t *testing.T) {
		for _, verb := range []string{"run", "render", "explain"} {
			w := newWorkshop(t)
			w.install()
			w.stdin = strings.Replace(sound, "name: pairs", "name: pairs\n  namespace: of-file", 1)
			args := map[string][]string{"run": {"wr", "run", "-"}, "render": {"wr", "render", "-"}, "explain": {"explain", "-", "spec.image"}}[verb]
			got := w.seatrial(t.Context(), append(args, "-n", "of-flag")...)
			require.Equal(t, Misused, got.code)
			require.Equal(t, "stdin:5: metadata.namespace: is of-file, and -n is of-flag; the same in both, or one of them, would do\n", got.stderr)
			require.Empty(t, w.workflowNames())
		}
	})
}

const allWrong = `stdin:3: spec.numNodes: is missing or 0; the nodes of one group, at least 1, would do
--name: "A" is not a name; lower-case letters, digits and dashes, at most 63, would do
--image: contains {{, which belongs to Argo; in the file it would do
--cleanup: is "x"; one of always, onSuccess, never would do
--max-nodes: is "-1"; a whole number, at least 1, would do
--node-list: holds an empty name; names with commas between them would do
--node-list: names a twice; once would do
--workload-registry, --workload-registry-username and --workload-registry-password must all be set together and non-empty
`

func TestRunCreatesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		text   string
		args   []string
		before func(w *workshop)
		code   Code
		stderr string
	}{
		"when the file is wrong, and says all that is": {
			text: "apiVersion: nvcre.nvidia.com/v1alpha1\nmetadata: {name: pairs}\nspec:\n  imagge: x\n  numNodes: 0\n", code: Misused,
			stderr: "stdin:4: spec.imagge: unknown field; did you mean image?\nstdin:5: spec.numNodes: is missing or 0; the nodes of one group, at least 1, would do",
		},
		"when file and flags are wrong, and says all that is": {
			text: "apiVersion: nvcre.nvidia.com/v1alpha1\nmetadata: {name: pairs}\nspec: {image: i, framework: {exec: {command: [a]}}}\n", code: Misused,
			args:   []string{"--name", "A", "--cleanup", "x", "--max-nodes", "-1", "--node-list", "a,,a", "--image", "{{x}}", "--workload-registry", "r"},
			stderr: allWrong,
		},
		"when a flag is wrong":                           {args: []string{"--cleanup", "sometimes"}, code: Misused, stderr: `--cleanup: is "sometimes"; one of always, onSuccess, never would do`},
		"when --wait is missing, beside another mistake": {args: []string{"--results-file", "x.json", "--cleanup", "x"}, code: Misused, stderr: "--cleanup: is \"x\"; one of always, onSuccess, never would do\n--results-file: needs --wait; with it, or without the file, would do\n"},
		"when -n is no namespace":                        {args: []string{"-n", "A B"}, code: Misused, stderr: "is not a namespace; lower-case letters, digits and dashes, at most 63, would do"},
		"when a flag holds what belongs to Argo":         {args: []string{"--image", "{{x}}"}, code: Misused, stderr: "--image: contains {{"},
		"when the list of nodes is empty":                {args: []string{"--node-list", ""}, code: Misused, stderr: "--node-list: holds an empty name"},
		"when the list of nodes repeats one":             {args: []string{"--node-list", "a,b,a"}, code: Misused, stderr: "--node-list: names a twice"},
		"when the name cannot be one":                    {args: []string{"--name", "A_B"}, code: Misused, stderr: `--name: "A_B" is not a name`},
		"when --timeout is too short":                    {args: []string{"--wait", "--timeout", "10ms"}, code: Misused, stderr: "--timeout: is 10ms; at least 1s would do"},
		"when --results-file has nothing to hold":        {args: []string{"--results-file", "x.json"}, code: Misused, stderr: "--results-file: needs --wait; with it, or without the file, would do\n"},
		"when --results-file cannot be written":          {args: []string{"--wait", "--results-file", "/nowhere/x.json"}, code: Misused, stderr: "making --results-file"},
		"when a workflow of the name exists":             {before: func(w *workshop) { w.workflow("pairs", "Running", 0) }, code: Misused, stderr: "workflow pairs exists in namespace seatrial (Running); choose another --name, or delete it with `seatrial workloadrun cancel --delete -n seatrial pairs`"},
		"when the template is of another version":        {before: func(w *workshop) { w.retemplate("workloadrun-mpi", "0.0.1") }, code: Unsure, stderr: "WorkflowTemplate workloadrun-mpi in seatrial: is of version 0.0.1"},
		"when the plugin is in the namespace as well":    {before: func(w *workshop) { w.plugin(space, "0.1.0") }, code: Unsure, stderr: "its ConfigMap is in 2 namespaces: argo, seatrial; kubectl delete configmap -n seatrial seatrial-executor-plugin"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t)
			w.install()
			w.stdin = sound
			if tt.text != "" {
				w.stdin = tt.text
			}
			if tt.before != nil {
				tt.before(w)
			}
			had := w.workflowNames()
			got := w.seatrial(t.Context(), append([]string{"wr", "run", "-"}, tt.args...)...)
			require.Equal(t, tt.code, got.code, got.stderr)
			require.Contains(t, got.stderr, tt.stderr)
			require.Empty(t, got.stdout)
			require.Equal(t, had, w.workflowNames())
		})
	}
	t.Run("when nothing is installed, and says what to do", func(t *testing.T) {
		w := newWorkshop(t)
		w.stdin = sound
		got := w.seatrial(t.Context(), "wr", "run", "-")
		require.Equal(t, Unsure, got.code)
		for _, line := range []string{
			"missing  Argo Workflows: workflows.argoproj.io is not served; install Argo Workflows 3.6 to 4.1",
			"missing  Kubeflow Trainer: trainjobs.trainer.kubeflow.org is not served; install Kubeflow Trainer 2.0 or later",
			"missing  JobSet: ", "missing  executor plugin seatrial: is not there; kubectl apply -k manifests/cluster", "missing  namespace seatrial: ",
			"nothing was created",
		} {
			require.Contains(t, got.stderr, line)
		}
		require.Empty(t, w.workflowNames())
	})
}

func (w *workshop) retemplate(name, of string) {
	require.NoError(w.t, w.Dynamic.Resource(argo("workflowtemplates")).Namespace(space).Delete(w.t.Context(), name, metav1.DeleteOptions{}))
	w.template(name, of)
}

// script is what happens in the cluster while `run --wait` waits.
func (w *workshop) script(steps map[int]func()) {
	w.waits = func(n int) {
		if step := steps[n]; step != nil {
			step()
		}
	}
}

func TestRunWaits(t *testing.T) {
	// begin submits and lets the run go through plan and groups, with one verdict for the second.
	begin := func(t *testing.T, second v1alpha1.Verdict) *workshop {
		w := newWorkshop(t)
		w.install()
		w.stdin = sound
		owner := cluster.Owner{Namespace: space, Name: "pairs"}
		var r *cluster.Record
		w.script(map[int]func(){
			1: func() { w.update(running()); r = w.plan(owner, "") },
			2: func() { w.result(r, "group-0", v1alpha1.Pass, 400) },
			8: func() { w.result(r, "group-1", second, 500); w.close(r, began); w.update(over("Failed")) },
		})
		return w
	}
	t.Run("a pass is exit 0, whatever Argo's phase is", func(t *testing.T) {
		w := begin(t, v1alpha1.Pass)
		file := filepath.Join(t.TempDir(), "r.json")
		require.NoError(t, os.WriteFile(file, []byte("an earlier run's"), 0o600))
		got := w.seatrial(t.Context(), "wr", "run", "-", "--wait", "--results-file", file)
		require.Equal(t, Passed, got.code, got.stderr)
		require.Contains(t, got.stdout, "PASS: 2 groups passed")
		require.Equal(t, `workflow seatrial/pairs created
     0s  Pending
     5s  Running  groups 0 of 2 done
    10s  Running  groups 1 of 2 done, best busbw 400 GB/s
    25s  Running  groups 1 of 2 done, best busbw 400 GB/s
    40s  Failed  groups 2 of 2 done, best busbw 500 GB/s
`, got.stderr)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var full v1alpha1.Report
		require.NoError(t, json.Unmarshal(text, &full))
		require.Equal(t, v1alpha1.Pass, full.Verdict)
	})
	t.Run("a fail is exit 1", func(t *testing.T) {
		got := begin(t, v1alpha1.Fail).seatrial(t.Context(), "wr", "run", "-", "--wait", "-o", "json")
		require.Equal(t, Failed, got.code)
		var full v1alpha1.Report
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &full))
		require.Equal(t, v1alpha1.Fail, full.Verdict)
		require.Contains(t, got.stderr, "2 of 2 done, 1 failed")
	})
	t.Run("an unknown is exit 3", func(t *testing.T) {
		got := begin(t, v1alpha1.Unknown).seatrial(t.Context(), "wr", "run", "-", "--wait")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stdout, "UNKNOWN")
	})
	t.Run("a timeout prints the partial report and is exit 3, and the run goes on", func(t *testing.T) {
		w := begin(t, v1alpha1.Pass)
		got := w.seatrial(t.Context(), "wr", "run", "-", "--wait", "--timeout", "12s")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stdout, "UNKNOWN")
		require.Contains(t, got.stdout, "not finished")
		require.Contains(t, got.stderr, "not over after 12s; the run goes on")
		require.Contains(t, got.stderr, "seatrial workloadrun cancel -n seatrial pairs")
		require.Equal(t, []string{"seatrial/pairs"}, w.workflowNames())
	})
	t.Run("an interrupt leaves the run going and is exit 3", func(t *testing.T) {
		w := begin(t, v1alpha1.Pass)
		ctx, interrupt := context.WithCancel(t.Context())
		w.script(map[int]func(){1: interrupt})
		file := filepath.Join(t.TempDir(), "r.json")
		require.NoError(t, os.WriteFile(file, []byte("an earlier run's"), 0o600))
		got := w.seatrial(ctx, "wr", "run", "-", "--wait", "--results-file", file)
		require.Equal(t, Unsure, got.code)
		require.Empty(t, got.stdout)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, text, "an earlier run's result would pass for this one's")
		require.Contains(t, got.stderr, "interrupted; the run goes on")
		require.Equal(t, []string{"seatrial/pairs"}, w.workflowNames())
	})
	t.Run("on a terminal one line moves, and each phase leaves its last one", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.stdin, w.terminal = sound, true
		var r *cluster.Record
		w.script(map[int]func(){ // one wait is a second here
			4: func() { w.update(running()) },
			8: func() {
				r = w.plan(cluster.Owner{Namespace: space, Name: "pairs"}, "")
				w.result(r, "group-0", v1alpha1.Pass, 400)
			},
			14: func() { w.result(r, "group-1", v1alpha1.Fail, 100) },
			18: func() { w.close(r, began); w.update(over("Failed")) },
		})
		got := w.seatrial(t.Context(), "wr", "run", "-", "--wait")
		require.Equal(t, Failed, got.code)
		require.Equal(t, []string{
			"workflow seatrial/pairs created",
			"     5s  waiting for Argo",
			"    10s  planning",
			"    15s  testing [##########----------] 1 of 2 done, best busbw 400 GB/s",
			"    20s  finishing  groups 2 of 2 done, 1 failed, best busbw 400 GB/s",
			"    20s  Failed  groups 2 of 2 done, 1 failed, best busbw 400 GB/s",
			"",
		}, asSeen(got.stderr))
		require.Equal(t, 20+5, strings.Count(got.stderr, "\x1b[2K"), "every second, and at every look")
	})
	t.Run("groups that are ended with the run are not shown as done", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.stdin, w.terminal = sound, true
		var r *cluster.Record
		w.script(map[int]func(){
			4: func() {
				w.update(running())
				r = w.plan(cluster.Owner{Namespace: space, Name: "pairs"}, "")
			},
			8:  func() { w.early(r, "group-0"); w.early(r, "group-1") },
			14: func() { w.stopped(r); w.update(over("Failed")) },
		})
		got := w.seatrial(t.Context(), "wr", "run", "-", "--wait")
		require.Equal(t, Unsure, got.code)
		require.Equal(t, []string{
			"workflow seatrial/pairs created",
			"     5s  waiting for Argo",
			"    10s  testing [--------------------] 0 of 2 done",
			"    15s  finishing  groups 0 of 2 done, 2 ended early",
			"    15s  Failed  groups 0 of 2 done, 2 ended early",
			"",
		}, asSeen(got.stderr))
	})
	t.Run("an interrupt leaves what was seen last on a line of its own", func(t *testing.T) {
		w := begin(t, v1alpha1.Pass)
		w.terminal = true
		ctx, interrupt := context.WithCancel(t.Context())
		w.script(map[int]func(){3: interrupt})
		require.Equal(t, []string{"     2s  waiting for Argo", "interrupted; the run goes on. To follow it, or to stop it:"},
			asSeen(w.seatrial(ctx, "wr", "run", "-", "--wait").stderr)[1:3])
	})
	t.Run("a workflow that ends without a record says why and is exit 3", func(t *testing.T) {
		w := begin(t, v1alpha1.Pass)
		w.script(map[int]func(){1: func() {
			status := over("Error")
			status["message"] = "no agent\x1b[31m pod"
			w.update(status)
		}})
		got := w.seatrial(t.Context(), "wr", "run", "-", "--wait")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stderr, "the workflow ended without a plan: it is Error: no agent pod")
		require.Contains(t, got.stdout, "UNKNOWN (infrastructure)")
		require.NotContains(t, got.stdout+got.stderr, "\x1b")
	})
	t.Run("an agent that was evicted before there was a plan says the way out", func(t *testing.T) {
		w := begin(t, v1alpha1.Pass)
		w.script(map[int]func(){1: func() {
			status := over("Error")
			status["nodes"] = map[string]any{"x": map[string]any{"type": "Plugin", "phase": "Error", "message": `agent pod failed with reason:"Evicted"`}}
			w.update(status)
		}})
		got := w.seatrial(t.Context(), "wr", "run", "-", "--wait")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stderr, "agent pod failed with reason:\"Evicted\"; `argo retry pairs` runs it again")
	})
	t.Run("a workflow that is deleted meanwhile is exit 3", func(t *testing.T) {
		w := begin(t, v1alpha1.Pass)
		w.script(map[int]func(){1: func() { require.NoError(t, w.DeleteWorkflow(t.Context(), space, "pairs")) }})
		got := w.seatrial(t.Context(), "wr", "run", "-", "--wait")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stderr, "was deleted")
	})
	t.Run("another workflow of the same name is not the one that was submitted", func(t *testing.T) {
		w := begin(t, v1alpha1.Pass)
		w.script(map[int]func(){1: func() {
			require.NoError(t, w.DeleteWorkflow(t.Context(), space, "pairs"))
			w.finished("pairs", v1alpha1.Pass)
		}})
		got := w.seatrial(t.Context(), "wr", "run", "-", "--wait")
		require.Equal(t, Unsure, got.code)
		require.Contains(t, got.stderr, "was deleted")
	})
}

// asSeen is what a terminal shows of lines that were erased and written anew.
func asSeen(text string) []string {
	var seen []string
	for line := range strings.SplitSeq(text, "\n") {
		if last := strings.LastIndex(line, eraseLine); last >= 0 {
			line = line[last+len(eraseLine):]
		}
		seen = append(seen, line)
	}
	return seen
}

func TestTheBarIsFullOnlyAtTheEnd(t *testing.T) {
	for done, want := range map[int]string{0: "[--------------------]", 499: "[#########-----------]", 999: "[###################-]", 1000: "[####################]"} {
		require.Equal(t, want, tally{Total: 1000, Done: done}.bar())
	}
	require.Equal(t, "[--------------------]", tally{}.bar())
}

func TestProgressBeforeTheGroups(t *testing.T) {
	w := newWorkshop(t)
	owner := w.workflow("pairs", "Running", 0)
	r := w.plan(owner, "")
	_, err := cluster.Update(t.Context(), r, record.KeyPlan, func(p *record.Plan) error { p.Groups = nil; return nil })
	require.NoError(t, err)
	s, err := readState(t.Context(), w.Cluster, space, "pairs")
	require.NoError(t, err)
	require.Equal(t, "Running  3 nodes, no groups yet", s.progress())
	require.Equal(t, 30*time.Minute, defaultWait)
}

func keys(m map[string]string) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	return all
}
