package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// pod makes a pod of the run pairs whose workload container runs and has written text.
func (w *workshop) pod(name, group, role, text string) {
	w.t.Helper()
	_, err := w.Kube.CoreV1().Pods(space).Create(w.t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{resolve.LabelWorkflow: "pairs", resolve.LabelGroup: group, labelRole: role}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: v1alpha1.ContainerNode, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}},
	}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	w.SetLog(name, v1alpha1.ContainerNode, false, text)
}

// failureLog records what the launcher of a failed group left, whose pod is gone.
func (w *workshop) failureLog(r *cluster.Record, group, tail string) {
	w.t.Helper()
	_, err := cluster.Update(w.t.Context(), r, group, func(g *record.Group) error {
		g.Attempt, g.Result = 1, &v1alpha1.GroupResult{Verdict: v1alpha1.Fail, FailureLog: &v1alpha1.FailureLog{Pod: "gone", Tail: tail}}
		return nil
	})
	require.NoError(w.t, err)
}

func TestLogs(t *testing.T) {
	t.Run("of_an_MPI_job_it_is_the_launchers_as_it_is", func(t *testing.T) {
		w := newWorkshop(t)
		w.plan(w.workflow("pairs", "Running", 0), "")
		w.pod("pairs-group-0-launcher-0-0-abcde", "group-0", "launcher", "one\n  two\x1b[31m\nthree")
		w.pod("pairs-group-0-node-0-0-abcde", "group-0", "node", "sshd\n")
		require.Equal(t, outcome{Passed, "one\n  two\nthree\n", ""}, w.seatrial(t.Context(), "wr", "logs", "pairs"))
		require.Equal(t, "==> group-0 pairs-group-0-launcher-0-0-abcde <==\none\n  two\nthree\n\n==> group-0 pairs-group-0-node-0-0-abcde <==\nsshd\n",
			w.seatrial(t.Context(), "wr", "logs", "pairs", "--all-pods").stdout)
	})
	t.Run("before_the_launcher_of_an_MPI_job_its_workers_logs_are_for_who_asks", func(t *testing.T) {
		w := newWorkshop(t)
		w.plan(w.workflow("pairs", "Running", 0), "")
		w.pod("a", "group-0", "node", "sshd of a\n")
		w.pod("b", "group-1", "node", "sshd of b\n")
		require.Equal(t, outcome{Unsure, "", "seatrial: no launcher of run pairs has a log: none has started, or all are gone and passed; --all-pods prints the logs of 2 workers\n"},
			w.seatrial(t.Context(), "wr", "logs", "pairs"))
		require.Equal(t, outcome{Passed, "sshd of b\n", ""}, w.seatrial(t.Context(), "wr", "logs", "pairs", "--group", "group-1", "--all-pods"))
		w.pod("l", "group-1", "launcher", "ranks\n")
		require.Equal(t, outcome{Passed, "ranks\n", ""}, w.seatrial(t.Context(), "wr", "logs", "pairs"), "another group that has begun does not change that")
	})
	t.Run("workers_that_are_left_do_not_hide_what_the_launcher_left", func(t *testing.T) {
		w := newWorkshop(t)
		r := w.plan(w.workflow("pairs", "Running", 0), "")
		w.pod("a", "group-0", "node", "sshd of a\n")
		w.failureLog(r, "group-0", "the end")
		require.Equal(t, outcome{Passed, "the end\n", ""}, w.seatrial(t.Context(), "wr", "logs", "pairs"))
		require.Equal(t, "==> group-0 a <==\nsshd of a\n\n==> group-0 gone <==\nthe end\n", w.seatrial(t.Context(), "wr", "logs", "pairs", "--all-pods").stdout)
	})
	t.Run("of_several_each_is_named_and_a_group_can_be_chosen", func(t *testing.T) {
		w := newWorkshop(t)
		r := w.plan(w.workflow("pairs", "Running", 0), "")
		_, err := cluster.Update(t.Context(), r, record.KeyPlan, func(p *record.Plan) error { p.Framework = v1alpha1.FrameworkExec; return nil })
		require.NoError(t, err)
		w.pod("b", "group-1", "node", "from b\n")
		w.pod("a", "group-0", "node", "from a\n")
		require.Equal(t, "==> group-0 a <==\nfrom a\n\n==> group-1 b <==\nfrom b\n", w.seatrial(t.Context(), "wr", "logs", "pairs").stdout)
		require.Equal(t, "from b\n", w.seatrial(t.Context(), "wr", "logs", "pairs", "--group", "group-1").stdout)
	})
	t.Run("a_group_that_is_not_there_is_no_group_without_a_log", func(t *testing.T) {
		w := newWorkshop(t)
		w.plan(w.workflow("pairs", "Running", 0), "")
		require.Equal(t, outcome{Misused, "", "seatrial: run pairs has no group \"group-9\"; it has group-0, group-1\n"}, w.seatrial(t.Context(), "wr", "logs", "pairs", "--group", "group-9"))
	})
	t.Run("each_stage_has_a_group_of_that_name_of_its_own", func(t *testing.T) {
		w := newWorkshop(t)
		owner := w.workflow("pairs", "Running", 0)
		for scope, stage := range map[string]string{"aaaaaa": "pairs", "bbbbbb": "nodes"} {
			r := w.plan(owner, scope)
			_, err := cluster.Update(t.Context(), r, record.KeyPlan, func(p *record.Plan) error {
				p.Stage = stage
				if stage == "pairs" {
					p.Started = p.Started.Add(time.Minute)
				}
				return nil
			})
			require.NoError(t, err)
			w.failureLog(r, "group-0", "of "+stage)
		}
		require.Equal(t, "==> nodes group-0 gone <==\nof nodes\n\n==> pairs group-0 gone <==\nof pairs\n", w.seatrial(t.Context(), "wr", "logs", "pairs").stdout)
	})
	t.Run("what_is_gone_has_left_the_end_of_its_log_in_the_record", func(t *testing.T) {
		w := newWorkshop(t)
		r := w.plan(w.workflow("pairs", "Failed", 1), "")
		w.failureLog(r, "group-1", "the end")
		require.Equal(t, outcome{Passed, "the end\n", ""}, w.seatrial(t.Context(), "wr", "logs", "pairs"))
	})
	t.Run("nothing_to_print_is_exit_3_and_an_unknown_run_2", func(t *testing.T) {
		w := newWorkshop(t)
		w.plan(w.workflow("pairs", "Running", 0), "")
		require.Equal(t, Unsure, w.seatrial(t.Context(), "wr", "logs", "pairs").code)
		require.Equal(t, Misused, w.seatrial(t.Context(), "wr", "logs", "other").code)
	})
}

func TestRegistry(t *testing.T) {
	login := []string{"wr", "run", "-", "--workload-registry", "registry.example.com", "--workload-registry-username", "$oauthtoken", "--workload-registry-password", "secret"}
	secret := func(t *testing.T, w *workshop) *corev1.Secret {
		t.Helper()
		s, err := w.Kube.CoreV1().Secrets(space).Get(t.Context(), "seatrial-pull-pairs", metav1.GetOptions{})
		require.NoError(t, err)
		return s
	}
	ready := func(t *testing.T) *workshop {
		w := newWorkshop(t)
		w.install()
		w.stdin = sound
		return w
	}
	t.Run("a_login_becomes_a_pull_secret_of_the_run", func(t *testing.T) {
		w := ready(t)
		got := w.seatrial(t.Context(), login...)
		require.Equal(t, Passed, got.code, got.stderr)
		_, _, parameters := w.submitted("pairs")
		require.JSONEq(t, `[{"name":"seatrial-pull-pairs"}]`, parameters["imagePullSecrets"])
		s := secret(t, w)
		require.Equal(t, corev1.SecretTypeDockerConfigJson, s.Type)
		require.Equal(t, "seatrial", s.Labels["app.kubernetes.io/managed-by"])
		require.Equal(t, "pairs", s.OwnerReferences[0].Name, "it goes with the workflow")
		require.JSONEq(t, `{"auths":{"registry.example.com":{"username":"$oauthtoken","password":"secret","auth":"JG9hdXRodG9rZW46c2VjcmV0"}}}`, string(s.Data[corev1.DockerConfigJsonKey]))
	})
	t.Run("it_is_added_to_the_files_own", func(t *testing.T) {
		w := ready(t)
		w.stdin += "  imagePullSecrets: [{name: own}]\n"
		require.Equal(t, Passed, w.seatrial(t.Context(), login...).code)
		_, _, parameters := w.submitted("pairs")
		require.JSONEq(t, `[{"name":"own"},{"name":"seatrial-pull-pairs"}]`, parameters["imagePullSecrets"])
	})
	t.Run("a_part_of_a_login_is_exit_2", func(t *testing.T) {
		w := ready(t)
		got := w.seatrial(t.Context(), login[:5]...)
		require.Equal(t, Misused, got.code)
		require.Contains(t, got.stderr, "--workload-registry, --workload-registry-username and --workload-registry-password must all be set together and non-empty")
		require.Empty(t, w.workflowNames())
	})
	for name, theirs := range map[string]*corev1.Secret{
		"one_of_another_type": {Type: corev1.SecretTypeOpaque, ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app.kubernetes.io/managed-by": "seatrial"}}},
		"somebody_elses":      {Type: corev1.SecretTypeDockerConfigJson},
	} {
		t.Run(name+"_is_never_touched", func(t *testing.T) {
			w := ready(t)
			theirs.Name, theirs.Data = "seatrial-pull-pairs", map[string][]byte{"a": []byte("b")}
			_, err := w.Kube.CoreV1().Secrets(space).Create(t.Context(), theirs, metav1.CreateOptions{})
			require.NoError(t, err)
			got := w.seatrial(t.Context(), login...)
			require.Equal(t, Misused, got.code)
			require.Contains(t, got.stderr, "is not Seatrial's: delete it, or give the run another name")
			require.Equal(t, theirs.Data, secret(t, w).Data)
			require.Empty(t, w.workflowNames())
		})
	}
	t.Run("one_of_an_earlier_run_is_brought_up_to_date", func(t *testing.T) {
		w := ready(t)
		_, err := w.Cluster.PullSecret(t.Context(), space, "seatrial-pull-pairs", cluster.Registry{Server: "old"})
		require.NoError(t, err)
		require.Equal(t, Passed, w.seatrial(t.Context(), login...).code)
		require.Contains(t, string(secret(t, w).Data[corev1.DockerConfigJsonKey]), "registry.example.com")
		require.Empty(t, secret(t, w).OwnerReferences, "who else uses it is not known")
	})
}

func TestTopologyDomain(t *testing.T) {
	w := newWorkshop(t)
	w.install()
	for name, rack := range map[string]string{"n1": "a", "n2": "a", "n3": "b", "n4": "a"} {
		_, err := w.Kube.CoreV1().Nodes().Create(t.Context(), &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{resolve.LabelGPUPresent: "true", "rack": rack, "k8s": "aws"}},
			Spec:       corev1.NodeSpec{ProviderID: "oci://x"},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	w.stdin = "apiVersion: nvcre.nvidia.com/v1alpha1\nmetadata: {name: pairs}\nspec:\n  image: i\n  numNodes: 2\n  framework: {exec: {command: [a]}}\n  target: {matchExpressions: [{key: k8s, operator: Exists}]}\n"
	t.Run("it_restricts_the_target_and_is_one_group", func(t *testing.T) {
		got := w.seatrial(t.Context(), "wr", "run", "-", "--topology-domain", "a", "--topology-key", "rack")
		require.Equal(t, Passed, got.code, got.stderr)
		_, _, parameters := w.submitted("pairs")
		require.JSONEq(t, `[{"key":"k8s","operator":"Exists"},{"key":"rack","operator":"In","values":["a"]}]`, parameters["matchExpressions"])
		require.Equal(t, "3", parameters["numNodes"])
		require.Equal(t, "rack", parameters["topologyKey"])
	})
	t.Run("a_domain_without_nodes_is_exit_2", func(t *testing.T) {
		got := w.seatrial(t.Context(), "wr", "run", "-", "--name", "c", "--topology-domain", "c", "--topology-key", "rack")
		require.Equal(t, Misused, got.code)
		require.Contains(t, got.stderr, "no usable node of the target has rack=c")
	})
	t.Run("where_no_key_is_known_one_is_asked_for", func(t *testing.T) {
		got := w.seatrial(t.Context(), "wr", "run", "-", "--name", "c", "--topology-domain", "a")
		require.Equal(t, Misused, got.code)
		require.Contains(t, got.stderr, `--topology-domain needs --topology-key on platform "onprem"`)
	})
}
