package steps

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// planted marks every secret of these tests. It must not leave the cluster's logs and events.
const planted = "plAnted"

// secretLog is the log of a launcher that prints what it should not, in the forms that were seen in logs of the field, and fails.
const secretLog = `export NGC_API_KEY=plAnted-01
HF_TOKEN: plAnted-02
{"version": 3, "env": ["AWS_ACCESS_KEY_ID=plAnted-03", "PLAIN=plAnted-04, with \"quotes\"", "WANDB_API_KEY=plAnted-05"], "nccl_version": 22205}
> GET /v2/ HTTP/1.1 Authorization: Bearer plAnted-06.aaaa.bbbb
fetching https://user:plAnted-07@git.example.com/data
fetching https://s3.example.com/data?X-Amz-Signature=plAnted-08&X-Amz-Expires=60
-----BEGIN OPENSSH PRIVATE KEY-----
plAnted-09
-----END OPENSSH PRIVATE KEY-----
gpu-node-01: Test NCCL failure common.cu:958 'unhandled system error' --api-key plAnted-10
gpu-node-01:12:34 [0] NCCL WARN Call to connect returned Connection refused, password=plAnted-11
`

// secretMessage is what a runtime or a webhook quotes.
const secretMessage = `failed to pull "https://user:plAnted-12@registry.example.com/x?sig=plAnted-13": Authorization: Basic plAnted-14aaaa, secret: "plAnted-15"`

func TestNoSecretLeavesTheCluster(t *testing.T) {
	simulate(t, 4, 2, func(t *testing.T, s *sim) {
		var logged bytes.Buffer
		s.log = slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		s.plays["nccl-group-0"] = play{log: secretLog, exit: 1, lasts: 2 * time.Minute, early: secretLog}
		s.plays["nccl-group-1"] = play{deaf: true, lasts: -1, broken: map[string]func(*corev1.Pod){"gpu-node-03": func(p *corev1.Pod) {
			p.Status.Phase, p.Status.ContainerStatuses = corev1.PodPending, []corev1.ContainerStatus{{
				Name: containerNode, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: secretMessage}},
			}}
			p.Status.Conditions = nil
		}}}
		_, err := s.Kube.CoreV1().Events(namespace).Create(t.Context(), &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Name: "e"},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "nccl-group-1-node-0-0"}, Reason: "Failed", Message: "image: " + secretMessage, LastTimestamp: metav1.Now(),
		}, metav1.CreateOptions{})
		require.NoError(t, err)

		a := s.workflow("nccl", map[string]string{"env": `[{"name": "WANDB_KEY", "value": "plAnted-16"}]`})
		var told []string
		for step, reply := range a.run() {
			text, err := json.Marshal(reply)
			require.NoError(t, err)
			told = append(told, step+": "+string(text))
		}
		require.Contains(t, strings.Join(told, "\n"), "***", "the secrets came by")
		require.NotContains(t, strings.Join(told, "\n"), planted, "messages and outputs")

		owner := cluster.Owner{Namespace: namespace, Name: "nccl", UID: "uid-of-nccl"}
		require.NoError(t, s.closer().Workflow(context.Background(), owner))
		plan, groups := a.record()
		require.Contains(t, fmt.Sprint(groups["group-0"].Result.FailureLog), "NGC_API_KEY=***")
		require.Contains(t, fmt.Sprint(groups["group-1"].Probe), "https://user:***")
		text, err := json.Marshal(groups)
		require.NoError(t, err)
		require.NotContains(t, string(text), planted, "the run record")
		// The plan has the run's own variables, since launch makes the objects from it; a value that is secret belongs into valueFrom.
		plan.Spec.Env = nil
		text, err = json.Marshal(plan)
		require.NoError(t, err)
		require.NotContains(t, string(text), planted, "the plan")

		full := record.Report("nccl", "", plan, groups, nil)
		for form, write := range map[string]func(io.Writer, ...v1alpha1.Report) error{
			"text": func(w io.Writer, all ...v1alpha1.Report) error { return report.WriteText(w, all[0], 200) },
			"json": report.WriteAllJSON, "html": report.WriteHTML, "junit": report.WriteJUnit, "markdown": report.WriteMarkdown,
		} {
			var b bytes.Buffer
			require.NoError(t, write(&b, full), form)
			require.NotContains(t, b.String(), planted, form)
			require.NotEmpty(t, b.String(), form)
		}
		require.NotContains(t, logged.String(), planted, "the plugin's log")
	})
}

// A webhook's refusal quotes the object that it refused.
func TestARefusalIsToldWithoutSecrets(t *testing.T) {
	simulate(t, 2, 2, func(t *testing.T, s *sim) {
		s.Refuse(func(verb, resource, _ string) error {
			if verb == "create" && resource == "trainjobs" {
				return fmt.Errorf("admission webhook denied the request: %s", secretMessage)
			}
			return nil
		})
		a := s.workflow("nccl", map[string]string{"timeoutPerJob": "1m", "maxDuration": "5m"})
		all, err := json.Marshal(a.run())
		require.NoError(t, err)
		require.Contains(t, string(all), "admission webhook denied")
		require.NotContains(t, string(all), planted)
		_, groups := a.record()
		text, err := json.Marshal(groups)
		require.NoError(t, err)
		require.NotContains(t, string(text), planted)
	})
}
