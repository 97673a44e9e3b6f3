package overlay_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/test/e2e/overlay"
)

const root = "../../.."

func TestRunChangesLittleAndSaysWhat(t *testing.T) {
	text := []byte(`apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: wide}
spec:
  image: i
  framework: {mpi: {mpirunPath: /m, binary: /b}}
  numNodes: 8
  target: {nodeSelector: {rack: a}}
`)
	fitted, changes, err := overlay.Run(text, "spec: {target: null, env: [{name: A, value: b}]}")
	require.NoError(t, err)
	run, err := v1alpha1.Load("fitted", fitted)
	require.NoError(t, err)
	require.Equal(t, int32(2), run.Spec.NumNodes)
	require.Nil(t, run.Spec.Target)
	require.Len(t, run.Spec.Overrides, 1)
	require.Equal(t, `spec:
  env:
  - name: A
    value: b
  gpusPerNode: 1
  numNodes: 2
  overrides:
  - dependencies:
    - apiVersion: trainer.kubeflow.org/v1alpha1
      kind: TrainingRuntime
      metadata:
        name: wide-runtime
      spec:
        template:
          spec:
            replicatedJobs:
            - name: launcher
              template:
                spec:
                  template:
                    spec:
                      containers:
                      - name: node
                        resources:
                          requests:
                            cpu: 50m
                            memory: 32Mi
    when: {}
  target: null
`, string(changes))

	t.Run("an override of the file's own stays", func(t *testing.T) {
		own := strings.Replace(string(text), "  numNodes: 8\n", "  numNodes: 1\n  overrides: [{when: {}, orchestration: {}}]\n", 1)
		fitted, _, err := overlay.Run([]byte(own), "")
		require.NoError(t, err)
		run, err := v1alpha1.Load("fitted", fitted)
		require.NoError(t, err)
		require.Len(t, run.Spec.Overrides, 2)
		require.Equal(t, int32(1), run.Spec.NumNodes, "a smaller size stays")
	})
	t.Run("what is no run is an error", func(t *testing.T) {
		for _, text := range []string{"", "[]", "a: [", "spec: {}"} {
			_, _, err := overlay.Run([]byte(text), "")
			require.Error(t, err, text)
		}
		_, _, err := overlay.Run(text, "a: 1\na: 2")
		require.Error(t, err, "a patch that says a thing twice")
	})
}

// Every file that the cluster test runs can be fitted, and is then as sound as before.
func TestEveryExampleCanBeFitted(t *testing.T) {
	files, err := filepath.Glob(root + "/api/v1alpha1/testdata/examples/*.yaml")
	require.NoError(t, err)
	require.Len(t, files, 12)
	own, err := filepath.Glob(root + "/examples/*/run.yaml")
	require.NoError(t, err)
	require.Greater(t, len(own), 12)
	for _, file := range append(files, own...) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		fitted, changes, err := overlay.Run(text, "")
		require.NoError(t, err, file)
		require.NotEmpty(t, changes)
		_, err = v1alpha1.Load(file, fitted)
		require.NoError(t, err)
	}
}

var argoExpression = regexp.MustCompile(`\{\{[^}]*\}\}`)

// Every run of a chain has the parameters that its framework needs, before and after it is fitted.
func TestEveryRunOfAWorkflowIsSound(t *testing.T) {
	files, err := filepath.Glob(root + "/examples/*/*.yaml")
	require.NoError(t, err)
	runs := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		fitted, _, err := overlay.Workflow(text, "chain", map[string]string{"image": "i:1"}, "")
		require.NoError(t, err)
		for _, text := range [][]byte{text, fitted} {
			var workflow map[string]any
			require.NoError(t, yaml.Unmarshal(text, &workflow))
			for _, task := range overlay.Runs(workflow) {
				runs++
				parameters := task.Parameters()
				delete(parameters, "gate") // the template's own, not the run's
				for name, value := range parameters {
					parameters[name] = argoExpression.ReplaceAllString(value, sample(name))
				}
				_, options, err := v1alpha1.ParseParameters(task.Framework, parameters)
				require.NoError(t, err, "%s: %s", file, task.Name)
				require.NotEmpty(t, options.Cleanup)
			}
		}
	}
	require.GreaterOrEqual(t, runs, 2*(3+4), "chain and certification")
}

// sample stands for what Argo fills in.
func sample(parameter string) string {
	switch parameter {
	case "image":
		return "i:1"
	case "spec":
		return "{}"
	case "numNodes":
		return "4"
	case "nodeNames", "args":
		return `["n"]`
	case "artifacts":
		return "true"
	case "thresholds":
		return "value >= 1"
	}
	return "/x"
}
