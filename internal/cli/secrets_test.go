package cli

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The registry's password goes into the Secret and nowhere else: not into the workflow, not onto the terminal, whatever goes wrong.
func TestThePasswordIsInTheSecretAlone(t *testing.T) {
	const password = "plAnted-password"
	args := []string{"workloadrun", "run", "-", "--workload-registry", "registry.example.com", "--workload-registry-username", "$oauthtoken", "--workload-registry-password", password}
	for name, refused := range map[string]string{"all is well": "", "the Secret is refused": "secrets", "the workflow is refused": "workflows"} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t)
			w.install()
			w.stdin = sound
			w.Refuse(func(verb, resource, _ string) error {
				if verb == "create" && resource == refused {
					return errors.New("no")
				}
				return nil
			})
			got := w.seatrial(t.Context(), args...)
			require.Equal(t, refused == "", got.code == Passed, got.stderr)
			require.NotContains(t, got.stdout+got.stderr, password)

			workflows, err := w.Dynamic.Resource(argo("workflows")).List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			text, err := json.Marshal(workflows)
			require.NoError(t, err)
			require.NotContains(t, string(text), password)
			secrets, err := w.Kube.CoreV1().Secrets(space).List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			left := 0
			for _, s := range secrets.Items {
				if s.Type == "kubernetes.io/dockerconfigjson" {
					require.Contains(t, string(s.Data[".dockerconfigjson"]), password)
					left++
				}
			}
			require.Equal(t, refused == "", left == 1, "a Secret without its workflow is taken back")
		})
	}
}
