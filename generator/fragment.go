package generator

import (
	"fmt"
	"strings"

	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator/fragments"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// FragmentTemplates returns one WorkflowTemplate for each platform fragment, by name.
func FragmentTemplates(o Options) ([]*wfv1.WorkflowTemplate, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	all, err := fragments.All()
	if err != nil {
		return nil, err
	}
	var templates []*wfv1.WorkflowTemplate
	for _, n := range all {
		t, err := FragmentTemplate(n, o)
		if err != nil {
			return nil, err
		}
		templates = append(templates, t)
	}
	return templates, nil
}

// FragmentTemplate returns the WorkflowTemplate that holds a fragment. Submitted by itself it validates itself and prints
// what it sets.
func FragmentTemplate(n v1alpha1.NamedFragment, o Options) (*wfv1.WorkflowTemplate, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	effect, err := resolve.Try(n)
	if err != nil {
		return nil, fmt.Errorf("trying fragment %s: %w", n.Name, err)
	}
	description := strings.TrimSpace(n.Fragment.Description)
	return &wfv1.WorkflowTemplate{
		TypeMeta: metav1.TypeMeta{APIVersion: wfv1.SchemeGroupVersion.String(), Kind: "WorkflowTemplate"},
		ObjectMeta: metav1.ObjectMeta{
			Name:   v1alpha1.FragmentPrefix + n.Name,
			Labels: map[string]string{labelManagedBy: managedBy, v1alpha1.LabelFragment: "true", labelVersion: o.Version},
			Annotations: map[string]string{
				"workflows.argoproj.io/title":       "Platform: " + n.Name,
				"workflows.argoproj.io/description": description + "\n\n" + effect,
			},
		},
		Spec: wfv1.WorkflowSpec{
			Entrypoint:         "fragment",
			ServiceAccountName: WorkflowAccount,
			WorkflowMetadata:   &wfv1.WorkflowMetadata{Labels: map[string]string{labelManagedBy: managedBy}},
			PodMetadata:        &wfv1.Metadata{Annotations: map[string]string{"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}},
			Affinity:           awayFromGPUs(),
			Templates:          []wfv1.Template{step(o, wfv1.Inputs{}, body{Step: "fragment", Fragment: &n.Fragment}, "effect")},
		},
	}, nil
}
