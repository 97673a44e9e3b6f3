package resolve

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// override lays the run's overrides, in their order, over the generated objects, which still have their template names. It
// returns the objects with those that overrides add, and a warning for each part that matched and changed nothing. The error is
// Problems: all that is wrong, since one that fails is left out and the next is tried.
func override(objects []*unstructured.Unstructured, in Group, whole needs) ([]*unstructured.Unstructured, []string, error) {
	l := layer{in: in, objects: objects, whole: inspection{needs: whole}}
	for i, o := range in.Spec.Overrides {
		path := fmt.Sprintf("spec.overrides[%d]", i)
		if o.When != nil && o.When.Config != nil {
			l.warnings = append(l.warnings, path+".when.config: never matches, whatever it says; an expression would do")
		}
		if !l.matches(path, o.When) {
			continue
		}
		if err := l.apply(o, path); err != nil {
			return nil, nil, err
		}
	}
	if l.problems = append(l.problems, l.whole.problems()...); len(l.problems) > 0 {
		return nil, nil, l.problems
	}
	return l.objects, l.warnings, nil
}

// layer is what the overrides so far have come to.
type layer struct {
	in       Group
	objects  []*unstructured.Unstructured
	whole    inspection
	warnings []string
	problems v1alpha1.Problems
}

// matches says whether a condition holds; one that cannot be evaluated is a problem, and does not.
func (l *layer) matches(path string, w *v1alpha1.When) bool {
	matched, err := l.in.matches(w)
	if err != nil {
		l.fails(path+".when.expression", err)
		return false
	}
	return matched
}

// fails notes an error, whose problems have their own paths or else are about path.
func (l *layer) fails(path string, err error) {
	l.problems = append(l.problems, problemsOf(path, err)...)
}

// done notes how a part of an override ended.
func (l *layer) done(path string, changed bool, err error) {
	switch {
	case err != nil:
		l.fails(path, err)
	case !changed:
		l.warnings = append(l.warnings, path+": matched and changed nothing; check the field paths and values")
	}
}

// apply lays one override over the objects. The error is one of Seatrial's own, not the override's.
func (l *layer) apply(o v1alpha1.Override, path string) error {
	if o.JobTemplate != nil {
		at := path + ".jobTemplate"
		changed, err := changeJobTemplate(l.objects, l.in, func(view map[string]any) (map[string]any, error) {
			return mergeStrategically(view, o.JobTemplate)
		})
		if err != nil {
			if misfits := v1alpha1.JobTemplateMisfits(at, o.JobTemplate); len(misfits) > 0 { // which say it better
				err = misfits
			}
		}
		l.done(at, changed, err)
	}
	if len(o.JobTemplatePatch) > 0 {
		at := path + ".jobTemplatePatch"
		changed, err := changeJobTemplate(l.objects, l.in, func(view map[string]any) (map[string]any, error) {
			return patch(view, o.JobTemplatePatch, at)
		})
		l.done(at, changed, err)
	}
	for j, d := range o.Dependencies {
		at := fmt.Sprintf("%s.dependencies[%d]", path, j)
		when, err := v1alpha1.DependencyWhen(d)
		if err != nil {
			l.fails(at+".when", err)
			continue
		}
		if !l.matches(at, when) {
			continue
		}
		objects, changed, err := mergeDependency(l.objects, d, l.in, at, mergeMaps)
		if l.done(at, changed, err); err != nil {
			continue
		}
		l.objects = objects
		if err := l.whole.after(at, objects); err != nil {
			return err
		}
	}
	return nil
}
