package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/generator/fragments"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/planning"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

const examples = "../../api/v1alpha1/testdata/examples"

const twoNodes = `{"kind": "List", "items": [
{"kind": "Node", "metadata": {"name": "n1", "labels": {"nvidia.com/gpu.present": "true", "kubernetes.io/hostname": "n1"}}, "status": {"allocatable": {"nvidia.com/gpu": "1"}}},
{"kind": "Node", "metadata": {"name": "n2", "labels": {"nvidia.com/gpu.present": "true", "kubernetes.io/hostname": "n2"}}, "status": {"allocatable": {"nvidia.com/gpu": "1"}}}]}`

func TestRender(t *testing.T) {
	t.Run("every_published_example_for_every_platform", func(t *testing.T) {
		files, err := filepath.Glob(examples + "/*.yaml")
		require.NoError(t, err)
		require.Len(t, files, 12)
		for _, file := range files {
			for _, platform := range []string{"aws", "gcp", "azure", "oci", "onprem"} {
				got := newWorkshop(t).seatrial(t.Context(), "wr", "render", file, "--platform", platform)
				require.Equal(t, Passed, got.code, "%s %s: %s", file, platform, got.stderr)
				require.Contains(t, got.stdout, "kind: Workflow")
				require.Contains(t, got.stdout, "kind: TrainJob")
				if !strings.Contains(file, "unpinned") { // the scheduler chooses
					require.Contains(t, got.stdout, "<node-0>")
				}
			}
		}
	})
	t.Run("objects_are_byte_for_byte_what_the_plan_makes", func(t *testing.T) {
		w := newWorkshop(t)
		nodes := filepath.Join(t.TempDir(), "nodes.json")
		require.NoError(t, os.WriteFile(nodes, []byte(twoNodes), 0o600))
		w.stdin = strings.Replace(strings.Replace(sound, "  target:\n    nodeNames: []\n", "", 1), "numNodes: 2", "numNodes: 1", 1)
		got := w.seatrial(t.Context(), "wr", "render", "-", "--nodes", nodes, "--what", "objects", "-n", "lab")
		require.Equal(t, Passed, got.code, got.stderr)

		s, err := prepare("stdin", []byte(w.stdin), "lab", runFlags{})
		require.NoError(t, err)
		all, err := fragments.All()
		require.NoError(t, err)
		list, err := readNodes("nodes", []byte(twoNodes))
		require.NoError(t, err)
		owner := cluster.Owner{Namespace: "lab", Name: "pairs"}
		plan := planning.Of(s.framework, s.parameters, cluster.Workflow{Owner: owner}, planning.Seen{Nodes: list, Fragments: all})
		require.NoError(t, planning.Cut(&plan))
		require.Len(t, plan.Groups, 2)
		want := ""
		for _, g := range plan.Groups {
			objects, err := resolve.Objects(plan.Objects(owner, "", g, 1))
			require.NoError(t, err)
			for _, o := range objects {
				text, err := yaml.Marshal(o.Object)
				require.NoError(t, err)
				want += "---\n" + string(text)
			}
		}
		require.Equal(t, want, got.stdout)
	})
	t.Run("JSON_is_one_list", func(t *testing.T) {
		got := newWorkshop(t).seatrial(t.Context(), "wr", "render", examples+"/12-exec.yaml", "-o", "json", "--gpu-arch", "h100")
		require.Equal(t, Passed, got.code, got.stderr)
		var list struct {
			Kind  string           `json:"kind"`
			Items []map[string]any `json:"items"`
		}
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &list))
		require.Equal(t, "List", list.Kind)
		require.Equal(t, "Workflow", list.Items[0]["kind"])
	})
	t.Run("a_reserved_name_is_refused_as_run_refuses_it", func(t *testing.T) {
		const wrong = "  volumes: [{name: mpi-ssh-auth, emptyDir: {}}]\n"
		const want = "stdin:17: spec.volumes[0].name: is \"mpi-ssh-auth\", taken by the ssh keys that Trainer adds; another name would do\n"
		for _, verb := range []string{"run", "render"} {
			w := newWorkshop(t)
			w.install()
			w.stdin = sound + wrong
			require.Equal(t, outcome{Misused, "", want}, w.seatrial(t.Context(), "wr", verb, "-"), verb)
			require.Empty(t, w.workflowNames())
		}
	})
	t.Run("hostile_text_arrives_unchanged", func(t *testing.T) {
		w := newWorkshop(t)
		w.stdin = sound + "  config: {inline: {run.sh: \"{{workflow.name}} {{=1+1}} {{.Names}} [[ $a ]]\"}}\n  gpusPerNode: 1\n"
		w.stdin = strings.Replace(w.stdin, "  target:\n    nodeNames: []\n", "", 1)
		got := w.seatrial(t.Context(), "wr", "render", "-", "--what", "objects")
		require.Equal(t, Passed, got.code, got.stderr)
		require.Contains(t, got.stdout, "'{{workflow.name}} {{=1+1}} {{.Names}} [[ $a ]]'")
		got = w.seatrial(t.Context(), "wr", "render", "-", "--what", "workflow")
		require.NotContains(t, got.stdout, "{{", "Argo's template engine must not see it")
	})
	t.Run("what_cannot_be_is_exit_2", func(t *testing.T) {
		for args, want := range map[string]string{
			"--platform moon": `--platform: is "moon"; one of aws`, "--gpu-arch x": `--gpu-arch: is "x"; one of a100`,
			"--what x": "--what", "-o x": "--output", "--nodes x --dry-run": "--dry-run",
		} {
			got := newWorkshop(t).seatrial(t.Context(), append([]string{"wr", "render", examples + "/01-basic.yaml"}, strings.Fields(args)...)...)
			require.Equal(t, Misused, got.code, args)
			require.Contains(t, got.stderr, want)
		}
	})
}

func TestRender_with_fragments_of_a_folder(t *testing.T) {
	folder := t.TempDir()
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "site.yaml"), []byte(text), 0o600))
	}
	render := func() outcome {
		return newWorkshop(t).seatrial(t.Context(), "wr", "render", examples+"/01-basic.yaml", "--gpu-arch", "h100", "--platform", "aws", "--what", "objects", "--fragments", folder)
	}
	r := render()
	require.Equal(t, Misused, r.code)
	require.Contains(t, r.stderr, "holds none")

	write("description: d\nenv: [{name: SITE, value: here}]\n")
	r = render()
	require.Equal(t, Passed, r.code, r.stderr)
	require.Contains(t, r.stdout, "SITE=here")
	require.NotContains(t, r.stdout, "NCCL_DEBUG=INFO", "the folder's are all that there are")

	require.Contains(t, r.stderr, "warning: none of the fragments has `defaults: true`")

	both := newWorkshop(t).seatrial(t.Context(), "wr", "render", examples+"/01-basic.yaml", "--gpu-arch", "h100", "--platform", "aws", "--what", "objects", "--fragments", "../../templates", "--fragments", folder)
	require.Equal(t, Passed, both.code, both.stderr)
	require.Contains(t, both.stdout, "SITE=here")
	require.Contains(t, both.stdout, "NCCL_NVLS_ENABLE=1")
	require.NotContains(t, both.stderr, "defaults: true")

	twice := newWorkshop(t).seatrial(t.Context(), "wr", "render", examples+"/01-basic.yaml", "--gpu-arch", "h100", "--fragments", folder, "--fragments", folder)
	require.Equal(t, Misused, twice.code)
	require.Contains(t, twice.stderr, `is named "site", as site.yaml is; another name would do`)

	write("description: d\nenvs: []\n")
	r = render()
	require.Equal(t, Misused, r.code)
	require.Contains(t, r.stderr, "site.yaml:2: envs: unknown field; did you mean env?")

	t.Run("the generated templates are such a folder", func(t *testing.T) {
		with := newWorkshop(t).seatrial(t.Context(), "wr", "render", examples+"/01-basic.yaml", "--gpu-arch", "gb300", "--platform", "aws", "--fragments", "../../templates")
		without := newWorkshop(t).seatrial(t.Context(), "wr", "render", examples+"/01-basic.yaml", "--gpu-arch", "gb300", "--platform", "aws")
		require.Equal(t, Passed, with.code, with.stderr)
		require.Equal(t, without.stdout, with.stdout)
	})
}

func TestRender_names_the_nodes_that_are_left_out(t *testing.T) {
	w := newWorkshop(t)
	nodes := filepath.Join(t.TempDir(), "nodes.json")
	require.NoError(t, os.WriteFile(nodes, []byte(strings.Replace(twoNodes, `"status"`, `"spec": {"unschedulable": true}, "status"`, 1)), 0o600))
	w.stdin = strings.Replace(strings.Replace(sound, "  target:\n    nodeNames: []\n", "", 1), "numNodes: 2", "numNodes: 1", 1)
	got := w.seatrial(t.Context(), "wr", "render", "-", "--nodes", nodes, "--what", "objects")
	require.Equal(t, Passed, got.code, got.stderr)
	require.Contains(t, got.stderr, "left out: n1: cordoned\n")
}

// The examples of the help are what a reader tries first.
func TestTheExamplesOfExplainWork(t *testing.T) {
	tried := 0
	for line := range strings.Lines((&app{}).explainCommand().Example) {
		_, rest, is := strings.Cut(strings.TrimSpace(line), "my-workload.yaml ")
		require.True(t, is, line)
		args := append([]string{"explain", examples + "/01-basic.yaml"}, strings.Fields(strings.ReplaceAll(rest, "'", ""))...)
		got := newWorkshop(t).seatrial(t.Context(), args...)
		require.Equal(t, Passed, got.code, got.stderr)
		tried++
	}
	require.Equal(t, 2, tried)
}

func TestReadNodes_says_what_is_wrong_without_the_words_of_a_library(t *testing.T) {
	for text, want := range map[string]string{
		"garbage {":                      "nodes: is not the List that `kubectl get nodes -o json` prints: it is a string",
		"{\n\"kind\": }":                 "nodes: is not the List that `kubectl get nodes -o json` prints: line 2: invalid character '}' looking for beginning of value",
		`{"kind": "List", "items": "x"}`: "nodes: is not the List that `kubectl get nodes -o json` prints: items is a string",
		"a: [":                           "nodes: is not the List that `kubectl get nodes -o json` prints: line 1: did not find expected node content",
		`{"kind": "List", "items": [{"kind": 1}]}`: "nodes: is not the List that `kubectl get nodes -o json` prints: items.kind is a number",
	} {
		_, err := readNodes("nodes", []byte(text))
		require.EqualError(t, err, want)
	}
}
