package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// byHandRights are what Argo's executor needs to create TrainJobs and to look at them.
const byHandRights = `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: by-hand}, rules: [{apiGroups: [trainer.kubeflow.org], resources: [trainjobs], verbs: [get, create]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: by-hand}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: by-hand}, subjects: [{kind: ServiceAccount, name: seatrial-workflow}]}
`

// submitByHand creates the same objects in the way that Argo's own means offer: a resource template for each group's TrainJob,
// which waits until it is Complete. The runtimes are there before. Nobody reads a log, and nothing is cleaned up.
func (s *stand) submitByHand(ctx context.Context, w sweep) error {
	objects, err := s.render(ctx, w)
	if err != nil {
		return err
	}
	if err := s.kubectl(ctx, byHandRights, "apply", "-f", "-"); err != nil {
		return err
	}
	var manifests []any
	for _, text := range objects {
		if strings.Contains(text, "\nkind: TrainJob\n") {
			manifests = append(manifests, map[string]any{"manifest": text})
		} else if err := s.kubectl(ctx, text, "apply", "-f", "-"); err != nil {
			return err
		}
	}
	if len(manifests) != w.groups() {
		return fmt.Errorf("%d TrainJobs were rendered for %d groups", len(manifests), w.groups())
	}
	_, err = s.dynamic.Resource(workflows).Namespace(s.namespace).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": map[string]any{"name": w.name},
		"spec": map[string]any{"entrypoint": "main", "serviceAccountName": "seatrial-workflow", "templates": []any{
			map[string]any{"name": "main", "dag": map[string]any{"failFast": false, "tasks": []any{map[string]any{
				"name": "group", "template": "group", "withItems": manifests,
				"arguments": map[string]any{"parameters": []any{map[string]any{"name": "manifest", "value": "{{item.manifest}}"}}},
			}}}},
			map[string]any{"name": "group", "inputs": map[string]any{"parameters": []any{map[string]any{"name": "manifest"}}}, "resource": map[string]any{
				"action": "create", "manifest": "{{inputs.parameters.manifest}}",
				"successCondition": "status.conditions.0.type == Complete", "failureCondition": "status.conditions.0.type == Failed",
			}},
		}},
	}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("submitting %s: %w", w.name, err)
	}
	return nil
}

// render lets `seatrial workloadrun render` make every group's objects.
func (s *stand) render(ctx context.Context, w sweep) ([]string, error) {
	folder, err := os.MkdirTemp("", "seatrial-scale-")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	run, err := yaml.Marshal(map[string]any{
		"apiVersion": "nvcre.nvidia.com/v1alpha1", "kind": "WorkloadRun", "metadata": map[string]any{"name": w.name},
		"spec": map[string]any{
			"image": image, "numNodes": w.size, "target": map[string]any{"nodeSelector": map[string]any{label: ""}},
			"framework": map[string]any{"mpi": map[string]any{"mpirunPath": "/usr/local/mpi/bin/mpirun", "binary": "/usr/local/bin/all_reduce_perf_mpi", "args": []string{"-b", "8", "-e", "8G", "-f", "2"}}},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("writing the run: %w", err)
	}
	file := filepath.Join(folder, "run.yaml")
	if err := os.WriteFile(file, run, 0o600); err != nil {
		return nil, fmt.Errorf("writing the run: %w", err)
	}
	out, err := exec.CommandContext(ctx, filepath.Join(s.root, "bin", "seatrial"), "workloadrun", "render", file, "--dry-run", "--what", "objects", "-n", s.namespace).Output()
	if err != nil {
		return nil, fmt.Errorf("rendering: %w: %s", err, stderrOf(err))
	}
	var objects []string
	for _, text := range strings.Split("\n"+string(out), "\n---\n") {
		if strings.Contains("\n"+text, "\nkind: ") {
			objects = append(objects, "\n"+text)
		}
	}
	return objects, nil
}

func stderrOf(err error) string {
	if exit, is := err.(*exec.ExitError); is { //nolint:errorlint // Output returns it as it is
		return strings.TrimSpace(string(exit.Stderr))
	}
	return ""
}
