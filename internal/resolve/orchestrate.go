package resolve

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Orchestrate applies the orchestration of the run's overrides that match, in their order. Each part that is given replaces the
// whole of what was there. It changes neither argument, and warns of a part that changes nothing.
func Orchestrate(spec v1alpha1.WorkloadRunSpec, options v1alpha1.Options, f Facts) (v1alpha1.WorkloadRunSpec, v1alpha1.Options, []string, error) {
	var warnings []string
	if spec.Orchestration != nil {
		mine := *spec.Orchestration
		spec.Orchestration = &mine
	}
	for i, o := range spec.Overrides {
		if o.Orchestration == nil {
			continue
		}
		path := fmt.Sprintf("spec.overrides[%d]", i)
		matched, err := f.matches(o.When)
		if err != nil {
			return spec, options, nil, wrong(path+".when.expression", "%v", err)
		}
		if !matched {
			continue
		}
		changed, same := orchestrate(spec, options, *o.Orchestration)
		if equality.Semantic.DeepEqual(changed, spec) && same == options {
			warnings = append(warnings, path+".orchestration: matched and changed nothing; check the field paths and values")
		}
		spec, options = changed, same
	}
	return spec, options, warnings, nil
}

func orchestrate(spec v1alpha1.WorkloadRunSpec, options v1alpha1.Options, o v1alpha1.OrchestrationOverride) (v1alpha1.WorkloadRunSpec, v1alpha1.Options) {
	if o.Target != nil {
		spec.Target = o.Target
	}
	run := v1alpha1.Orchestration{}
	if spec.Orchestration != nil {
		run = *spec.Orchestration
	}
	if e := o.Execution; e != nil {
		run.MaxConcurrent, run.TimeoutPerJob, options.RetryFailedGroups = e.MaxConcurrent, e.TimeoutPerJob, 0
		if e.RetryFailedGroups != nil {
			options.RetryFailedGroups = int(*e.RetryFailedGroups)
		}
	}
	if o.Placement != "" {
		run.Placement = o.Placement
	}
	if o.Topology != nil {
		run.Topology = o.Topology
	}
	if o.Iterations != nil {
		run.RepeatCount = o.Iterations
	}
	if spec.Orchestration != nil || run != (v1alpha1.Orchestration{}) {
		spec.Orchestration = &run
	}
	return spec, options
}
