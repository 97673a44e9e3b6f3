package steps

import (
	"errors"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// errNoFragments says what to do about a namespace without fragments. A run without any would have no NCCL defaults either.
var errNoFragments = errors.New("there are no platform fragments in the namespace: no WorkflowTemplate has the label " +
	v1alpha1.LabelFragment + "=true; `kubectl apply -k templates` installs them")

// installed reads the fragments of the namespace, in the order of their names. The error tells all that is wrong with any.
func installed(names []string, texts map[string][]byte) ([]v1alpha1.NamedFragment, error) {
	if len(names) == 0 {
		return nil, errNoFragments
	}
	var all []v1alpha1.NamedFragment
	var problems v1alpha1.Problems
	for _, name := range names {
		f, err := v1alpha1.LoadFragment(name, texts[name])
		var wrong v1alpha1.Problems
		switch {
		case errors.As(err, &wrong):
			problems = append(problems, wrong...)
		case err != nil:
			return nil, err
		default:
			all = append(all, *f)
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return all, nil
}
