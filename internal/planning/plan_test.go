package planning

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// fleet is so many ready nodes with 8 GPUs; change may be nil.
func fleet(n int, change func(i int, node *corev1.Node)) []corev1.Node {
	nodes := make([]corev1.Node, n)
	for i := range nodes {
		name := fmt.Sprintf("n%d", i+1)
		nodes[i] = corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				resolve.LabelGPUPresent: "true", resolve.LabelGPUProduct: "NVIDIA-H100-80GB-HBM3", corev1.LabelHostname: name,
			}},
			Status: corev1.NodeStatus{
				Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
				Allocatable: corev1.ResourceList{resolve.ResourceGPU: resource.MustParse("8")},
			},
		}
		if change != nil {
			change(i, &nodes[i])
		}
	}
	return nodes
}

// label gives each node a value of a label; "" gives none.
func label(key string, values ...string) func(int, *corev1.Node) {
	return func(i int, n *corev1.Node) {
		if values[i] != "" {
			n.Labels[key] = values[i]
		}
	}
}

var (
	workflow = cluster.Workflow{Owner: cluster.Owner{Namespace: "runs", Name: "w", UID: "u"}, StartedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	pairs    = map[string]string{"image": "i:1", "numNodes": "2", "mpirunPath": "/m", "binary": "/b"}
	commands = map[string]string{"image": "i:1", "numNodes": "2", "command": "[hostname]"}
)

// seenOf is a cluster with these nodes and one fragment.
func seenOf(nodes []corev1.Node, fragments ...string) Seen {
	texts := map[string][]byte{"platform-defaults": []byte("{description: d, defaults: true, env: [{name: NCCL_DEBUG, value: INFO}]}")}
	names := []string{"platform-defaults"}
	for i, text := range fragments {
		name := fmt.Sprintf("platform-f%d", i)
		texts[name], names = []byte(text), append(names, name)
	}
	seen := Seen{Nodes: nodes}
	for _, name := range names {
		f, err := v1alpha1.LoadFragment(name, texts[name])
		if err != nil {
			seen.Unread = err
			continue
		}
		seen.Fragments = append(seen.Fragments, *f)
	}
	return seen
}

func with(base map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	for k, v := range base {
		all[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// planned is a plan that stands, with its groups.
func planned(t *testing.T, parameters map[string]string, seen Seen) record.Plan {
	t.Helper()
	framework := v1alpha1.FrameworkMPI
	if parameters["command"] != "" {
		framework = v1alpha1.FrameworkExec
	}
	p := Of(framework, parameters, workflow, seen)
	require.Empty(t, p.Message)
	require.NoError(t, Cut(&p))
	return p
}

func groupsOf(p record.Plan) string {
	var all []string
	for _, g := range p.Groups {
		all = append(all, strings.Join(g.Nodes, "+"))
	}
	return strings.Join(all, " ")
}

func TestOf(t *testing.T) {
	for name, c := range map[string]struct {
		parameters map[string]string
		seen       Seen
		groups     string
		warnings   []string
		excluded   []string
	}{
		"every node is in a group of the asked size":         {pairs, seenOf(fleet(4, nil)), "n1+n2 n3+n4", nil, nil},
		"a last odd node borrows one":                        {pairs, seenOf(fleet(3, nil)), "n1+n2 n2+n3", nil, nil},
		"a target narrows":                                   {with(pairs, "nodeSelector", "{rack: a}"), seenOf(fleet(4, label("rack", "a", "", "a", "b"))), "n1+n3", nil, nil},
		"a name that is no node's is a warning":              {with(pairs, "nodeNames", "[n1, n2, n9]"), seenOf(fleet(4, nil)), "n1+n2", []string{"nodeNames names nodes that are not in the target: n9"}, nil},
		"groups stay within domains":                         {with(pairs, "topologyKey", "rack"), seenOf(fleet(4, label("rack", "a", "b", "a", "b"))), "n1+n3 n2+n4", nil, nil},
		"intra-rack is a group for each domain":              {with(pairs, "topologyKey", "rack", "testScale", "intra-rack"), seenOf(fleet(4, label("rack", "a", "b", "b", "b"))), "n1 n2+n3+n4", nil, nil},
		"intra-node is a group for each node":                {with(pairs, "testScale", "intra-node"), seenOf(fleet(2, nil)), "n1 n2", nil, nil},
		"auto keeps a level that one node lacks":             {with(pairs, "topologyKey", "auto"), seenOf(fleet(3, label("nvidia.com/gpu.clique", "a", "a", ""))), "n1+n2", []string{"1 of 3 nodes lack the topology label nvidia.com/gpu.clique (n3): they are in no group and stay untested"}, nil},
		"auto says which label it does not follow":           {with(pairs, "topologyKey", "auto"), seenOf(fleet(2, label("nvidia.com/gpu.clique", "a", ""))), "n1+n2", []string{"topologyKey is auto, and the nodes carry no topology labels that are known: groups are cut by name", "topology label nvidia.com/gpu.clique is on 1 of 2 nodes only (n1): groups do not follow it"}, nil},
		"auto without labels that are known cuts by name":    {with(pairs, "topologyKey", "auto"), seenOf(fleet(2, nil)), "n1+n2", []string{"topologyKey is auto, and the nodes carry no topology labels that are known: groups are cut by name"}, nil},
		"an unpinned job names no nodes":                     {with(pairs, "placement", "Unpinned", "schedulerName", "s"), seenOf(fleet(4, nil)), "", nil, nil},
		"every group repeats":                                {with(pairs, "repeatCount", "2"), seenOf(fleet(2, nil)), "n1+n2 n1+n2", nil, nil},
		"the platform's keys hold where every node has them": {pairs, seenOf(fleet(4, label("rack", "a", "b", "a", "b")), "{description: d, topologyKeys: [rack]}"), "n1+n3 n2+n4", nil, nil},
		"and not where one has none":                         {pairs, seenOf(fleet(4, label("rack", "a", "b", "a", "")), "{description: d, topologyKeys: [rack]}"), "n1+n2 n3+n4", []string{"groups are not kept within the platform's domains: node n4 has no label rack"}, nil},
		"the run's key goes before the platform's": {with(pairs, "topologyKey", "row"), seenOf(fleet(4, func(i int, n *corev1.Node) {
			label("rack", "a", "b", "a", "b")(i, n)
			label("row", "1", "1", "2", "2")(i, n)
		}), "{description: d, topologyKeys: [rack]}"), "n1+n2 n3+n4", nil, nil},
		"a taint that the pods do not tolerate excludes": {commands, seenOf(fleet(3, func(i int, n *corev1.Node) { n.Spec.Taints = taints(i == 1) })), "n1+n3", nil, []string{"n2: tainted burn-in:NoSchedule, which the pods do not tolerate"}},
		"a node with fewer GPUs than asked is excluded": {with(pairs, "gpusPerNode", "8"), seenOf(fleet(3, func(i int, n *corev1.Node) {
			n.Status.Allocatable[resolve.ResourceGPU] = resource.MustParse([]string{"8", "4", "8"}[i])
		})), "n1+n3", nil, []string{"n2: has 4 of the 8 GPUs that the job takes"}},
		"an override's target decides, matched on the nodes of the first": {with(pairs, "overrides", "[{when: {gpuArchitecture: {equals: h100}}, orchestration: {target: {nodeNames: [n3, n4]}}}]"), seenOf(fleet(4, nil)), "n3+n4", nil, nil},
		"maxNodes of an unpinned job counts the job":                      {with(pairs, "placement", "Unpinned", "schedulerName", "s", "maxNodes", "2"), seenOf(fleet(4, nil)), "", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, c.parameters, c.seen)
			require.Equal(t, c.groups, groupsOf(p))
			require.Equal(t, c.warnings, p.Warnings)
			var excluded []string
			for _, e := range p.Excluded {
				excluded = append(excluded, e.Name+": "+e.Reason)
			}
			require.Equal(t, c.excluded, excluded)
			require.Equal(t, workflow.Epoch(), p.Epoch)
			require.Equal(t, "w", p.Run, "without a name the run has the workflow's")
		})
	}
}

func taints(has bool) []corev1.Taint {
	if !has {
		return nil
	}
	return []corev1.Taint{{Key: "burn-in", Effect: corev1.TaintEffectNoSchedule}}
}

func cordoned(_ int, n *corev1.Node) { n.Spec.Unschedulable = true }

// What cannot run says why in one line, and blames the run, not the nodes.
func TestOfRefuses(t *testing.T) {
	const isolatesUnpinned = "BuildFailed: isolate: is true, which runs further jobs on chosen nodes, and placement is Unpinned, where the scheduler chooses them; drop one of the two"
	noFragments := seenOf(fleet(4, nil))
	noFragments.Fragments = nil
	for name, c := range map[string]struct {
		parameters map[string]string
		seen       Seen
		cause      v1alpha1.Cause
		message    string
	}{
		"all mistakes in one line": {with(pairs, "numNodes", "x", "cleanup", "y"), seenOf(fleet(4, nil)), report.CauseBuildFailed,
			`BuildFailed: numNodes: is "x"; a whole number, at least 1, would do; cleanup: is "y"; one of always, onSuccess, never would do`},
		"no node with GPUs":      {pairs, seenOf(nil), report.CauseNoEligibleNode, "no eligible node: no node has the label nvidia.com/gpu.present=true"},
		"none matches":           {with(pairs, "nodeSelector", "{rack: a}"), seenOf(fleet(4, nil)), report.CauseNoEligibleNode, "no eligible node: none of the 4 nodes with GPUs matches the target"},
		"an empty list of nodes": {with(pairs, "nodeNames", "[]"), seenOf(fleet(4, nil)), report.CauseNoEligibleNode, "no eligible node: none of the 4 nodes with GPUs matches the target"},
		"names of none":          {with(pairs, "nodeNames", "[x, y]"), seenOf(fleet(4, nil)), report.CauseNoEligibleNode, "no eligible node: nodeNames names nodes that are not in the target: x,y"},
		"all are excluded, and five are named": {pairs, seenOf(fleet(7, cordoned)), report.CauseNoEligibleNode,
			"no eligible node: all 7 that match the target are excluded (n1: cordoned; n2: cordoned; n3: cordoned; n4: cordoned; n5: cordoned; and 2 more)"},
		"all have a taint": {commands, seenOf(fleet(2, func(_ int, n *corev1.Node) { n.Spec.Taints = taints(true) })), report.CauseNoEligibleNode,
			"no eligible node: all of them are excluded (n1: tainted burn-in:NoSchedule, which the pods do not tolerate; n2: tainted burn-in:NoSchedule, which the pods do not tolerate)"},
		"more than there are": {with(pairs, "numNodes", "5"), seenOf(fleet(4, func(i int, n *corev1.Node) { n.Spec.Unschedulable = i == 3 })), report.CausePartitionError,
			"PartitionError: need 5, found 3 nodes for one group (n4: cordoned); numNodes 3 or a wider target would do"},
		"more than there are, unpinned": {with(pairs, "numNodes", "5", "placement", "Unpinned"), seenOf(fleet(4, nil)), report.CausePartitionError, "PartitionError: need 5, found 4 nodes for one group; numNodes 4 or a wider target would do"},
		"more than maxNodes": {with(pairs, "maxNodes", "3"), seenOf(fleet(4, nil)), report.CauseBuildFailed,
			"BuildFailed: maxNodes: the run would take 4 nodes, and at most 3 are allowed; a narrower target or a larger maxNodes would do"},
		"intra-rack without a key": {with(pairs, "testScale", "intra-rack"), seenOf(fleet(4, nil)), report.CausePartitionError,
			"PartitionError: one group for each topology domain was asked for (testScale intra-rack), and no topologyKey says what a domain is; orchestration.topology.topologyKey with a label of the nodes, or auto, would do"},
		"no fragments": {pairs, noFragments, report.CauseBuildFailed,
			"BuildFailed: there are no platform fragments in the namespace: no WorkflowTemplate has the label seatrial.dev/fragment=true; `kubectl apply -k templates` installs them"},
		"a fragment that nobody can read": {pairs, seenOf(fleet(4, nil), "{description: d, envs: []}"), report.CauseBuildFailed, "BuildFailed: platform-f0:1: envs: unknown field; did you mean env?"},
		"two platforms":                   {pairs, seenOf(fleet(2, func(i int, n *corev1.Node) { n.Spec.ProviderID = []string{"aws:///a/i", "gce://p/z/n"}[i] })), report.CauseBuildFailed, "HeterogeneousPlatform: "},
		"an override that makes Unpinned of what cannot be": {with(pairs, "testScale", "intra-node", "overrides", "[{when: {}, orchestration: {placement: Unpinned}}]"), seenOf(fleet(4, nil)), report.CauseBuildFailed,
			"BuildFailed: spec.orchestration"},
		"isolation of what the scheduler places": {with(pairs, "isolate", "true", "placement", "Unpinned"), seenOf(fleet(4, nil)), report.CauseBuildFailed,
			isolatesUnpinned},
		"an override that makes Unpinned of what is to be isolated": {with(pairs, "isolate", "true", "overrides", "[{when: {}, orchestration: {placement: Unpinned}}]"), seenOf(fleet(4, nil)), report.CauseBuildFailed,
			isolatesUnpinned},
		"objects that cannot be built": {with(pairs, "overrides", "[{when: {}, dependencies: [{apiVersion: v1, kind: Secret, metadata: {name: s}}]}]"), seenOf(fleet(4, nil)), report.CauseBuildFailed, "BuildFailed: overrides[0].dependencies[0]"},
		"a plan and no more": {with(pairs, "planOnly", "true"), seenOf(fleet(4, nil)), report.CausePlanOnly,
			"PlanOnly: 4 nodes (onprem, h100), 8 GPUs each (what the nodes advertise), groups of 2, fragments: defaults"},
	} {
		t.Run(name, func(t *testing.T) {
			framework := v1alpha1.FrameworkMPI
			if c.parameters["command"] != "" {
				framework = v1alpha1.FrameworkExec
			}
			p := Of(framework, c.parameters, workflow, c.seen)
			require.Equal(t, c.cause, p.Cause)
			if strings.HasSuffix(c.message, " ") || strings.HasSuffix(c.message, "]") || strings.HasSuffix(c.message, "orchestration") {
				require.True(t, strings.HasPrefix(p.Message, c.message), p.Message)
			} else {
				require.Equal(t, c.message, p.Message)
			}
			require.NotContains(t, p.Message, "\n")
			require.Empty(t, p.Groups)
		})
	}
}

func TestOffline(t *testing.T) {
	offline := func(parameters map[string]string, seen Seen) record.Plan {
		return Offline(v1alpha1.FrameworkMPI, parameters, workflow, seen)
	}
	t.Run("one sample group of nodes that nobody has seen", func(t *testing.T) {
		p := offline(with(pairs, "gpuArchitecture", "gb200"), seenOf(nil))
		require.Empty(t, p.Message)
		require.Empty(t, p.Warnings)
		require.Equal(t, "<node-0>+<node-1>", groupsOf(p))
		require.EqualValues(t, 4, p.Facts.GPUs)
	})
	t.Run("the target may tell the architecture", func(t *testing.T) {
		p := offline(with(pairs, "nodeSelector", "{nvidia.com/gpu.product: NVIDIA-GB200}"), seenOf(nil))
		require.Equal(t, "gb200", p.Facts.Architecture)
	})
	t.Run("what is assumed is said", func(t *testing.T) {
		p := offline(pairs, seenOf(nil))
		require.EqualValues(t, 8, p.Facts.GPUs)
		require.Equal(t, "an assumption", p.Facts.GPUsFrom)
		require.Equal(t, []string{"8 GPUs a node are assumed: the GPU architecture is not known; --gpu-arch, --nodes or spec.gpusPerNode would tell"}, p.Warnings)
	})
	t.Run("an unpinned job names none of them", func(t *testing.T) {
		p := offline(with(pairs, "placement", "Unpinned", "schedulerName", "s", "gpusPerNode", "1"), seenOf(nil))
		require.Empty(t, groupsOf(p))
		require.Len(t, p.Groups, 1)
		require.Len(t, p.Nodes, 2)
	})
	t.Run("a spec of a ConfigMap is read", func(t *testing.T) {
		seen := seenOf(nil)
		seen.Spec = v1alpha1.SpecText{Text: "gpusPerNode: 3"}
		require.EqualValues(t, 3, offline(with(pairs, "specFrom", "big"), seen).Facts.GPUs)
	})
	for name, c := range map[string]struct {
		parameters map[string]string
		message    string
	}{
		"a mistake":                   {with(pairs, "numNodes", "0"), `BuildFailed: numNodes: is "0"`},
		"a ConfigMap nobody has read": {with(pairs, "specFrom", "big"), "BuildFailed: specFrom: "},
		"an override that cannot be":  {with(pairs, "overrides", "[{when: {}, dependencies: [{apiVersion: v1, kind: Secret, metadata: {name: s}}]}]"), "BuildFailed: overrides[0].dependencies[0]"},
	} {
		seen := seenOf(nil)
		if name == "a ConfigMap nobody has read" {
			seen.Spec = v1alpha1.SpecText{Wrong: "there is none"}
		}
		p := offline(c.parameters, seen)
		require.True(t, strings.HasPrefix(p.Message, c.message), "%s: %s", name, p.Message)
		require.Equal(t, report.CauseBuildFailed, p.Cause)
	}
}

func TestSummary(t *testing.T) {
	started := workflow.StartedAt
	for want, p := range map[string]record.Plan{
		"2 nodes (aws, gb200), 4 GPUs each (the table), groups of 2, fragments: a b": {
			Nodes: make([]resolve.Node, 2), Spec: v1alpha1.WorkloadRunSpec{NumNodes: 2}, Facts: resolve.Facts{Platform: "aws", Architecture: "gb200", GPUs: 4, GPUsFrom: "the table"},
			Fragments: []v1alpha1.NamedFragment{{Name: "a"}, {Name: "b"}},
		},
		"3 nodes (onprem, architecture unknown), 1 GPU each (spec.gpusPerNode), groups of 1, 1 excluded (at most 8 allowed), until 2026-03-01T14:00:00Z at the latest (maxDuration 2h0m0s), fragments: ": {
			Nodes: make([]resolve.Node, 3), Spec: v1alpha1.WorkloadRunSpec{NumNodes: 1}, Facts: resolve.Facts{Platform: "onprem", GPUs: 1, GPUsFrom: "spec.gpusPerNode"},
			Excluded: make([]v1alpha1.NodeReason, 1), Started: started, Options: v1alpha1.Options{MaxNodes: 8, MaxDuration: v1alpha1.Duration(2 * time.Hour)},
		},
	} {
		require.Equal(t, want, Summary(&p))
	}
	unpinned := record.Plan{Nodes: make([]resolve.Node, 6), Spec: v1alpha1.WorkloadRunSpec{NumNodes: 2, Orchestration: &v1alpha1.Orchestration{Placement: v1alpha1.Unpinned}}}
	require.Contains(t, Summary(&unpinned), "running 1 unpinned job of 2 nodes (4 target nodes not exercised)")
	racks := record.Plan{Spec: v1alpha1.WorkloadRunSpec{NumNodes: 2, Orchestration: &v1alpha1.Orchestration{TestScale: v1alpha1.IntraRack}}}
	require.Contains(t, Summary(&racks), "one group for each domain")
}

func TestCutSaysWhatDoesNotFit(t *testing.T) {
	p := planned(t, with(pairs, "topologyKey", "rack"), seenOf(fleet(3, label("rack", "a", "a", ""))))
	require.Equal(t, "n1+n2", groupsOf(p))
	require.Len(t, p.Untested, 1)
	require.Equal(t, "n3", p.Untested[0].Name)
	none := record.Plan{Spec: v1alpha1.WorkloadRunSpec{NumNodes: 2}, Nodes: []resolve.Node{{Name: "n1"}}}
	err := Cut(&none)
	require.ErrorContains(t, err, "PartitionError: ")
	require.Equal(t, record.Plan{Spec: none.Spec, Nodes: none.Nodes, Cause: report.CausePartitionError, Message: err.Error()}, none, "the plan says so too")
}

func TestAPlanWithoutDefaultsIsAWarning(t *testing.T) {
	without := func(warnings []string) bool {
		return slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "none of the fragments has `defaults: true`") })
	}
	seen := seenOf(fleet(4, nil), "{description: d, env: [{name: SITE, value: here}]}")
	require.False(t, without(Of(v1alpha1.FrameworkMPI, pairs, workflow, seen).Warnings))
	seen.Fragments = slices.DeleteFunc(seen.Fragments, func(n v1alpha1.NamedFragment) bool { return n.Fragment.Defaults })
	require.True(t, without(Of(v1alpha1.FrameworkMPI, pairs, workflow, seen).Warnings))
}

func TestExcludedLines(t *testing.T) {
	require.Empty(t, ExcludedLines(nil))
	require.Equal(t, []string{"n[1-2]: cordoned", "n3: not ready:"}, ExcludedLines([]v1alpha1.NodeReason{
		{Name: "n1", Reason: "cordoned"}, {Name: "n3", Reason: "not ready: \x1b[31m"}, {Name: "n2", Reason: "cordoned"},
	}))
}

func TestLoadFragments(t *testing.T) {
	texts := map[string][]byte{"a": []byte("description: d"), "b": []byte("descriptions: d"), "c": []byte("description: d\nenvs: []")}
	all, err := LoadFragments([]string{"a"}, texts)
	require.NoError(t, err)
	require.Len(t, all, 1)
	_, err = LoadFragments([]string{"a", "b", "c"}, texts)
	var problems v1alpha1.Problems
	require.ErrorAs(t, err, &problems)
	require.ErrorContains(t, err, "b:1: descriptions")
	require.ErrorContains(t, err, "c:2: envs", "of all of them")
}

func TestOneLine(t *testing.T) {
	require.Equal(t, "a; b", OneLine(errors.New("a\nb")))
}

func BenchmarkOf1000Nodes(b *testing.B) {
	seen := seenOf(fleet(1000, nil))
	b.ReportAllocs()
	for b.Loop() {
		p := Of(v1alpha1.FrameworkMPI, pairs, workflow, seen)
		if err := Cut(&p); err != nil || len(p.Groups) != 500 {
			b.Fatal(p.Message, err)
		}
	}
}
