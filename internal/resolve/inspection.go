package resolve

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// inspection follows the TrainingRuntime from one override to the next, since an override may bring a part that a later one
// completes: what counts is how it is after the last, and whose doing it is.
type inspection struct {
	needs needs
	// faults are those after the last override that was looked at; since has the path of the override that brought each.
	faults []string
	since  map[string]string
}

// after looks at the objects that the override at path made.
func (s *inspection) after(path string, objects []*unstructured.Unstructured) error {
	faults, err := s.needs.lacks(objects)
	if err != nil {
		return err
	}
	since := map[string]string{}
	for _, fault := range faults {
		since[fault] = path
		if earlier, is := s.since[fault]; is {
			since[fault] = earlier
		}
	}
	s.faults, s.since = faults, since
	return nil
}

// problems are what is still wrong, each with the override that did it.
func (s *inspection) problems() v1alpha1.Problems {
	var problems v1alpha1.Problems
	for _, fault := range s.faults {
		problems = append(problems, v1alpha1.Problem{Path: s.since[fault], Text: fault})
	}
	return problems
}
