package generator_test

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"

	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	"github.com/argoproj/argo-workflows/v3/workflow/validate"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/generator"
)

// installed stands for a namespace that holds the committed WorkflowTemplates. It is both of the validator's getters.
type installed map[string]*wfv1.WorkflowTemplate

func (i installed) Get(name string) (*wfv1.WorkflowTemplate, error) {
	if t, is := i[name]; is {
		return t, nil
	}
	return nil, fmt.Errorf("no WorkflowTemplate %q", name)
}

type noClusterTemplates struct{}

func (noClusterTemplates) Get(name string) (*wfv1.ClusterWorkflowTemplate, error) {
	return nil, fmt.Errorf("no ClusterWorkflowTemplate %q", name)
}

// read reads the committed files once, as Argo does: strictly, so that a field that Argo does not know is an error.
var read = sync.OnceValues(func() (installed, error) {
	all := installed{}
	files, err := generator.Files(committed)
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		if name == generator.KustomizationFile {
			continue
		}
		var template wfv1.WorkflowTemplate
		if err := yaml.UnmarshalStrict(text, &template); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[template.Name] = &template
	}
	return all, nil
})

// install returns the templates of the committed files. Each caller has its own: some change theirs.
func install(t testing.TB) installed {
	t.Helper()
	all, err := read()
	require.NoError(t, err)
	require.Greater(t, len(all), 30, "the frameworks and the fragments")
	own := installed{}
	for name, template := range all {
		own[name] = template.DeepCopy()
	}
	return own
}

// frameworks are the templates that run a workload.
func frameworks(t testing.TB) installed {
	t.Helper()
	all := install(t)
	maps.DeleteFunc(all, func(_ string, w *wfv1.WorkflowTemplate) bool { return w.Labels["seatrial.dev/framework"] == "" })
	require.Len(t, all, 4)
	return all
}

func lint(all installed, wf *wfv1.Workflow) error {
	return validate.ValidateWorkflow(all, noClusterTemplates{}, wf, nil, validate.ValidateOpts{Submit: true})
}

func TestArgoAccepts(t *testing.T) {
	all := install(t)
	for name, template := range all {
		t.Run("the template "+name, func(t *testing.T) {
			require.NoError(t, validate.ValidateWorkflowTemplate(all, noClusterTemplates{}, template, nil, validate.ValidateOpts{}))
		})
		t.Run("a workflow submitted from "+name, func(t *testing.T) {
			require.NoError(t, lint(all, &wfv1.Workflow{Spec: wfv1.WorkflowSpec{WorkflowTemplateRef: &wfv1.WorkflowTemplateRef{Name: name}}}))
		})
	}
	t.Run("a larger DAG that feeds one run's passed nodes to the next", func(t *testing.T) {
		require.NoError(t, lint(all, chain(t, "")))
	})
}

func TestArgoAcceptsTheCertification(t *testing.T) {
	all := install(t)
	var template wfv1.WorkflowTemplate
	text, err := os.ReadFile("../examples/certification/certification.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(text, &template))
	require.NoError(t, validate.ValidateWorkflowTemplate(all, noClusterTemplates{}, &template, nil, validate.ValidateOpts{}))
	all[template.Name] = &template
	require.NoError(t, lint(all, &wfv1.Workflow{Spec: wfv1.WorkflowSpec{WorkflowTemplateRef: &wfv1.WorkflowTemplateRef{Name: template.Name}}}))

	var nightly wfv1.CronWorkflow
	text, err = os.ReadFile("../examples/certification/nightly.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(text, &nightly))
	require.NoError(t, validate.ValidateCronWorkflow(t.Context(), all, noClusterTemplates{}, &nightly, nil))
}

func TestArgoRefuses(t *testing.T) {
	all := install(t)
	for name, c := range map[string]struct{ old, new, want string }{
		"an output that a run does not have":     {"parameters.passedNodes", "parameters.goodNodes", "goodNodes"},
		"a template that does not exist":         {"template: run", "template: walk", "walk"},
		"a WorkflowTemplate that is not there":   {"name: workloadrun-mpi", "name: workloadrun-tea", "workloadrun-tea"},
		"the outputs of a task that comes later": {"tasks.singles.outputs", "tasks.command.outputs", "missing dependency 'command'"},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, lint(all, chain(t, c.old, c.new)), c.want)
		})
	}
}

// chain reads examples/chain/workflow.yaml, with old replaced.
func chain(t *testing.T, old string, replacement ...string) *wfv1.Workflow {
	t.Helper()
	text, err := os.ReadFile("../examples/chain/workflow.yaml")
	require.NoError(t, err)
	if len(replacement) == 1 {
		require.Contains(t, string(text), old)
		text = []byte(strings.ReplaceAll(string(text), old, replacement[0]))
	}
	var wf wfv1.Workflow
	require.NoError(t, yaml.UnmarshalStrict(text, &wf))
	return &wf
}
