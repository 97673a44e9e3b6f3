package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// FragmentTexts reads the WorkflowTemplates of a namespace that hold a fragment, by name, as YAML: the text that `kubectl get
// workflowtemplate NAME -o yaml` prints, so that a line of it is one that its author can find.
func (c *Cluster) FragmentTexts(ctx context.Context, namespace string) (names []string, texts map[string][]byte, err error) {
	list, err := c.dynamic.Resource(workflowTemplates).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelFragment + "=true"})
	if err != nil {
		return nil, nil, fmt.Errorf("listing the platform fragments in %s: %w", namespace, err)
	}
	texts = map[string][]byte{}
	for i := range list.Items {
		o := &list.Items[i]
		o.SetManagedFields(nil)
		if texts[o.GetName()], err = yaml.Marshal(o.Object); err != nil {
			return nil, nil, fmt.Errorf("writing fragment %s: %w", o.GetName(), err)
		}
		names = append(names, o.GetName())
	}
	slices.SortFunc(names, strings.Compare)
	return names, texts, nil
}
