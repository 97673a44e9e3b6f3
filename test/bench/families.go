package main

// family is one benchmark with its sizes.
type family struct {
	// what is measured, for the reader.
	what string
	// folder has the package, bench is a benchmark's name without Benchmark, with its parts between slashes.
	folder, bench string
	// unit is what a size counts; "" for a benchmark without sizes.
	unit string
	// rate is a metric of the benchmark's own to show, by its unit, and its name for the reader; "" for none.
	rate, rateName string
}

// families are in the order of a run.
var families = []family{
	{what: "generate: all WorkflowTemplates", folder: "generator", bench: "Files"},
	{what: "read a WorkloadRun", folder: "api/v1alpha1", bench: "Load"},
	{what: "render: the objects of a group", folder: "internal/resolve", bench: "Objects", unit: "nodes"},
	{what: "partition: by four levels of the fabric, groups of 18", folder: "plugin/partition", bench: "Cut/size=18", unit: "nodes"},
	{what: "partition: by racks smaller than a group", folder: "plugin/partition", bench: "CutFlat", unit: "nodes"},
	{what: "wire: a call of a step", folder: "plugin/server", bench: "Calls", rate: "calls/s", rateName: "calls/s"},
	{what: "run record: one change", folder: "internal/cluster", bench: "Update"},
	{what: "probe: every sshd once", folder: "plugin/probe", bench: "All", unit: "listeners"},
	{what: "parse: NCCL_DEBUG=INFO with a table in it", folder: "plugin/parse", bench: "Parser/info", rate: "B/s", rateName: "MB/s"},
	{what: "parse: every kind of line in turn", folder: "plugin/parse", bench: "Parser/mix", rate: "B/s", rateName: "MB/s"},
	{what: "score: a whole log's verdict", folder: "plugin/score", bench: "Score"},
	{what: "report: text, groups of two", folder: "plugin/report", bench: "WriteText", unit: "nodes"},
	{what: "report: HTML", folder: "plugin/report", bench: "WriteHTML", unit: "nodes"},
	{what: "report: from the record of 500 groups, by the command line", folder: "internal/cli", bench: "Report1000Nodes"},
	{what: "demo: a simulated fleet of 64 nodes, from the log to the report", folder: "internal/demo", bench: "Run64"},
}
