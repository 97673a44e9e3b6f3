package generator_test

import (
	"testing"

	"github.com/argoproj/argo-workflows/v3/util/expr/argoexpr"
	"github.com/argoproj/argo-workflows/v3/util/expr/env"
	"github.com/argoproj/argo-workflows/v3/workflow/common"
	"github.com/stretchr/testify/require"
)

// The scope is built as Argo's controller does it (processNodeRetries, workflow/controller/operator.go, v3.7.18).
func TestRetryExpression(t *testing.T) {
	const call = `Post "http://localhost:7243/api/v1/template.execute": `
	for message, want := range map[string]bool{
		call + "dial tcp [::1]:7243: connect: connection refused": true,
		call + "EOF": true,
		call + "read tcp 127.0.0.1:40000->127.0.0.1:7243: read: connection reset by peer":                                                                                                             true,
		call + "context deadline exceeded (Client.Timeout exceeded while awaiting headers)":                                                                                                           true,
		`HTTP request completed successfully but an error occurred when patching its result: workflowtasksets.argoproj.io "x" is forbidden: User "u" cannot patch resource "workflowtasksets/status"`: true,
		"HTTP request completed successfully but an error occurred when patching its result: Request entity too large: limit is 3145728":                                                              false,
		`agent pod failed with reason:""`:                                      true,
		`agent pod failed with reason:"The node was low on resource: memory."`: false,
		"EOF":            true,
		"unexpected EOF": true,
		"read tcp 127.0.0.1:40000->127.0.0.1:7243: read: connection reset by peer": true,

		"":                                false,
		"no plugin executed the template": false,
		"group-3: threshold: busBandwidthGBps is 12.3; value >= 400 was asked for":      false,
		"gpu-node-02: sshd: dial tcp 10.0.0.2:22: connect: connection refused":          false,
		"group-1: the log ends with: rank 3: Socket closed: connection reset by peer":   false,
		"group-1: reading the log: unexpected EOF":                                      false,
		"Stopped with strategy 'Stop'":                                                  false,
		"500 Internal Server Error: handler":                                            false,
		`Get "https://10.96.0.1:443/api/v1/nodes": dial tcp 10.96.0.1:443: i/o timeout`: false,
	} {
		t.Run(message, func(t *testing.T) {
			for _, template := range frameworks(t) {
				for _, step := range template.Spec.Templates {
					if step.Plugin == nil {
						continue
					}
					got, err := argoexpr.EvalBool(step.RetryStrategy.Expression, env.GetFuncMap(map[string]any{
						common.LocalVarRetries:             "0",
						common.LocalVarRetriesLastExitCode: "-1",
						common.LocalVarRetriesLastStatus:   "Failed",
						common.LocalVarRetriesLastDuration: "1",
						common.LocalVarRetriesLastMessage:  message,
					}))
					require.NoError(t, err)
					require.Equal(t, want, got, step.Name)
				}
			}
		})
	}
}

// ends are the states of a task that has ended; the rest of what depends knows are states of fan-outs and daemons.
var ends = []string{"Succeeded", "Failed", "Errored", "Skipped", "Omitted"}

func TestReportDepends(t *testing.T) {
	for name, template := range frameworks(t) {
		depends := template.GetTemplateByName("run").DAG.Tasks[4].Depends
		evaluate := func(states ...string) bool {
			scope := map[string]any{}
			for i, task := range []string{"discover", "partition", "groups", "isolate"} {
				state := map[string]bool{}
				for _, end := range ends {
					state[end] = states[i] == end
				}
				scope[task] = state
			}
			got, err := argoexpr.EvalBool(depends, scope)
			require.NoError(t, err)
			return got
		}
		t.Run(name+" reports whatever happened", func(t *testing.T) {
			for _, discover := range ends {
				for _, partition := range ends {
					for _, groups := range ends {
						for _, isolate := range ends {
							require.True(t, evaluate(discover, partition, groups, isolate), "%s %s %s %s", discover, partition, groups, isolate)
						}
					}
				}
			}
		})
		t.Run(name+" does not report before the groups have ended", func(t *testing.T) {
			require.False(t, evaluate("Succeeded", "Succeeded", "running", "running"))
			require.False(t, evaluate("running", "Omitted", "Omitted", "Omitted"))
			require.False(t, evaluate("Succeeded", "Succeeded", "Succeeded", "running"))
		})
	}
}
