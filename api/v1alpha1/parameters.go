package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// Parameter is one parameter of the WorkflowTemplates. "" always means: not given.
// Argo cannot tell a default from a value, so defaults live here and in defaults.go, never in a template.
type Parameter struct {
	Name string
	// Help is one or two sentences, shown by the Argo UI.
	Help string
	// Enum lists the values besides ""; nil for free text. Argo does not enforce it for `argo submit`, so ParseParameters does.
	Enum []string
	// Framework is the only framework that has the parameter; "" for all of them.
	Framework string
	set       func(*given, string) error
}

// SpecParameter is the parameter that holds a whole spec; every other one that is given wins over it.
const SpecParameter = "spec"

// IsolateParameter is the parameter that the template `run` looks at itself, to leave isolation out.
const IsolateParameter = "isolate"

// Parameters returns the parameters of a framework's WorkflowTemplate, in the order in which a form shows them.
func Parameters(framework string) []Parameter {
	var own []Parameter
	for _, p := range parameters {
		if p.Framework == "" || p.Framework == framework {
			own = append(own, p)
		}
	}
	return own
}

var parameters = []Parameter{
	{Name: "name", Help: "Name of the run, which overrides refer to as `<run>-runtime`. Default: the workflow's name.", set: setName},
	{Name: SpecParameter, Help: "The `spec` of a WorkloadRun as YAML. Every other parameter that is given wins over it.", set: setSpec},
	{Name: SpecFromParameter, Help: "Name of a ConfigMap that holds the spec under the key `" + SpecKey + "`, or NAME/KEY: for one that is too long for **spec**, which is then not given.", set: setSpecFrom},
	{Name: "image", Help: "Image of launcher and workers.", set: text(func(s *WorkloadRunSpec) *string { return &s.Image })},
	{Name: "numNodes", Help: "Nodes of one group, not a total: all nodes of the target are cut into groups of this size.", set: number(1, func(g *given, n int32) { g.spec.NumNodes = n })},
	{Name: "script", Framework: FrameworkTorch, Help: "Python file that torchrun starts. Either this or **module**.", set: text(func(s *WorkloadRunSpec) *string { return &torch(s).Script })},
	{Name: "module", Framework: FrameworkTorch, Help: "Python module that torchrun starts. Either this or **script**.", set: text(func(s *WorkloadRunSpec) *string { return &torch(s).Module })},
	{Name: "args", Framework: FrameworkTorch, Help: "Arguments of the script or module, as a JSON or YAML list.", set: value(func(s *WorkloadRunSpec) *[]string { return &torch(s).Args })},
	{Name: "mpirunPath", Framework: FrameworkMPI, Help: "Path of mpirun in the image.", set: text(func(s *WorkloadRunSpec) *string { return &mpi(s).MPIRunPath })},
	{Name: "binary", Framework: FrameworkMPI, Help: "Program that mpirun starts on every rank.", set: text(func(s *WorkloadRunSpec) *string { return &mpi(s).Binary })},
	{Name: "args", Framework: FrameworkMPI, Help: "Arguments of the program, as a JSON or YAML list.", set: value(func(s *WorkloadRunSpec) *[]string { return &mpi(s).Args })},
	{Name: "mpiArgs", Framework: FrameworkMPI, Help: "Further arguments of mpirun, as a JSON or YAML list.", set: value(func(s *WorkloadRunSpec) *[]string { return &mpi(s).MPIArgs })},
	{Name: "command", Framework: FrameworkExec, Help: "Command that runs once on each node, as a JSON or YAML list.", set: value(func(s *WorkloadRunSpec) *[]string { return &exec(s).Command })},
	{Name: "args", Framework: FrameworkExec, Help: "Arguments of the command, as a JSON or YAML list.", set: value(func(s *WorkloadRunSpec) *[]string { return &exec(s).Args })},
	{Name: "gpusPerNode", Help: "GPUs of a node that the job takes. Default: what the nodes advertise.", set: number(1, func(g *given, n int32) { g.spec.GPUsPerNode = &n })},
	{Name: "mlnxPerNode", Help: "NICs of a node that the job takes, where the platform has a resource for them; 0 for none. Default: the platform's.", set: number(0, func(g *given, n int32) { g.spec.MlnxPerNode = &n })},
	{Name: "nodeSelector", Help: "Labels that a node must have, as a JSON or YAML map.", set: value(func(s *WorkloadRunSpec) *map[string]string { return &target(s).NodeSelector })},
	{Name: "matchExpressions", Help: "Label expressions (In, NotIn, Exists, DoesNotExist), as a JSON or YAML list.", set: value(func(s *WorkloadRunSpec) *[]corev1.NodeSelectorRequirement { return &target(s).MatchExpressions })},
	{Name: "nodeNames", Help: "Names of the nodes to test, as a JSON or YAML list. `[]` selects no node and never widens.", set: setNodeNames},
	{Name: "platform", Help: "Platform of the nodes. Default: what they show.", Enum: Platforms, set: option(func(o *Options) *string { return &o.Platform })},
	{Name: "gpuArchitecture", Help: "GPU architecture of the nodes. Default: what they show.", Enum: GPUArchitectures, set: option(func(o *Options) *string { return &o.GPUArchitecture })},
	{Name: "placement", Help: "Pinned (default): every target node is in a group. Unpinned: one job of numNodes nodes, anywhere in the target.", Enum: []string{string(Pinned), string(Unpinned)}, set: word(func(s *WorkloadRunSpec) *PlacementMode { return &orchestration(s).Placement })},
	{Name: "topologyKey", Help: "Label whose value is a node's topology domain; groups stay within as few domains as possible. Several labels, outermost first, are separated by commas; `auto` takes those that are known.", set: text(func(s *WorkloadRunSpec) *string { return &topology(s).TopologyKey })},
	{Name: "testScale", Help: "intra-node: groups of one node. intra-rack: one group for each topology domain. full-scale: groups of numNodes.", Enum: []string{string(IntraNode), string(IntraRack), string(FullScale)}, set: word(func(s *WorkloadRunSpec) *TestScale { return &orchestration(s).TestScale })},
	{Name: "repeatCount", Help: "How often every group runs. Default: 1.", set: number(1, func(g *given, n int32) { orchestration(g.spec).RepeatCount = &n })},
	{Name: "maxConcurrent", Help: "Groups that may run at once; 0 means no bound.", set: number(0, func(g *given, n int32) { orchestration(g.spec).MaxConcurrent = &n })},
	{Name: "timeoutPerJob", Help: "Time that one group's job may take once its pods are scheduled, such as `30m`. Default: 24h.", set: text(func(s *WorkloadRunSpec) *string { return &orchestration(s).TimeoutPerJob })},
	{Name: "env", Help: "Environment of the workload, as a JSON or YAML list of `{name, value}`.", set: value(func(s *WorkloadRunSpec) *[]corev1.EnvVar { return &s.Env })},
	{Name: "thresholds", Help: "Map of a metric (busBandwidthGBps, algBandwidthGBps, …) to an expression over `value`, such as `value >= 400`.", set: value(func(s *WorkloadRunSpec) *map[string]string { return &s.Thresholds })},
	{Name: "logProfile", Help: "Measure with this log profile: a group whose log holds no bandwidth table, or no training steps, is then not a pass. `nccl-bandwidth`, `megatron-training`, …, or the name of a profile of your own.", set: setLogProfile},
	{Name: "testType", Help: "Name of the collective, such as `all_reduce`.", set: setTestType},
	{Name: "schedulerName", Help: "Gang scheduler of every pod, such as `kai-scheduler`.", set: text(func(s *WorkloadRunSpec) *string { return &gang(s).SchedulerName })},
	{Name: "queue", Help: "Queue of the gang scheduler. Default: default-queue.", set: text(func(s *WorkloadRunSpec) *string { return &gang(s).Queue })},
	{Name: "queueLabelKey", Help: "Label that names the queue. Default: kai.scheduler/queue; Run:ai has runai/queue.", set: text(func(s *WorkloadRunSpec) *string { return &gang(s).QueueLabelKey })},
	{Name: "imagePullSecrets", Help: "Pull secrets of every pod, as a JSON or YAML list of `{name}`.", set: value(func(s *WorkloadRunSpec) *[]corev1.LocalObjectReference { return &s.ImagePullSecrets })},
	{Name: "overrides", Help: "Overrides of the generated objects, as a JSON or YAML list.", set: value(func(s *WorkloadRunSpec) *[]Override { return &s.Overrides })},
	{Name: "planOnly", Help: "End once the plan is made: nodes, platform and fragments are in the message, and nothing is created.", Enum: []string{"true", "false"}, set: func(g *given, v string) error { g.options.PlanOnly = v == "true"; return nil }},
	{Name: "cleanup", Help: "When the objects of a finished group are deleted. Default: always.", Enum: []string{string(CleanupAlways), string(CleanupOnSuccess), string(CleanupNever)}, set: setCleanup},
	{Name: "retryFailedGroups", Help: "How often a group that did not pass runs again on the same nodes. Default: 0.", set: setRetries},
	{Name: IsolateParameter, Help: "`true`: after the groups, find the nodes behind the failed ones in up to 12 rounds of further groups. Default: false.", Enum: []string{"true", "false"}, set: setIsolate},
	{Name: "probeWarnAfter", Help: "Time after which a worker whose sshd does not answer is named. Default: 20m.", set: duration("20m", func(o *Options) *Duration { return &o.ProbeWarnAfter })},
	{Name: "maxNodes", Help: "Refuse a run that would take more nodes than this. Default: no bound.", set: number(1, func(g *given, n int32) { g.options.MaxNodes = n })},
	{Name: "maxDuration", Help: "Time that the whole run may take from the workflow's start, such as `2h`. After it no group begins, and those that still run end unknown. Default: no bound.", set: duration("2h", func(o *Options) *Duration { return &o.MaxDuration })},
	{Name: "busyNodes", Help: "What becomes of nodes whose GPUs are in use by pods that are not the run's. warn (default): the report says so. exclude: they are left out.", Enum: []string{string(BusyWarn), string(BusyExclude)}, set: func(g *given, v string) error { g.options.BusyNodes = BusyNodes(v); return nil }},
	{Name: "artifacts", Help: "\"true\": report.html, report.json and junit.xml become artifacts of the step finish. Needs an artifact repository.", Enum: switchValues, set: onOff(func(o *Options) *bool { return &o.Artifacts })},
	{Name: "keepReport", Help: "\"true\": the final report stays in a ConfigMap when the workflow is deleted.", Enum: switchValues, set: onOff(func(o *Options) *bool { return &o.KeepReport })},
}
