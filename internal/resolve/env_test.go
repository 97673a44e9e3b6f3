package resolve

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

func TestEnvironment(t *testing.T) {
	defaults := []corev1.EnvVar{{Name: "NCCL_DEBUG", Value: "INFO"}, {Name: "NCCL_NVLS_ENABLE", Value: "1"}}
	t.Run("a_name_of_the_user_replaces_the_default_and_stands_where_she_put_it", func(t *testing.T) {
		got := environment(defaults, []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "NCCL_DEBUG", Value: "TRACE"}, {Name: "A", Value: "2"}})
		require.Equal(t, []corev1.EnvVar{{Name: "NCCL_NVLS_ENABLE", Value: "1"}, {Name: "A", Value: "1"}, {Name: "NCCL_DEBUG", Value: "TRACE"}, {Name: "A", Value: "2"}}, got)
	})
	t.Run("the_users_list_is_not_changed", func(t *testing.T) {
		user := make([]corev1.EnvVar, 1, 20)
		user[0] = corev1.EnvVar{Name: "A"}
		environment(defaults, user)
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
