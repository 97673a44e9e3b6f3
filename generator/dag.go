package generator

import (
	"fmt"
	"strings"

	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// results are the outputs of a run, each with what it reads as when the run could not tell.
// A sub-DAG that did not succeed has no outputs, and a reference to a missing one never resolves: hence the defaults.
var results = []struct{ name, unknown string }{
	{"verdict", v1alpha1.Unknown.String()},
	{"passedNodes", "[]"},
	{"failedNodes", "[]"},
	{"passedCount", "0"},
	{"report", ""},
}

// mainDAG is the entry for a workflow of one run. It shuts the gate: the workflow fails unless the run passed.
func mainDAG(parameters []v1alpha1.Parameter) wfv1.Template {
	return wfv1.Template{
		Name:    "main",
		Outputs: resultsOf("run"),
		DAG: dag(wfv1.DAGTask{
			Name: "run", Template: "run",
			Arguments: wfv1.Arguments{Parameters: append([]wfv1.Parameter{value("gate", "true")}, forward(parameters, "workflow")...)},
		}),
	}
}

// runDAG is what a larger DAG refers to. It knows nothing of the workflow around it, so every value arrives as an input.
func runDAG(f framework, parameters []v1alpha1.Parameter) wfv1.Template {
	inputs := []wfv1.Parameter{{Name: "gate", Default: wfv1.AnyStringPtr("false"),
		Description: wfv1.AnyStringPtr("\"true\": the run fails unless its verdict is pass. Otherwise the verdict is data for later tasks.")}}
	for _, p := range parameters {
		inputs = append(inputs, wfv1.Parameter{Name: p.Name, Default: wfv1.AnyStringPtr("")})
	}
	return wfv1.Template{
		Name:    "run",
		Inputs:  wfv1.Inputs{Parameters: inputs},
		Outputs: resultsOf("report"),
		DAG: dag(
			wfv1.DAGTask{Name: "discover", Template: "discover", Arguments: wfv1.Arguments{Parameters: forward(parameters, "inputs")}},
			wfv1.DAGTask{Name: "partition", Template: "partition", Depends: "discover"},
			wfv1.DAGTask{Name: "groups", Template: "group", Depends: "partition",
				WithParam: "{{tasks.partition.outputs.parameters.batches}}",
				Arguments: wfv1.Arguments{Parameters: []wfv1.Parameter{value("groups", "{{item}}")}}},
			isolated(f),
			wfv1.DAGTask{Name: "report", Template: "report", Depends: ended("discover", "partition", "groups", "isolate"),
				Arguments: wfv1.Arguments{Parameters: []wfv1.Parameter{value("gate", "{{inputs.parameters.gate}}")}}},
		),
	}
}

// isolated is the task of run that finds the nodes behind failed groups, if the run wants that. It needs groups, which a failed
// partition has not.
func isolated(f framework) wfv1.DAGTask {
	t := wfv1.DAGTask{Name: "isolate", Template: "isolate", Depends: "partition.Succeeded && " + ended("groups"),
		Arguments: wfv1.Arguments{Parameters: []wfv1.Parameter{value("round", "1")}}}
	if !f.isolates {
		// In quotes, since the parameter may be "". Discover, which comes before, refuses any other value than true and false.
		t.When = "'{{inputs.parameters." + v1alpha1.IsolateParameter + "}}' == 'true'"
	}
	return t
}

// isolateDAG is one round of isolation, and calls itself for the next one as long as a round has groups: the plugin ends it
// after isolate.MaxRounds. A reference to an output of a step that did not succeed would never resolve, so that next depends on its success.
func isolateDAG() wfv1.Template {
	return wfv1.Template{
		Name:   "isolate",
		Inputs: wfv1.Inputs{Parameters: []wfv1.Parameter{{Name: "round", Description: wfv1.AnyStringPtr("Which round, counted from 1.")}}},
		DAG: dag(
			wfv1.DAGTask{Name: "round", Template: "round",
				Arguments: wfv1.Arguments{Parameters: []wfv1.Parameter{value("round", "{{inputs.parameters.round}}")}}},
			wfv1.DAGTask{Name: "groups", Template: "group", Depends: "round",
				WithParam: "{{tasks.round.outputs.parameters.batches}}",
				Arguments: wfv1.Arguments{Parameters: []wfv1.Parameter{value("groups", "{{item}}")}}},
			wfv1.DAGTask{Name: "next", Template: "isolate", Depends: "round.Succeeded && " + ended("groups"),
				When:      "{{tasks.round.outputs.parameters.more}} == true",
				Arguments: wfv1.Arguments{Parameters: []wfv1.Parameter{value("round", "{{tasks.round.outputs.parameters.next}}")}}},
		),
	}
}

// groupDAG runs one batch of groups. Probe and score work beside each other while the job runs.
func groupDAG(f framework) wfv1.Template {
	arguments := wfv1.Arguments{Parameters: []wfv1.Parameter{value("groups", "{{inputs.parameters.groups}}")}}
	tasks := []wfv1.DAGTask{{Name: "launch", Template: "launch", Arguments: arguments}}
	if f.probed {
		tasks = append(tasks, wfv1.DAGTask{Name: "probe", Template: "probe", Depends: "launch", Arguments: arguments})
	}
	tasks = append(tasks, wfv1.DAGTask{Name: "score", Template: "score", Depends: "launch", Arguments: arguments})
	return wfv1.Template{Name: "group", Inputs: groupsInput(), DAG: dag(tasks...)}
}

// dag makes a DAG whose tasks do not stop because another one failed: a bad group says nothing about the next.
func dag(tasks ...wfv1.DAGTask) *wfv1.DAGTemplate {
	return &wfv1.DAGTemplate{FailFast: new(false), Tasks: tasks}
}

// ended is true as soon as every task has come to an end, however it ended.
func ended(tasks ...string) string {
	states := []string{"Succeeded", "Failed", "Errored", "Skipped", "Omitted"}
	var all []string
	for _, task := range tasks {
		var one []string
		for _, state := range states {
			one = append(one, task+"."+state)
		}
		all = append(all, "("+strings.Join(one, " || ")+")")
	}
	return strings.Join(all, " && ")
}

func resultsOf(task string) wfv1.Outputs {
	var outputs wfv1.Outputs
	for _, r := range results {
		outputs.Parameters = append(outputs.Parameters, wfv1.Parameter{Name: r.name, ValueFrom: &wfv1.ValueFrom{
			Parameter: fmt.Sprintf("{{tasks.%s.outputs.parameters.%s}}", task, r.name),
			Default:   wfv1.AnyStringPtr(r.unknown),
		}})
	}
	return outputs
}

func value(name, v string) wfv1.Parameter {
	return wfv1.Parameter{Name: name, Value: wfv1.AnyStringPtr(v)}
}

func groupsInput() wfv1.Inputs {
	return wfv1.Inputs{Parameters: []wfv1.Parameter{{Name: "groups"}}}
}
