package v1alpha1

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a user calls something becomes a name, a label, a key of a mount or a part of a selector. Whatever Kubernetes would not take
// there is refused at load, with its place, before anything is created.
func TestNamesAndLabelsOfUsersAreChecked(t *testing.T) {
	const file = `{"apiVersion": "nvcre.nvidia.com/v1alpha1", "kind": "WorkloadRun", "metadata": {"name": "pairs"}, "spec": {
		"image": "example/nccl:1", "numNodes": 2, "framework": {"exec": {"command": ["true"]}}}}`
	load := func(t *testing.T, field string, value any) error {
		t.Helper()
		var run map[string]any
		require.NoError(t, json.Unmarshal([]byte(file), &run))
		at, path := run, strings.Split(field, ".")
		for _, key := range path[:len(path)-1] {
			next, is := at[key].(map[string]any)
			if !is {
				next = map[string]any{}
				at[key] = next
			}
			at = next
		}
		at[path[len(path)-1]] = value
		text, err := json.Marshal(run)
		require.NoError(t, err)
		_, err = Load("run.yaml", text)
		return err
	}
	hostile := []string{"$(touch x)", "a b", "a\nb: c", "../../etc", "{{workflow.name}}", "a=b,c=d", "ä", "\x1b[31m", strings.Repeat("a", 300), "a\u0000b", "'\"`"}
	for name, c := range map[string]struct {
		field string
		value func(s string) any
		good  string
	}{
		"the run's name":          {"metadata.name", func(s string) any { return s }, "a-1"},
		"a label of the selector": {"spec.target", func(s string) any { return map[string]any{"nodeSelector": map[string]any{s: "x"}} }, "a/b"},
		"its value":               {"spec.target", func(s string) any { return map[string]any{"nodeSelector": map[string]any{"k": s}} }, "v"},
		"a key of an expression": {"spec.target", func(s string) any {
			return map[string]any{"matchExpressions": []any{map[string]any{"key": s, "operator": "Exists"}}}
		}, "a/b"},
		"a value of an expression": {"spec.target", func(s string) any {
			return map[string]any{"matchExpressions": []any{map[string]any{"key": "k", "operator": "In", "values": []any{s}}}}
		}, "v"},
		"a node":        {"spec.target", func(s string) any { return map[string]any{"nodeNames": []any{s, "other"}} }, "gpu-node-01.example.com"},
		"a taint's key": {"spec.target", func(s string) any { return map[string]any{"taintSelectors": []any{map[string]any{"key": s}}} }, "a/b"},
		"a taint's value": {"spec.target", func(s string) any {
			return map[string]any{"taintSelectors": []any{map[string]any{"key": "k", "value": s}}}
		}, "v"},
		"a topology key":          {"spec.orchestration", func(s string) any { return map[string]any{"topology": map[string]any{"topologyKey": s}} }, "topology.kubernetes.io/zone"},
		"a label of the workload": {"spec.workloadMetadata", func(s string) any { return map[string]any{"labels": map[string]any{s: "x"}} }, "team"},
		"its value, too":          {"spec.workloadMetadata", func(s string) any { return map[string]any{"labels": map[string]any{"team": s}} }, "a"},
		"a queue":                 {"spec.gangScheduler", func(s string) any { return map[string]any{"schedulerName": "kai-scheduler", "queue": s} }, "q"},
		"a queue's label": {"spec.gangScheduler", func(s string) any {
			return map[string]any{"schedulerName": "kai-scheduler", "queue": "q", "queueLabelKey": s}
		}, "a/b"},
		"a scheduler":               {"spec.gangScheduler", func(s string) any { return map[string]any{"schedulerName": s, "queue": "q"} }, "kai-scheduler"},
		"a variable":                {"spec.env", func(s string) any { return []any{map[string]any{"name": s, "value": "x"}} }, "A"},
		"a pull secret":             {"spec.imagePullSecrets", func(s string) any { return []any{map[string]any{"name": s}} }, "a"},
		"a file of the config":      {"spec.config", func(s string) any { return map[string]any{"inline": map[string]any{s: "x"}} }, "a.sh"},
		"a ConfigMap of the config": {"spec.config", func(s string) any { return map[string]any{"configMapRef": map[string]any{"name": s}} }, "a"},
		"a volume":                  {"spec.volumes", func(s string) any { return []any{map[string]any{"name": s, "emptyDir": map[string]any{}}} }, "a"},
		"an init container": {"spec.initContainers", func(s string) any {
			return []any{map[string]any{"name": s, "image": "x", "command": []any{"true"}}}
		}, "a"},
		"a storage class": {"spec.checkpoint", func(s string) any { return map[string]any{"storageSize": "1Gi", "storageClassName": s} }, "fast"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, load(t, c.field, c.value(c.good)))
			for _, s := range hostile {
				if name == "a variable" && len(s) == 300 {
					continue // a variable may have a name of any length
				}
				err := load(t, c.field, c.value(s))
				require.Error(t, err, "%q", s)
				require.NotContains(t, err.Error(), "\x1b", "what is refused is shown without its escape codes")
				require.Regexp(t, `^run\.yaml:\d+: `, err.Error(), fmt.Sprintf("%q", s))
			}
		})
	}
}
