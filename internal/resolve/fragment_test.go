package resolve

import (
	"strings"
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

func fragment(t *testing.T, name, text string) v1alpha1.NamedFragment {
	t.Helper()
	f, err := v1alpha1.LoadFragment(name+".yaml", []byte("description: d\n"+text))
	require.NoError(t, err)
	return *f
}

func names(list []v1alpha1.NamedFragment) string {
	var all []string
	for _, f := range list {
		all = append(all, f.Name)
	}
	return strings.Join(all, " ")
}

func TestFragments(t *testing.T) {
	facts := Facts{Platform: "aws", Architecture: "h100", GPUs: 8, Resources: map[string]int64{"x/efa": 32}, Partial: map[string]int{"x/half": 3}}
	matching := func(t *testing.T, all ...v1alpha1.NamedFragment) string {
		t.Helper()
		got, _, err := Fragments(all, facts, "mpi", 2)
		require.NoError(t, err)
		return names(got)
	}
	t.Run("by_order_then_by_name", func(t *testing.T) {
		require.Equal(t, "c a b", matching(t, fragment(t, "b", "order: 2\n"), fragment(t, "a", "order: 2\n"), fragment(t, "c", "order: 1\n")))
	})
	t.Run("one_that_replaces_others_stands_alone", func(t *testing.T) {
		other := fragment(t, "a", "")
		require.Equal(t, "b", matching(t, other, fragment(t, "b", "replaces: [a, nobody]\n")))
		require.Equal(t, "a", matching(t, other, fragment(t, "b", "replaces: [a]\nwhen: {platform: {equals: gcp}}\n")), "only where it matches")
	})
	for text, want := range map[string]bool{
		"platform: {equals: aws}": true, "platform: {equals: gcp}": false, "framework: {in: [torch, exec]}": false,
		"gpuArchitecture: {notIn: [gb300]}": true, "resources: {present: [x/efa]}": true, "resources: {present: [x/efa, x/other]}": false,
		"resources: {present: [x/half]}": false, "resources: {absent: [x/half]}": true, "resources: {absent: [x/efa]}": false,
		`expression: 'framework == "mpi" && numNodes == 2 && resources["x/efa"] > 16 && !mnnvl && nicResource == "" && gpusPerNode + mlnxPerNode == 8'`: true,
		`expression: '"x/other" in resources'`: false,
	} {
		t.Run(text, func(t *testing.T) {
			require.Equal(t, want, matching(t, fragment(t, "a", "when:\n  "+text+"\n")) == "a")
		})
	}
	t.Run("an_expression_that_cannot_be_evaluated_names_fragment_and_line", func(t *testing.T) {
		_, _, err := Fragments([]v1alpha1.NamedFragment{fragment(t, "a", "when: {expression: 'resources[\"none\"] > 1'}\n")}, facts, "mpi", 2)
		require.ErrorContains(t, err, "a.yaml:2: when: evaluating")
	})
	t.Run("nodes_of_which_some_lack_the_resource_are_a_warning", func(t *testing.T) {
		_, warnings, err := Fragments([]v1alpha1.NamedFragment{fragment(t, "a", "when: {resources: {present: [x/half]}}\n")}, facts, "mpi", 2)
		require.NoError(t, err)
		require.Equal(t, []string{"fragment a does not apply: only 3 nodes of the target advertise x/half; narrow the target to them to have it"}, warnings)
	})
}

func TestFragments_without_nodes(t *testing.T) {
	all, err := fragments.All()
	require.NoError(t, err)
	facts, err := Offline(Ask{Platform: "aws", Architecture: "h100"})
	require.NoError(t, err)
	matching, warnings, err := Fragments(all, facts, "mpi", 2)
	require.NoError(t, err)
	require.Equal(t, "defaults aws aws-mpi", names(matching), "the page's row")
	require.Equal(t, []string{"no node is known: for nodes that advertise vpc.amazonaws.com/efa the result differs, by the fragment aws-efa"}, warnings)
}

// built builds the override example with fragments.
func built(t *testing.T, change func(*Group), list ...v1alpha1.NamedFragment) ([]*unstructured.Unstructured, error) {
	t.Helper()
	run := load(t, "testdata/override.run.yaml")
	run.Spec.Overrides = nil
	in := group(run)
	in.Fragments = list
	if change != nil {
		change(&in)
	}
	return Objects(in)
}

func argsOf(t *testing.T, objects []*unstructured.Unstructured) string {
	t.Helper()
	_, job := trainJob(t, Built{Objects: objects})
	return strings.Join(append(append([]string{}, job.Trainer.Command...), job.Trainer.Args...), " ")
}

func TestPlatformArguments(t *testing.T) {
	const two = "env:\n- {name: A, value: platform}\n- {name: B, value: platform}\nmpiArgs: [--mca, btl, tcp, --bind-to, none]\n"
	base := fragment(t, "base", "defaults: true\nenv: [{name: A, value: default}, {name: C, value: default}]\n")
	args := func(t *testing.T, change func(*Group), list ...v1alpha1.NamedFragment) string {
		t.Helper()
		objects, err := built(t, change, list...)
		require.NoError(t, err)
		_, rest, found := strings.Cut(argsOf(t, objects), "ConnectionAttempts=10 ")
		require.True(t, found)
		rest, _, _ = strings.Cut(rest, " /config/run.sh")
		return rest
	}
	env := func(list ...corev1.EnvVar) func(*Group) { return func(g *Group) { g.Spec.Env = list } }
	mine := func(list ...string) func(*Group) { return func(g *Group) { g.Spec.Framework.MPI.MPIArgs = list } }
	t.Run("the_platforms_value_replaces_the_default_in_the_platforms_place", func(t *testing.T) {
		require.Equal(t, "-x C=default -x A=platform -x B=platform --mca btl tcp --bind-to none", args(t, nil, base, fragment(t, "f", two)))
	})
	t.Run("spec_env_wins_in_the_platforms_place", func(t *testing.T) {
		require.Equal(t, "-x C=default -x D=mine -x A=mine -x B=platform --mca btl tcp --bind-to none",
			args(t, env(corev1.EnvVar{Name: "A", Value: "first"}, corev1.EnvVar{Name: "D", Value: "mine"}, corev1.EnvVar{Name: "A", Value: "mine"}), base, fragment(t, "f", two)))
	})
	t.Run("valueFrom_is_forwarded_by_name", func(t *testing.T) {
		require.Contains(t, args(t, env(corev1.EnvVar{Name: "A", ValueFrom: &corev1.EnvVarSource{}}), fragment(t, "f", two)), "-x A -x B=platform")
	})
	t.Run("mpiArgs_of_the_run_win_and_stand_last", func(t *testing.T) {
		require.Equal(t, "-x C=default -x B=platform --bind-to none -x A=args -mca btl self",
			args(t, mine("-x", "A=args", "-mca", "btl", "self"), base, fragment(t, "f", two)))
	})
	t.Run("a_later_fragment_wins_over_an_earlier_one", func(t *testing.T) {
		require.Equal(t, "-x A=later -x B=platform --bind-to none --mca btl self",
			args(t, nil, fragment(t, "f", two), fragment(t, "g", "env: [{name: A, value: later}]\nmpiArgs: [--mca, btl, self]\n")))
	})
	t.Run("containers_have_the_defaults_and_the_runs_own", func(t *testing.T) {
		objects, err := built(t, nil, base, fragment(t, "f", two))
		require.NoError(t, err)
		text := string(marshal(t, objects[1].Object))
		require.NotContains(t, text, "platform")
		require.Equal(t, 2, strings.Count(text, "name: C"), "launcher and worker")
	})
	t.Run("without_mpirun_the_container_has_all", func(t *testing.T) {
		objects, err := built(t, func(g *Group) {
			g.Spec.Framework = v1alpha1.Framework{Exec: &v1alpha1.Exec{Command: []string{"true"}}}
			g.Spec.Env = []corev1.EnvVar{{Name: "B", Value: "mine"}}
		}, base, fragment(t, "f", "env:\n- {name: A, value: platform}\n- {name: B, value: platform}\n"))
		require.NoError(t, err)
		text := string(marshal(t, objects[1].Object))
		require.Equal(t, 1, strings.Count(text, "value: platform"))
		require.Equal(t, 1, strings.Count(text, "value: mine"))
	})
}

func TestPreCommand(t *testing.T) {
	objects, err := built(t, func(g *Group) { g.Spec.Framework.MPI.Args = []string{"it's", "$HOME", ""} }, fragment(t, "f", "preCommand: [rm -rf /opt/x, unset A]\n"))
	require.NoError(t, err)
	_, job := trainJob(t, Built{Objects: objects})
	require.Equal(t, []string{"/bin/bash", "-c"}, job.Trainer.Command)
	require.Len(t, job.Trainer.Args, 1)
	require.True(t, strings.HasPrefix(job.Trainer.Args[0], "rm -rf /opt/x\nunset A\nexec /usr/local/mpi/bin/mpirun -N 1 "), job.Trainer.Args[0])
	require.True(t, strings.HasSuffix(job.Trainer.Args[0], ` '-o StrictHostKeyChecking=no -o ConnectionAttempts=10' /config/run.sh 'it'\''s' '$HOME' ''`), job.Trainer.Args[0])
}

func TestPreCommand_leaves_the_variables_of_the_run(t *testing.T) {
	line := func(t *testing.T, text string, change func(*Group)) string {
		t.Helper()
		objects, err := built(t, change, fragment(t, "f", "preCommand: [echo, "+text+"]\n"))
		require.NoError(t, err)
		_, job := trainJob(t, Built{Objects: objects})
		before, _, _ := strings.Cut(job.Trainer.Args[0], "\nexec ")
		return before
	}
	env := func(g *Group) { g.Spec.Env = []corev1.EnvVar{{Name: "B", Value: "mine"}} }
	require.Equal(t, "echo\nunset A C", line(t, "unset A B C", env))
	require.Equal(t, "echo", line(t, "unset B", env), "nothing is left to unset")
	require.Equal(t, "echo\nunset -f B", line(t, "unset -f B", env), "a line that says more stays as it is")
	require.Equal(t, "echo\nunset B", line(t, "unset A B", func(g *Group) { g.Spec.Framework.MPI.MPIArgs = []string{"-x", "A"} }))
	require.Equal(t, "echo\nunset  A", line(t, "unset  A", env))
	torch := func(g *Group) {
		env(g)
		g.Spec.Framework = v1alpha1.Framework{Torch: &v1alpha1.Torch{Script: "/t.py"}}
	}
	require.Equal(t, "echo\nunset A", line(t, "unset A B", torch))
}

func TestFragment_objects(t *testing.T) {
	const node = "runtimePatch: {spec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: "
	const end = "}}}}]}}}}\n"
	t.Run("tolerations_and_capabilities_are_added", func(t *testing.T) {
		objects, err := built(t, nil, fragment(t, "f", node+"{tolerations: [{operator: Exists}, {key: a, operator: Exists}], containers: [{name: node, securityContext: {capabilities: {add: [NET_ADMIN, IPC_LOCK]}}}]}"+end))
		require.NoError(t, err)
		pod := runtimeFrom(t, objects[1]).Spec.Template.Spec.ReplicatedJobs[0].Template.Spec.Template.Spec
		require.Equal(t, []corev1.Toleration{{Operator: corev1.TolerationOpExists}, {Key: "a", Operator: corev1.TolerationOpExists}}, pod.Tolerations)
		require.Equal(t, []corev1.Capability{"IPC_LOCK", "SYS_CHROOT", "NET_ADMIN"}, pod.Containers[0].SecurityContext.Capabilities.Add)
	})
	t.Run("an_expression_that_comes_out_empty_is_left_out", func(t *testing.T) {
		objects, err := built(t, nil, fragment(t, "f", node+`{nodeSelector: {a: "[[ if .mnnvl ]]on[[ end ]]", b: "[[ .gpusPerNode | toString ]]"}}`+end+"env: [{name: A, value: '[[ .nicResource ]]'}, {name: B, value: ''}]\n"))
		require.NoError(t, err)
		pod := runtimeFrom(t, objects[1]).Spec.Template.Spec.ReplicatedJobs[0].Template.Spec.Template.Spec
		require.Equal(t, map[string]string{"b": "1"}, pod.NodeSelector)
		require.NotContains(t, argsOf(t, objects), "-x A")
		require.Contains(t, argsOf(t, objects), "-x B= ")
	})
	t.Run("overrides_come_after_and_find_the_fragments_objects", func(t *testing.T) {
		objects, err := built(t, func(g *Group) {
			g.Spec.Overrides = []v1alpha1.Override{{When: &v1alpha1.When{}, Dependencies: []v1alpha1.Manifest{fields(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"override-extra"},"data":{"a":"mine"}}`)}}}
		}, fragment(t, "f", "dependencies: [{apiVersion: v1, kind: ConfigMap, metadata: {name: '[[ .run ]]-extra'}, data: {a: b, n: '[[ .numNodes | toString ]]'}}]\n"))
		require.NoError(t, err)
		require.Equal(t, "override-group-0-extra", objects[1].GetName())
		require.Equal(t, map[string]any{"a": "mine", "n": "2"}, objects[1].Object["data"])
	})
	for want, text := range map[string]string{
		`f.yaml:2: runtimePatch: changes the replicated job "launcherr", which framework mpi has not; a condition when.framework would do`: "runtimePatch: {spec: {template: {spec: {replicatedJobs: [{name: launcherr}]}}}}\n",
		`f.yaml:2: runtimePatch.spec.tempate: unknown field; did you mean template?`:                                                       "runtimePatch: {spec: {tempate: {}}}\n",
		`f.yaml:2: dependencies[0].data: is the number 1; a mapping such as {key: "text"} would do`:                                        "dependencies: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: 1}]\n",
		`f.yaml:2: env[0].value: `: "env: [{name: A, value: '[[ index .networks 3 | default 1 ]]'}]\n",
	} {
		f, err := v1alpha1.LoadFragment("f.yaml", []byte("description: d\n"+text))
		if err == nil {
			_, err = built(t, nil, *f)
		}
		require.ErrorContains(t, err, want)
	}
}

func runtimeFrom(t *testing.T, o *unstructured.Unstructured) trainer.TrainingRuntime {
	t.Helper()
	r := trainer.TrainingRuntime{}
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &r))
	return r
}

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	text, err := yaml.Marshal(value)
	require.NoError(t, err)
	return text
}

// kubectl drops a null from what it applies, so that a fragment says in another way which resources a claim takes the place of.
func TestWithoutResources(t *testing.T) {
	limits := func(list ...v1alpha1.NamedFragment) corev1.ResourceList {
		objects, err := built(t, nil, list...)
		require.NoError(t, err)
		return runtimeFrom(t, objects[1]).Spec.Template.Spec.ReplicatedJobs[0].Template.Spec.Template.Spec.Containers[0].Resources.Limits
	}
	require.Contains(t, limits(), corev1.ResourceName("nvidia.com/gpu"))
	require.NotContains(t, limits(fragment(t, "f", "withoutResources: [nvidia.com/gpu]\n")), corev1.ResourceName("nvidia.com/gpu"))

	_, err := v1alpha1.LoadFragment("f.yaml", []byte("description: d\nruntimePatch: {spec: {template: {spec: {suspend: null}}}}\ndependencies:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: null}}\n"))
	require.ErrorContains(t, err, "f.yaml:2: runtimePatch.spec.template.spec.suspend: is null, which would be lost on its way into the cluster; withoutResources removes a resource")
	require.ErrorContains(t, err, "f.yaml:4: dependencies[0].data.a: is null")
}
