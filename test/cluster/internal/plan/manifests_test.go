package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const someManifests = `apiVersion: v1
kind: Namespace
metadata: {name: jobset-system}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: controller}
---
apiVersion: v1
kind: Service
metadata: {name: hook, namespace: jobset-system}
spec:
  selector: {app: x}
  ports:
  - {name: webhook, port: 443, targetPort: webhook}
---
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: v}
webhooks:
- {name: a, clientConfig: {service: {name: hook}}}
- {name: b}
`

func items(t *testing.T, list []byte) []map[string]any {
	t.Helper()
	var out struct {
		Kind  string
		Items []map[string]any
	}
	require.NoError(t, json.Unmarshal(list, &out))
	require.Equal(t, "List", out.Kind)
	return out.Items
}

func TestOutside(t *testing.T) {
	list, err := Outside(strings.NewReader(someManifests), map[int]int{443: 9443}, []byte("CA"))
	require.NoError(t, err)
	objects := items(t, list)

	t.Run("no_deployment_is_left", func(t *testing.T) {
		var kinds []any
		for _, object := range objects {
			kinds = append(kinds, object["kind"])
		}
		require.Equal(t, []any{"Namespace", "Service", "EndpointSlice", "ValidatingWebhookConfiguration"}, kinds)
	})
	t.Run("the_service_points_at_the_host", func(t *testing.T) {
		require.NotContains(t, objects[1]["spec"], "selector")
		require.Equal(t, []any{map[string]any{"name": "webhook", "port": 9443.0, "protocol": "TCP"}}, objects[2]["ports"])
		require.Equal(t, map[string]any{"kubernetes.io/service-name": "hook"}, child(objects[2], "metadata")["labels"])
	})
	t.Run("every_webhook_trusts_the_authority", func(t *testing.T) {
		trusting := map[string]any{"caBundle": "Q0E="}
		require.Equal(t, []any{
			map[string]any{"name": "a", "clientConfig": map[string]any{"caBundle": "Q0E=", "service": map[string]any{"name": "hook"}}},
			map[string]any{"name": "b", "clientConfig": trusting},
		}, objects[3]["webhooks"])
	})
	t.Run("a_port_that_nobody_serves_is_an_error", func(t *testing.T) {
		_, err := Outside(strings.NewReader(someManifests), map[int]int{8443: 8443}, nil)
		require.EqualError(t, err, "changing manifests: service hook: port 443 is not among those served on the host, [8443]")
	})
	t.Run("no_manifests_is_an_error", func(t *testing.T) {
		_, err := Outside(strings.NewReader("---\n---\n"), nil, nil)
		require.ErrorContains(t, err, "there are none")
	})
}

func FuzzOutside(f *testing.F) {
	f.Add(someManifests)
	f.Add("kind: Service\nspec: {ports: [1]}")
	f.Add("kind: MutatingWebhookConfiguration\nwebhooks: [x]\n---\n\x1b[31m")
	f.Fuzz(func(t *testing.T, manifests string) {
		list, err := Outside(strings.NewReader(manifests), map[int]int{443: 9443}, []byte("CA"))
		if err != nil {
			return
		}
		for _, object := range items(t, list) { // whatever comes out runs no controller and selects no pod
			require.NotEqual(t, "Deployment", object["kind"])
			if object["kind"] == "Service" {
				require.NotContains(t, child(object, "spec"), "selector")
			}
		}
	})
}

func BenchmarkOutside(b *testing.B) {
	manifests := strings.Repeat(someManifests+"---\n", 50)
	for b.Loop() {
		if _, err := Outside(strings.NewReader(manifests), map[int]int{443: 9443}, []byte("CA")); err != nil {
			b.Fatal(err)
		}
	}
}
