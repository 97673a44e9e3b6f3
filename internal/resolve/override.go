package resolve

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// override lays the run's overrides, in their order, over the generated objects, which still have their template names. It
// returns the objects with those that overrides add, and a warning for each part that matched and changed nothing.
func override(objects []*unstructured.Unstructured, in Group) ([]*unstructured.Unstructured, []string, error) {
	var warnings []string
	whole, err := newInspection(objects)
	if err != nil {
		return nil, nil, err
	}
	for i, o := range in.Spec.Overrides {
		path := fmt.Sprintf("spec.overrides[%d]", i)
		if o.When != nil && o.When.Config != nil {
			warnings = append(warnings, path+".when.config: never matches, whatever it says; an expression would do")
		}
		matched, err := in.matches(o.When)
		if err != nil {
			return nil, nil, fmt.Errorf("%s.%w", path, err)
		}
		if !matched {
			continue
		}
		var idle []string
		if objects, idle, err = apply(objects, o, in, path, whole); err != nil {
			return nil, nil, err
		}
		for _, at := range idle {
			warnings = append(warnings, at+": matched and changed nothing; check the field paths and values")
		}
	}
	if err := whole.err(); err != nil {
		return nil, nil, err
	}
	return objects, warnings, nil
}

// apply lays one override over the objects and returns the paths of what changed nothing.
func apply(objects []*unstructured.Unstructured, o v1alpha1.Override, in Group, path string, whole *inspection) (_ []*unstructured.Unstructured, idle []string, err error) {
	note := func(changed bool, path string) {
		if !changed {
			idle = append(idle, path)
		}
	}
	if o.JobTemplate != nil {
		changed, err := changeJobTemplate(objects, in, func(view map[string]any) (map[string]any, error) {
			return mergeStrategically(view, o.JobTemplate)
		})
		if err != nil {
			return nil, nil, fmt.Errorf("%s.jobTemplate: %w", path, err)
		}
		note(changed, path+".jobTemplate")
	}
	if len(o.JobTemplatePatch) > 0 {
		changed, err := changeJobTemplate(objects, in, func(view map[string]any) (map[string]any, error) {
			return patch(view, o.JobTemplatePatch)
		})
		if err != nil {
			return nil, nil, fmt.Errorf("%s.jobTemplatePatch: %w", path, err)
		}
		note(changed, path+".jobTemplatePatch")
	}
	for j, d := range o.Dependencies {
		at := fmt.Sprintf("%s.dependencies[%d]", path, j)
		when, err := v1alpha1.DependencyWhen(d)
		if err != nil {
			return nil, nil, fmt.Errorf("%s.when: %w", at, err)
		}
		matched, err := in.matches(when)
		if err != nil {
			return nil, nil, fmt.Errorf("%s.%w", at, err)
		}
		if !matched {
			continue
		}
		changed := false
		if objects, changed, err = mergeDependency(objects, d, in, at, mergeMaps); err != nil {
			return nil, nil, err
		}
		note(changed, at)
		if err := whole.after(at, objects); err != nil {
			return nil, nil, err
		}
	}
	return objects, idle, nil
}
