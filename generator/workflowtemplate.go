package generator

import (
	"cmp"
	"fmt"

	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Names of accounts in each namespace that runs workflows. Argo looks for the plugin's under exactly this name:
// the plugin's own and "-executor-plugin" (workflow/controller/agent.go, getExecutorPlugins, v3.7.18).
const (
	WorkflowAccount = "seatrial-workflow"
	PluginAccount   = PluginName + "-executor-plugin"
)

const (
	labelManagedBy = "app.kubernetes.io/managed-by"
	labelVersion   = "app.kubernetes.io/version"
	labelFramework = "seatrial.dev/framework"
	managedBy      = "seatrial"
)

// framework is what differs between the templates.
type framework struct {
	name, title, description string
	// probed says that the launcher reaches its workers by ssh, so that their sshd is worth a probe.
	probed bool
	// template names the WorkflowTemplate where it is not the framework that does.
	template string
	// isolates says that a run always isolates, without being asked to.
	isolates bool
}

var frameworks = []framework{
	{name: v1alpha1.FrameworkMPI, probed: true, title: "WorkloadRun: mpirun",
		description: "Runs one MPI job on each group of nodes and says which nodes are good, which are not and why.\n\n" +
			"Needs **image** and **binary**, and **numNodes** for groups of more than one node. The node's message in the tree is the reason."},
	{name: v1alpha1.FrameworkTorch, title: "WorkloadRun: torchrun",
		description: "Runs one torchrun job on each group of nodes and says which nodes are good, which are not and why.\n\n" +
			"Needs **image** and **script** or **module**, and **numNodes** for groups of more than one node. The node's message in the tree is the reason."},
	{name: v1alpha1.FrameworkExec, title: "WorkloadRun: command",
		description: "Runs one command on every node of each group and says which nodes are good, which are not and why.\n\n" +
			"Needs **image** and **command**. The node's message in the tree is the reason."},
	{name: v1alpha1.FrameworkMPI, probed: true, template: "isolate", isolates: true, title: "WorkloadRun: find the bad node",
		description: "Runs one MPI job on each group of nodes, then settles the suspects of failed groups in up to 12 rounds of pairs with good nodes.\n\n" +
			"Is workloadrun-mpi with **isolate**; needs the same parameters. The report says of each node what speaks against it."},
}

// TemplateName returns the name of a framework's WorkflowTemplate.
func TemplateName(framework string) string { return "workloadrun-" + framework }

// WorkflowTemplates returns one WorkflowTemplate a framework, always in the same order.
func WorkflowTemplates(o Options) ([]*wfv1.WorkflowTemplate, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	var all []*wfv1.WorkflowTemplate
	for _, f := range frameworks {
		all = append(all, workflowTemplate(f, o))
	}
	return all, nil
}

func workflowTemplate(f framework, o Options) *wfv1.WorkflowTemplate {
	parameters := v1alpha1.Parameters(f.name)
	return &wfv1.WorkflowTemplate{
		TypeMeta: metav1.TypeMeta{APIVersion: wfv1.SchemeGroupVersion.String(), Kind: "WorkflowTemplate"},
		ObjectMeta: metav1.ObjectMeta{
			Name:   TemplateName(cmp.Or(f.template, f.name)),
			Labels: map[string]string{labelManagedBy: managedBy, labelFramework: f.name, labelVersion: o.Version},
			// The UI shows both in its list. They stay out of workflowMetadata: there a title would hide the workflow's name.
			Annotations: map[string]string{
				"workflows.argoproj.io/title":       f.title,
				"workflows.argoproj.io/description": f.description,
			},
		},
		Spec: wfv1.WorkflowSpec{
			Entrypoint:         "main",
			OnExit:             "finish",
			ServiceAccountName: WorkflowAccount,
			Arguments:          wfv1.Arguments{Parameters: arguments(parameters)},
			WorkflowMetadata:   &wfv1.WorkflowMetadata{Labels: map[string]string{labelManagedBy: managedBy, labelFramework: f.name}},
			PodMetadata:        &wfv1.Metadata{Annotations: map[string]string{"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}},
			Affinity:           awayFromGPUs(),
			Templates:          templates(f, parameters, o),
		},
	}
}

func templates(f framework, parameters []v1alpha1.Parameter, o Options) []wfv1.Template {
	all := []wfv1.Template{
		mainDAG(parameters), runDAG(f, parameters),
		discover(f.name, parameters, o), partition(o),
		isolateDAG(), round(o), groupDAG(f), launch(o),
	}
	if f.probed {
		all = append(all, probe(o))
	}
	return append(all, score(o), report(f.name, o), finish(o))
}

// arguments are what a user may give. Each has the value "", which reads as not given: Argo ignores a workflow argument's
// default (setGlobalParameters, workflow/controller/operator.go, v3.7.18).
func arguments(parameters []v1alpha1.Parameter) []wfv1.Parameter {
	var all []wfv1.Parameter
	for _, p := range parameters {
		argument := wfv1.Parameter{Name: p.Name, Value: wfv1.AnyStringPtr(""), Description: wfv1.AnyStringPtr(p.Help)}
		if p.Enum != nil {
			argument.Enum = []wfv1.AnyString{""}
			for _, v := range p.Enum {
				argument.Enum = append(argument.Enum, wfv1.AnyString(v))
			}
		}
		all = append(all, argument)
	}
	return all
}

// forward passes every parameter on, each from the same place.
func forward(parameters []v1alpha1.Parameter, from string) []wfv1.Parameter {
	var all []wfv1.Parameter
	for _, p := range parameters {
		all = append(all, wfv1.Parameter{Name: p.Name, Value: wfv1.AnyStringPtr(fmt.Sprintf("{{%s.parameters.%s}}", from, p.Name))})
	}
	return all
}

// awayFromGPUs keeps the agent pod off the nodes under test where others exist, and only prefers to: a fleet may have no others.
// nvidia.com/gpu.present is the label of NVIDIA's GPU feature discovery.
func awayFromGPUs() *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 100,
			Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: "nvidia.com/gpu.present", Operator: corev1.NodeSelectorOpDoesNotExist,
			}}},
		}},
	}}
}
