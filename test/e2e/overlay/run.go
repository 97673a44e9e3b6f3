package overlay

import (
	"errors"
	"fmt"
)

// most is the group size that three nodes have room for beside what else runs there.
const most = 2

// Run fits a WorkloadRun. patch is the file's own merge patch as YAML; "" for none. changes is all that is different
// afterwards, as a merge patch in YAML.
func Run(text []byte, patch string) (fitted, changes []byte, err error) {
	run, err := read(text)
	if err != nil {
		return nil, nil, err
	}
	spec, is := run["spec"].(map[string]any)
	metadata, is2 := run["metadata"].(map[string]any)
	if !is || !is2 {
		return nil, nil, errors.New("fitting the run: it has no metadata or no spec")
	}
	if n, is := spec["numNodes"].(float64); is && n > most {
		spec["numNodes"] = most
	}
	spec["gpusPerNode"] = 1
	framework, _ := spec["framework"].(map[string]any)
	if _, mpi := framework["mpi"]; mpi {
		overrides, _ := spec["overrides"].([]any)
		spec["overrides"] = append(overrides, smallLauncher(fmt.Sprint(metadata["name"])))
	}
	return finish(text, run, patch)
}

// smallLauncher is an override that lets a launcher start where two cores are all there is: without it its requests are its
// limits, two cores. run is the name by which overrides know the run.
func smallLauncher(run string) map[string]any {
	container := map[string]any{"name": "node", "resources": map[string]any{"requests": map[string]any{"cpu": "50m", "memory": "32Mi"}}}
	job := map[string]any{"name": "launcher", "template": nest(map[string]any{"containers": []any{container}}, "spec", "template", "spec")}
	return map[string]any{"when": map[string]any{}, "dependencies": []any{map[string]any{
		"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime", "metadata": map[string]any{"name": run + "-runtime"},
		"spec": nest(map[string]any{"replicatedJobs": []any{job}}, "template", "spec"),
	}}}
}

// nest puts a value below keys, the outermost first.
func nest(value map[string]any, keys ...string) map[string]any {
	for i := len(keys) - 1; i >= 0; i-- {
		value = map[string]any{keys[i]: value}
	}
	return value
}
