package cli

import (
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	v1 "k8s.io/client-go/kubernetes/typed/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// longRun is a run with a file of so many random bytes.
func longRun(size int) string {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, size)
	for i := range noise {
		noise[i] = byte(r.IntN(256))
	}
	return sound + "  config: {inline: {weights: \"" + base64.StdEncoding.EncodeToString(noise) + "\", hostile: \"{{workflow.name}}\"}}\n"
}

func (w *workshop) configMaps() v1.ConfigMapInterface { return w.Kube.CoreV1().ConfigMaps(space) }

// specMaps are the ConfigMaps that hold a spec.
func (w *workshop) specMaps() []corev1.ConfigMap {
	list, err := w.configMaps().List(w.t.Context(), metav1.ListOptions{})
	require.NoError(w.t, err)
	var all []corev1.ConfigMap
	for _, m := range list.Items {
		if strings.HasPrefix(m.Name, "seatrial-spec-") {
			all = append(all, m)
		}
	}
	return all
}

func TestASpecThatIsTooLongForAParameter(t *testing.T) {
	begin := func(t *testing.T) *workshop {
		w := newWorkshop(t)
		w.install()
		w.stdin = longRun(80 << 10)
		return w
	}
	submit := func(w *workshop) outcome { return w.seatrial(w.t.Context(), "wr", "run", "-", "--name", "long") }

	t.Run("goes by a ConfigMap, which the workflow owns", func(t *testing.T) {
		w := begin(t)
		got := submit(w)
		require.Equal(t, Passed, got.code, got.stderr)
		_, _, parameters := w.submitted("long")
		maps := w.specMaps()
		require.Len(t, maps, 1)
		m := maps[0]
		require.Equal(t, map[string]string{"name": "pairs", "specFrom": m.Name}, parameters)
		require.Equal(t, map[string]string{"app.kubernetes.io/managed-by": "seatrial", "seatrial.dev/run": "pairs"}, m.Labels)
		require.Len(t, m.OwnerReferences, 1)
		require.Equal(t, "Workflow", m.OwnerReferences[0].Kind)
		require.Equal(t, "long", m.OwnerReferences[0].Name)

		run, err := v1alpha1.Load("x", []byte(w.stdin))
		require.NoError(t, err)
		spec, _, err := v1alpha1.ParseParametersWith("mpi", parameters, v1alpha1.SpecText{Text: m.Data["spec.yaml"]})
		require.NoError(t, err)
		require.Equal(t, run.Spec, *spec)
	})
	t.Run("is rendered with it", func(t *testing.T) {
		w := begin(t)
		got := w.seatrial(t.Context(), "wr", "render", "-", "--gpu-arch", "h100", "--name", "long", "-n", space)
		require.Equal(t, Passed, got.code, got.stderr)
		documents := strings.Split(got.stdout, "---\n")
		var m corev1.ConfigMap
		require.NoError(t, yaml.Unmarshal([]byte(documents[1]), &m))
		require.Equal(t, Passed, submit(w).code)
		require.Equal(t, w.specMaps()[0].Name, m.Name)
		require.Equal(t, w.specMaps()[0].Data, m.Data)
		require.Contains(t, documents[2], "specFrom")
	})
	t.Run("is compressed before that", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.stdin = sound + "  config: {inline: {long: \"" + strings.Repeat("x", 300<<10) + "\"}}\n"
		require.Equal(t, Passed, submit(w).code)
		_, _, parameters := w.submitted("long")
		require.True(t, strings.HasPrefix(parameters["spec"], v1alpha1.EncodedSpec))
		require.Empty(t, w.specMaps())
	})
	t.Run("what no run can have is said before anything is made", func(t *testing.T) {
		w := newWorkshop(t)
		w.install()
		w.stdin = longRun(400 << 10)
		got := submit(w)
		require.Equal(t, Misused, got.code)
		require.Contains(t, got.stderr, "stdin: the spec has ")
		require.Contains(t, got.stderr, "at most 262144 fit into the record of a run: move large files of spec.config.inline into the image")
		require.Empty(t, w.specMaps())
	})
	t.Run("one that an interrupted run left is taken over", func(t *testing.T) {
		w := begin(t)
		require.Equal(t, Passed, submit(w).code)
		left := w.specMaps()[0]
		left.OwnerReferences = nil
		_, err := w.configMaps().Update(t.Context(), &left, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.NoError(t, w.DeleteWorkflow(t.Context(), space, "long"))
		require.Equal(t, Passed, submit(w).code)
		require.Len(t, w.specMaps()[0].OwnerReferences, 1)
	})
	for name, tt := range map[string]struct {
		change func(m *corev1.ConfigMap)
		code   Code
		stderr string
	}{
		"somebody else's is left alone":       {func(m *corev1.ConfigMap) { m.OwnerReferences, m.Labels = nil, nil }, Misused, "exists with other labels or text; it is not Seatrial's"},
		"another text is left alone":          {func(m *corev1.ConfigMap) { m.OwnerReferences, m.Data["spec.yaml"] = nil, "x" }, Misused, "exists with other labels or text"},
		"an earlier workflow's is waited for": {func(*corev1.ConfigMap) {}, Unsure, "still being deleted; trying again in a moment would do"},
	} {
		t.Run(name, func(t *testing.T) {
			w := begin(t)
			require.Equal(t, Passed, submit(w).code)
			before := w.specMaps()[0]
			tt.change(&before)
			_, err := w.configMaps().Update(t.Context(), &before, metav1.UpdateOptions{})
			require.NoError(t, err)
			require.NoError(t, w.DeleteWorkflow(t.Context(), space, "long"))
			got := submit(w)
			require.Equal(t, tt.code, got.code, got.stderr)
			require.Contains(t, got.stderr, tt.stderr)
			require.Empty(t, w.workflowNames())
			after := w.specMaps()
			require.Len(t, after, 1)
			require.Equal(t, []any{before.Data, before.Labels, before.OwnerReferences}, []any{after[0].Data, after[0].Labels, after[0].OwnerReferences})
		})
	}
	t.Run("is taken back when the workflow cannot be made", func(t *testing.T) {
		w := begin(t)
		api, is := w.Dynamic.(*dynamicfake.FakeDynamicClient)
		require.True(t, is)
		api.PrependReactor("create", "workflows", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, errors.New("no more of these")
		})
		got := submit(w)
		require.Equal(t, Unsure, got.code)
		require.Empty(t, w.specMaps())
	})
}
