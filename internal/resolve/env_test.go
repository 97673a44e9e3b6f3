package resolve

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestEnvironment(t *testing.T) {
	few := []corev1.EnvVar{{Name: "NCCL_DEBUG", Value: "INFO"}, {Name: "NCCL_NVLS_ENABLE", Value: "1"}}
	t.Run("a_name_of_the_user_replaces_the_default_and_stands_where_she_put_it_last", func(t *testing.T) {
		got := environment(few, []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "NCCL_DEBUG", Value: "TRACE"}, {Name: "A", Value: "2"}})
		require.Equal(t, []corev1.EnvVar{{Name: "NCCL_NVLS_ENABLE", Value: "1"}, {Name: "NCCL_DEBUG", Value: "TRACE"}, {Name: "A", Value: "2"}}, got)
	})
	t.Run("multi_node_NVLink_is_on_where_it_exists_unless_the_run_says_otherwise", func(t *testing.T) {
		enabled := func(g Group) string {
			fx, err := g.effects()
			require.NoError(t, err)
			g.fx = fx
			env := g.environment()
			return env[lastOf(env)["NCCL_MNNVL_ENABLE"]].Value
		}
		for architecture, want := range map[string]string{"gb200": "1", "gb300": "1", "h100": "0", "": "0"} {
			g := Group{Spec: &v1alpha1.WorkloadRunSpec{}, Facts: Facts{Architecture: architecture}, Fragments: defaults()}
			require.Equal(t, want, enabled(g), architecture)
			for asked, want := range map[bool]string{true: "1", false: "0"} {
				g.Spec.EnableMNNVL = &asked
				require.Equal(t, want, enabled(g), architecture)
			}
		}
	})
	t.Run("the_users_list_is_not_changed", func(t *testing.T) {
		user := make([]corev1.EnvVar, 1, 20)
		user[0] = corev1.EnvVar{Name: "A"}
		environment(few, user)
		require.Equal(t, corev1.EnvVar{}, user[:2][1])
	})
}

func TestForward(t *testing.T) {
	from := &corev1.EnvVarSource{}
	for name, c := range map[string]struct {
		env     []corev1.EnvVar
		mpiArgs []string
		want    []string
	}{
		"value":                                {[]corev1.EnvVar{{Name: "A", Value: "1"}}, nil, []string{"-x", "A=1"}},
		"empty_value":                          {[]corev1.EnvVar{{Name: "A"}}, nil, []string{"-x", "A="}},
		"valueFrom_is_read_by_mpirun":          {[]corev1.EnvVar{{Name: "A", ValueFrom: from}}, nil, []string{"-x", "A"}},
		"mpiArgs_wins":                         {[]corev1.EnvVar{{Name: "A", Value: "1"}}, []string{"-x", "A=2"}, nil},
		"mpiArgs_wins_by_name":                 {[]corev1.EnvVar{{Name: "A", Value: "1"}}, []string{"-x", "A"}, nil},
		"a_lone_x_at_the_end_forwards_nothing": {[]corev1.EnvVar{{Name: "A", Value: "1"}}, []string{"-x"}, []string{"-x", "A=1"}},
		"a_longer_name_is_another":             {[]corev1.EnvVar{{Name: "A", Value: "1"}}, []string{"-x", "AB=2"}, []string{"-x", "A=1"}},
		"of_a_name_given_twice_the_last_counts": {
			[]corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B"}, {Name: "A", ValueFrom: from}}, nil, []string{"-x", "B=", "-x", "A"},
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, forward(c.env, c.mpiArgs)) })
	}
}

func TestOutranked(t *testing.T) {
	from := &corev1.EnvVarSource{}
	platform := []string{"--mca", "pml", "ob1", "-x", "A=platform", "--mca", "btl", "tcp,self", "-x", "B", "--tag-output"}
	for name, c := range map[string]struct {
		env     []corev1.EnvVar
		mpiArgs []string
		want    []string
	}{
		"nothing_of_the_users_leaves_all": {nil, nil, platform},
		"spec.env_replaces_the_value_in_its_place": {
			[]corev1.EnvVar{{Name: "A", Value: "user"}}, nil,
			[]string{"--mca", "pml", "ob1", "-x", "A=user", "--mca", "btl", "tcp,self", "-x", "B", "--tag-output"},
		},
		"the_last_of_a_name_given_twice_counts": {
			[]corev1.EnvVar{{Name: "B", Value: "1"}, {Name: "B", Value: "2"}}, nil,
			[]string{"--mca", "pml", "ob1", "-x", "A=platform", "--mca", "btl", "tcp,self", "-x", "B=2", "--tag-output"},
		},
		"valueFrom_goes_by_its_name": {
			[]corev1.EnvVar{{Name: "A", ValueFrom: from}}, nil,
			[]string{"--mca", "pml", "ob1", "-x", "A", "--mca", "btl", "tcp,self", "-x", "B", "--tag-output"},
		},
		"an_empty_value_is_a_value": {
			[]corev1.EnvVar{{Name: "A"}}, nil,
			[]string{"--mca", "pml", "ob1", "-x", "A=", "--mca", "btl", "tcp,self", "-x", "B", "--tag-output"},
		},
		"the_users_x_leaves_no_second_value": {
			[]corev1.EnvVar{{Name: "A", Value: "user"}}, []string{"-x", "A=args"},
			[]string{"--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "-x", "B", "--tag-output"},
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, outranked(platform, c.env, c.mpiArgs)) })
	}
	t.Run("a_lone_x_stays_as_it_is", func(t *testing.T) {
		require.Equal(t, []string{"-x"}, outranked([]string{"-x"}, []corev1.EnvVar{{Name: "A"}}, nil))
	})
}

// For every rank each name has one value: the user's -x before spec.env, that before the platform's -x, that before the default.
func TestPrecedenceAtTheRanks(t *testing.T) {
	const name = "NCCL_DEBUG"
	for _, sets := range []struct{ args, env, platform bool }{
		{true, true, true}, {true, true, false}, {true, false, true}, {true, false, false},
		{false, true, true}, {false, true, false}, {false, false, true}, {false, false, false},
	} {
		t.Run(fmt.Sprintf("%+v", sets), func(t *testing.T) {
			want := "INFO"
			g := Group{Spec: &v1alpha1.WorkloadRunSpec{Framework: v1alpha1.Framework{MPI: &v1alpha1.MPI{Binary: "/b"}}}, Fragments: defaults()}
			if sets.platform {
				g.Fragments, want = append(slices.Clone(g.Fragments), fragment(t, "f", "env: [{name: "+name+", value: platform}]\n")), "platform"
			}
			if sets.env {
				g.Spec.Env, want = []corev1.EnvVar{{Name: name, Value: "env"}}, "env"
			}
			if sets.args {
				g.Spec.Framework.MPI.MPIArgs, want = []string{"-x", name + "=args"}, "args"
			}
			var values []string
			var err error
			g.fx, err = g.effects()
			require.NoError(t, err)
			args := mpirunArgs(g)
			for _, p := range pairs(args) {
				if p.name == name {
					values = append(values, args[p.at+1])
				}
			}
			require.Equal(t, []string{name + "=" + want}, values)
		})
	}
}

// Open MPI 5 refuses an option that is there twice.
func TestWhatARunSaysOfArgumentsAndNICs(t *testing.T) {
	g := Group{Facts: Facts{GPUs: 8}, Spec: &v1alpha1.WorkloadRunSpec{Framework: v1alpha1.Framework{MPI: &v1alpha1.MPI{
		Binary: "/b", MPIArgs: []string{"--mca", "plm_rsh_args", "-p 2222", "-N", "2", "--allow-run-as-root"},
	}}}}
	require.Equal(t, []string{"--mca", "plm_rsh_args", "-p 2222", "-N", "2", "--allow-run-as-root", "/b"}, mpirunArgs(g))
	require.Len(t, warnings(g.Spec, g.Facts), 1)
	require.Contains(t, warnings(g.Spec, g.Facts)[0], "without StrictHostKeyChecking=no")

	g.Spec.Framework.MPI.MPIArgs = []string{"--mca", "plm_rsh_args", "-p 2222 -o StrictHostKeyChecking=no"}
	require.Empty(t, warnings(g.Spec, g.Facts))
	g.Spec.Framework.MPI.MPIArgs = nil
	g.Spec.NICResourceName = ptr.To("rdma/foo")
	require.Equal(t, []string{"spec.nicResourceName: rdma/foo does nothing here: only on-prem nodes with gb200, gb300, b200, b300 take it"}, warnings(g.Spec, g.Facts))
	g.NICResource = "rdma/foo"
	require.Empty(t, warnings(g.Spec, g.Facts))
	require.Equal(t, []string{"-N", "8", "--allow-run-as-root", "--mca", "plm_rsh_args", sshOptions, "/b"}, mpirunArgs(g))
}
