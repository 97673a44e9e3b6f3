package overlay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Workflow fits a workflow that chains runs: it gets a fixed name, and every task that is a run gets the parameters that
// its framework has; one that is there already gets the new value. patch and changes are as in Run.
func Workflow(text []byte, name string, parameters map[string]string, patch string) (fitted, changes []byte, err error) {
	workflow, err := read(text)
	if err != nil {
		return nil, nil, err
	}
	workflow["metadata"] = map[string]any{"name": name}
	launcher, err := json.Marshal([]any{smallLauncher(name)})
	if err != nil {
		return nil, nil, fmt.Errorf("writing the launcher's override: %w", err)
	}
	for _, t := range Runs(workflow) {
		wanted := map[string]string{"gpusPerNode": "1"}
		if t.Framework == v1alpha1.FrameworkMPI {
			wanted["overrides"] = string(launcher)
		}
		for k, v := range parameters {
			wanted[k] = v
		}
		for _, p := range v1alpha1.Parameters(t.Framework) {
			if value, is := wanted[p.Name]; is {
				t.set(p.Name, value)
			}
		}
	}
	return finish(text, workflow, patch)
}

// Task is a task of a DAG that is a run of one of the frameworks' templates.
type Task struct {
	Name, Framework string
	task            map[string]any
}

// Runs returns the tasks of a Workflow or WorkflowTemplate that are runs.
func Runs(workflow map[string]any) []Task {
	var runs []Task
	spec, _ := workflow["spec"].(map[string]any)
	templates, _ := spec["templates"].([]any)
	for _, t := range templates {
		template, _ := t.(map[string]any)
		dag, _ := template["dag"].(map[string]any)
		tasks, _ := dag["tasks"].([]any)
		for _, t := range tasks {
			task, _ := t.(map[string]any)
			reference, _ := task["templateRef"].(map[string]any)
			framework, is := strings.CutPrefix(fmt.Sprint(reference["name"]), "workloadrun-")
			if is && reference["template"] == "run" {
				runs = append(runs, Task{Name: fmt.Sprint(task["name"]), Framework: framework, task: task})
			}
		}
	}
	return runs
}

// Parameters are those that the task gives.
func (t Task) Parameters() map[string]string {
	all := map[string]string{}
	for _, p := range t.list() {
		if pair, is := p.(map[string]any); is {
			all[fmt.Sprint(pair["name"])] = fmt.Sprint(pair["value"])
		}
	}
	return all
}

func (t Task) list() []any {
	arguments, _ := t.task["arguments"].(map[string]any)
	list, _ := arguments["parameters"].([]any)
	return list
}

func (t Task) set(name, value string) {
	list := slices.DeleteFunc(slices.Clone(t.list()), func(p any) bool {
		pair, is := p.(map[string]any)
		return is && pair["name"] == name
	})
	t.task["arguments"] = map[string]any{"parameters": append(list, map[string]any{"name": name, "value": value})}
}
