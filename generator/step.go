package generator

import (
	"encoding/json"
	"fmt"

	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// body is what the plugin is told besides the template's inputs. It stays short: Argo carries it in the WorkflowTaskSet
// together with those of all pending steps, and that object has the size limit of etcd.
type body struct {
	Step string `json:"step"`
	// Framework is discover's: the run's parameters do not say which template they were given to.
	Framework string `json:"framework,omitempty"`
	Groups    string `json:"groups,omitempty"`
	Gate      string `json:"gate,omitempty"`
	// Round is that of isolation, counted from 1.
	Round string `json:"round,omitempty"`
	// Fragment is what a platform fragment holds.
	Fragment *v1alpha1.Fragment `json:"fragment,omitempty"`
	// Node is the step's place in the workflow. With a retryStrategy it is the name without the attempt, so it is the same for each.
	Node    string `json:"node"`
	Version string `json:"version"`
}

// discover has the parameters as inputs only: Argo hands a plugin the template with its inputs anyway.
func discover(framework string, parameters []v1alpha1.Parameter, o Options) wfv1.Template {
	var inputs wfv1.Inputs
	for _, p := range parameters {
		inputs.Parameters = append(inputs.Parameters, wfv1.Parameter{Name: p.Name})
	}
	return step(o, inputs, body{Step: "discover", Framework: framework}, "platform", "gpuArchitecture", "nodes", "plan")
}

func partition(o Options) wfv1.Template {
	return step(o, wfv1.Inputs{}, body{Step: "partition"}, "batches", "groups")
}

// round makes a round of isolation: its groups, whether there are any, and the number of the next one.
func round(o Options) wfv1.Template {
	inputs := wfv1.Inputs{Parameters: []wfv1.Parameter{{Name: "round"}}}
	return step(o, inputs, body{Step: "round", Round: "{{inputs.parameters.round}}"}, "batches", "more", "next")
}

func launch(o Options) wfv1.Template { return groupStep(o, "launch") }
func probe(o Options) wfv1.Template  { return groupStep(o, "probe") }
func score(o Options) wfv1.Template  { return groupStep(o, "score") }

// groupStep has no outputs: Argo drops those of a failed member of a fan-out, and the report reads the run record.
func groupStep(o Options, name string) wfv1.Template {
	return step(o, groupsInput(), body{Step: name, Groups: "{{inputs.parameters.groups}}"})
}

func report(framework string, o Options) wfv1.Template {
	var outputs []string
	for _, r := range results {
		outputs = append(outputs, r.name)
	}
	inputs := wfv1.Inputs{Parameters: []wfv1.Parameter{{Name: "gate"}}}
	t := step(o, inputs, body{Step: "report", Gate: "{{inputs.parameters.gate}}"}, outputs...)
	t.Metrics = runMetrics(framework)
	return t
}

func step(o Options, inputs wfv1.Inputs, b body, outputs ...string) wfv1.Template {
	b.Node, b.Version = "{{node.name}}", o.Version
	t := wfv1.Template{
		Name:          b.Step,
		Inputs:        inputs,
		Plugin:        &wfv1.Plugin{Object: wfv1.Object{Value: call(b)}},
		RetryStrategy: retryTransport(),
	}
	for _, name := range outputs {
		t.Outputs.Parameters = append(t.Outputs.Parameters, wfv1.Parameter{Name: name, ValueFrom: &wfv1.ValueFrom{Supplied: &wfv1.SuppliedValueFrom{}}})
	}
	return t
}

// call wraps the body under the plugin's key. Argo refuses a plugin template with more than one key.
func call(b body) json.RawMessage {
	raw, err := json.Marshal(map[string]body{PluginName: b})
	if err != nil {
		panic(fmt.Sprintf("marshalling strings: %v", err))
	}
	return raw
}

// retryTransport calls a step again when the plugin could not be reached or its answer broke off. Argo's agent has by then tried
// for a quarter of a minute; the five attempts here add at least 2+4+8+16+32 seconds, for a sidecar in restart back-off.
// The expression names the plugin's own address, so that a report of "connection refused" from a node's sshd is not taken for it,
// and leaves out "no plugin executed the template": an agent that has no plugin will not get one. An agent pod that was deleted,
// by the drain of its node say, fails without a reason and is made anew, and its steps find their state in the run record. One that
// was evicted fails with a reason and stays, and fails every attempt at once: the exit handler should come soon then.
// An API server that has just started may refuse the agent the answer's patch, since it has not read the roles yet; the agent then
// fails the step although the work was done.
// The first wait is short because Argo also waits before it looks at the expression, so each failed step pays for it.
// backoff.cap is avoided: Argo has it since 3.7 only.
func retryTransport() *wfv1.RetryStrategy {
	return &wfv1.RetryStrategy{
		Limit:       new(intstr.FromInt32(5)),
		RetryPolicy: wfv1.RetryPolicyAlways,
		Backoff:     &wfv1.Backoff{Duration: "2s", Factor: new(intstr.FromInt32(2))},
		Expression: fmt.Sprintf("lastRetry.message contains 'localhost:%d/api/v1/template.execute'"+
			" || lastRetry.message matches 'when patching its result.* is forbidden'"+
			" || lastRetry.message startsWith 'read tcp ' || lastRetry.message in ['EOF', 'unexpected EOF']"+
			" || lastRetry.message == 'agent pod failed with reason:\"\"'", PluginPort),
	}
}
