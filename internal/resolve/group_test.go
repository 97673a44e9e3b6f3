package resolve

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator/fragments"
)

var update = flag.Bool("update", false, "write golden files anew")

const examples = "../../api/v1alpha1/testdata/examples"

func load(t testing.TB, file string) *v1alpha1.WorkloadRun {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	run, err := v1alpha1.Load(file, text)
	require.NoError(t, err)
	return run
}

// group is group-0 of a run on its first nodes, with 8 GPUs each unless the run says otherwise.
func group(run *v1alpha1.WorkloadRun) Group {
	g := Group{
		Names:     Names{Workflow: run.Metadata.Name, Run: run.Metadata.Name, Group: "group-0", Attempt: 1},
		Namespace: "default", Spec: &run.Spec, Facts: Facts{GPUs: 8, Architecture: "h100"},
	}
	for i := range run.Spec.NumNodes {
		name := fmt.Sprintf("gpu-node-%02d", i+1)
		g.Nodes = append(g.Nodes, Node{Name: name, Hostname: name, Product: "NVIDIA-H100-80GB-HBM3", GPUs: 8})
	}
	if asked := run.Spec.GPUsPerNode; asked != nil {
		g.GPUs = *asked
	}
	g.Fragments = defaults()
	return g
}

// defaults is the fragment that every run has.
var defaults = sync.OnceValue(func() []v1alpha1.NamedFragment {
	all, err := fragments.All()
	if err != nil {
		panic(err)
	}
	matching, _, err := Fragments(all, Facts{Architecture: "h100"}, v1alpha1.FrameworkMPI, 2)
	if err != nil {
		panic(err)
	}
	return matching
})

func render(t testing.TB, in Group) []byte {
	t.Helper()
	objects, err := Objects(in)
	require.NoError(t, err)
	var b bytes.Buffer
	for _, o := range objects {
		text, err := yaml.Marshal(o.Object)
		require.NoError(t, err)
		b.WriteString("---\n")
		b.Write(text)
	}
	return b.Bytes()
}

// The published examples, whole, and one run of everything that they do not show.
func TestObjects_golden(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(examples, "*.yaml"))
	require.NoError(t, err)
	require.Len(t, files, 12)
	files = append(files, "testdata/env.run.yaml", "testdata/override.run.yaml", "testdata/everything.run.yaml")
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".yaml"), ".run")
		t.Run(name, func(t *testing.T) {
			got, golden := render(t, group(load(t, file))), filepath.Join("testdata", name+".golden.yaml")
			if *update {
				require.NoError(t, os.WriteFile(golden, got, 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

func runtimeOf(t testing.TB, in Group) (*trainer.TrainingRuntime, *trainer.TrainJob) {
	t.Helper()
	objects, err := Objects(in)
	require.NoError(t, err)
	var r trainer.TrainingRuntime
	var j trainer.TrainJob
	convert := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation
	require.NoError(t, convert(objects[len(objects)-2].Object, &r, true))
	require.NoError(t, convert(objects[len(objects)-1].Object, &j, true))
	return &r, &j
}

func TestObjects(t *testing.T) {
	basic := func(t *testing.T) Group { return group(load(t, filepath.Join(examples, "01-basic.yaml"))) }
	t.Run("the_same_run_gives_the_same_bytes_also_after_the_record", func(t *testing.T) {
		run := load(t, "testdata/override.run.yaml")
		first := render(t, group(run))
		for range 20 {
			require.Equal(t, string(first), string(render(t, group(run))))
		}
		text, err := json.Marshal(run.Spec)
		require.NoError(t, err)
		run.Spec = v1alpha1.WorkloadRunSpec{}
		require.NoError(t, json.Unmarshal(text, &run.Spec))
		require.Equal(t, string(first), string(render(t, group(run))), "launch, which reads the record, must create what render prints")
	})
	t.Run("what_a_TrainJob_refers_to_comes_before_it", func(t *testing.T) {
		objects, err := Objects(group(load(t, "testdata/override.run.yaml")))
		require.NoError(t, err)
		var kinds []string
		for _, o := range objects {
			kinds = append(kinds, o.GetKind())
		}
		require.Equal(t, []string{"ConfigMap", "TrainingRuntime", "TrainJob"}, kinds)
		ref, _, _ := unstructured.NestedString(objects[2].Object, "spec", "runtimeRef", "name")
		require.Equal(t, objects[1].GetName(), ref)
		require.Contains(t, string(render(t, group(load(t, "testdata/override.run.yaml")))), "name: "+objects[0].GetName()+"\n", "the volume names the ConfigMap")
	})
	t.Run("every_object_job_and_pod_carries_the_runs_labels", func(t *testing.T) {
		in := group(load(t, "testdata/override.run.yaml"))
		objects, err := Objects(in)
		require.NoError(t, err)
		for _, o := range objects {
			require.Subset(t, o.GetLabels(), in.Names.Labels(), o.GetKind())
		}
		r, _ := runtimeOf(t, in)
		for _, j := range r.Spec.Template.Spec.ReplicatedJobs {
			require.Subset(t, j.Template.Labels, in.Names.Labels(), j.Name)
			require.Subset(t, j.Template.Spec.Template.Labels, in.Names.Labels(), j.Name)
		}
	})
	t.Run("hostile_text_arrives_as_separate_items_unchanged", func(t *testing.T) {
		run := load(t, "testdata/env.run.yaml")
		_, job := runtimeOf(t, group(run))
		mpi := run.Spec.Framework.MPI
		args := job.Spec.Trainer.Args
		require.Equal(t, []string{mpi.MPIRunPath}, job.Spec.Trainer.Command, "no shell in between")
		require.Equal(t, mpi.Args, args[len(args)-len(mpi.Args):])
		require.Equal(t, mpi.Binary, args[len(args)-len(mpi.Args)-1])
		at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "HOSTILE=") })
		require.Equal(t, "-x", args[at-1])
		require.Equal(t, "HOSTILE="+run.Spec.Env[3].Value, args[at])
	})
	t.Run("an_exec_command_is_not_wrapped", func(t *testing.T) {
		run := load(t, filepath.Join(examples, "12-exec.yaml"))
		run.Spec.Framework.Exec.Command = []string{"a b", "$(x)", "\n"}
		_, job := runtimeOf(t, group(run))
		require.Equal(t, run.Spec.Framework.Exec.Command, job.Spec.Trainer.Command)
		require.Equal(t, run.Spec.Framework.Exec.Args, job.Spec.Trainer.Args)
	})
	t.Run("workers_of_a_group_never_share_a_node", func(t *testing.T) {
		in := basic(t)
		r, _ := runtimeOf(t, in)
		worker, launcher := r.Spec.Template.Spec.ReplicatedJobs[0], r.Spec.Template.Spec.ReplicatedJobs[1]
		terms := worker.Template.Spec.Template.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		require.Len(t, terms, 1)
		require.Equal(t, corev1.LabelHostname, terms[0].TopologyKey)
		for key, want := range terms[0].LabelSelector.MatchLabels {
			if key != "jobset.sigs.k8s.io/replicatedjob-name" { // which JobSet sets
				require.Equal(t, want, worker.Template.Spec.Template.Labels[key], key)
			}
		}
		require.Nil(t, launcher.Template.Spec.Template.Spec.Affinity.PodAntiAffinity, "the launcher shares a node with a worker")
	})
	t.Run("a_product_that_not_every_node_shows_is_no_condition", func(t *testing.T) {
		in := basic(t)
		in.Nodes[1].Product = ""
		require.NotContains(t, string(render(t, in)), LabelGPUProduct)
	})
	t.Run("pods_are_pinned_by_the_hostname_label_not_by_the_name", func(t *testing.T) {
		in := basic(t)
		in.Nodes[0].Name, in.Nodes[0].Hostname = "node.example.com", "node"
		got := string(render(t, in))
		require.Contains(t, got, "- node\n")
		require.NotContains(t, got, "node.example.com")
	})
	t.Run("a_group_that_nobody_could_place_is_refused", func(t *testing.T) {
		for want, change := range map[string]func(*Group){
			"it has no nodes": func(g *Group) { g.Nodes = nil },
			`node "gone" has no hostname to be pinned by`:                                         func(g *Group) { g.Nodes[0] = Node{Name: "gone"} },
			"it takes 0 GPUs of a node":                                                           func(g *Group) { g.GPUs = 0 },
			"spec.framework: is missing; one of torch, mpi and":                                   func(g *Group) { g.Spec = &v1alpha1.WorkloadRunSpec{} },
			"spec.framework.mpi.args: the command line has 301 items with them, and 256 would do": func(g *Group) { g.Spec.Framework.MPI.Args = make([]string, 273) },
			"spec.framework.mpi.mpiArgs: the command line has ":                                   func(g *Group) { g.Spec.Framework.MPI.MPIArgs = make([]string, 250) },
			"spec.env: the command line has ": func(g *Group) {
				for i := range 120 {
					g.Spec.Env = append(g.Spec.Env, corev1.EnvVar{Name: fmt.Sprintf("A%d", i), Value: "b"})
				}
			},
			"spec.framework.torch.args: the command line has ": func(g *Group) {
				g.Spec.Framework = v1alpha1.Framework{Torch: &v1alpha1.Torch{Script: "s", Args: make([]string, 256)}}
			},
			"spec.framework.exec.command: the command line has ": func(g *Group) {
				g.Spec.Framework = v1alpha1.Framework{Exec: &v1alpha1.Exec{Command: make([]string, 250), Args: make([]string, 20)}}
			},
		} {
			in := basic(t)
			change(&in)
			_, err := Objects(in)
			require.ErrorContains(t, err, want)
		}
	})
	t.Run("the_last_bound_is_three_times_the_timeout", func(t *testing.T) {
		in := basic(t)
		for timeout, want := range map[string]int64{"": 3 * 24 * 3600, "1s": 3, "8760h": 3 * 8760 * 3600} {
			in.Spec.Orchestration = &v1alpha1.Orchestration{TimeoutPerJob: timeout}
			r, _ := runtimeOf(t, in)
			for _, j := range r.Spec.Template.Spec.ReplicatedJobs {
				require.Equal(t, want, *j.Template.Spec.ActiveDeadlineSeconds)
			}
		}
	})
}

func TestWithinCaps(t *testing.T) {
	items := func(n int, prefix string) []string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("%s%d", prefix, i))
		}
		return all
	}
	for _, c := range []struct{ command, args, wantCommand int }{
		{1, 0, 1}, {1, 128, 1}, {1, 129, 2}, {1, 255, 128}, {128, 128, 128}, {129, 0, 128}, {200, 56, 128}, {3, 5, 3},
	} {
		t.Run(fmt.Sprintf("%d_and_%d", c.command, c.args), func(t *testing.T) {
			inCommand, inArgs := items(c.command, "c"), items(c.args, "a")
			command, args, err := withinCaps(inCommand, inArgs)
			require.NoError(t, err)
			require.Len(t, command, c.wantCommand)
			require.LessOrEqual(t, len(args), 128)
			require.Equal(t, slices.Concat(items(c.command, "c"), items(c.args, "a")), slices.Concat(command, args), "the order stays")
			_ = append(command, "x")
			require.Equal(t, items(c.args, "a"), inArgs, "the arguments stay as they were")
		})
	}
	_, _, err := withinCaps(items(1, "c"), items(256, "a"))
	require.ErrorContains(t, err, "has 257 items with them, and 256 would do")
}

func BenchmarkObjects(b *testing.B) {
	for _, n := range []int32{2, 32, 512} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			run := load(b, "testdata/override.run.yaml")
			run.Spec.NumNodes = n
			in := group(run)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Objects(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
