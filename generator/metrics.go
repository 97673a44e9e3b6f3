package generator

import wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"

// runMetrics are what Argo's controller counts of runs, beside its own: how many ended with which verdict. Names of runs and nodes are no
// labels, since each would be a time series for ever. The plugin's own counters are on its port 7244.
func runMetrics(framework string) *wfv1.Metrics {
	labels := []*wfv1.MetricLabel{{Key: "framework", Value: framework}}
	return &wfv1.Metrics{Prometheus: []*wfv1.Prometheus{
		{
			Name: "seatrial_runs_total", Help: "Runs of WorkloadRuns that have a report, by verdict",
			Labels:  append(labels[:1:1], &wfv1.MetricLabel{Key: "verdict", Value: "{{outputs.parameters.verdict}}"}),
			Counter: &wfv1.Counter{Value: "1"},
		},
		{
			Name: "seatrial_nodes_passed_total", Help: "Nodes that passed a run",
			Labels:  labels,
			Counter: &wfv1.Counter{Value: "{{outputs.parameters.passedCount}}"},
		},
	}}
}
