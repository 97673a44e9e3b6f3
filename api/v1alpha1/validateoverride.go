package v1alpha1

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

func element(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// oneOf says which of the known values was meant, or lists them.
func oneOf(value string, known []string) string {
	if near := Closest(value, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "one of " + strings.Join(known, ", ") + " would do"
}

func (v *validator) overrides(overrides []Override) {
	for i, o := range overrides {
		path := element("spec.overrides", i)
		if o.When == nil {
			v.add(path+".when", "is missing; {} always matches")
		} else {
			v.when(path+".when", o.When)
		}
		v.jobTemplate(path+".jobTemplate", o.JobTemplate)
		for j, operation := range o.JobTemplatePatch {
			v.operation(element(path+".jobTemplatePatch", j), operation)
		}
		for j, d := range o.Dependencies {
			at := element(path+".dependencies", j)
			v.dependency(at, d)
			v.misfits(DependencyMisfits(at, d))
			if w, err := DependencyWhen(d); err != nil {
				v.add(at+".when", "%v", err)
			} else if w != nil {
				v.when(at+".when", w)
			}
		}
		v.orchestrationOverride(path+".orchestration", o.Orchestration)
	}
}

// DependencyWhen returns the condition of a single dependency; nil when it has none.
func DependencyWhen(d Manifest) (*When, error) {
	value, has := d["when"]
	if !has || value == nil {
		return nil, nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	w := &When{}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(w); err != nil {
		return nil, fmt.Errorf("is no condition: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return w, nil
}

func (v *validator) when(path string, w *When) {
	v.choice(path+".platform", w.Platform, Platforms)
	v.choice(path+".gpuArchitecture", w.GPUArchitecture, nil)
	if w.WorkloadKind != "" && w.WorkloadKind != WorkloadKind {
		v.add(path+".workloadKind", "is %q, which matches nothing; %s would do", shorten(w.WorkloadKind), WorkloadKind)
	}
	if t := w.Topology; t != nil && t.Mode != "" && t.Mode != TopologySimple && t.Mode != TopologyDomains {
		v.add(path+".topology.mode", "is %q, which matches nothing; %s or %s would do", shorten(t.Mode), TopologySimple, TopologyDomains)
	}
	if w.Expression != "" {
		if _, err := ParseOverrideCondition(w.Expression); err != nil {
			v.add(path+".expression", "%v", err)
		}
	}
}

// misfits adds those whose field has no problem yet.
func (v *validator) misfits(found Problems) {
	for _, p := range found {
		if !v.problems.about(p.Path) {
			v.problems = append(v.problems, p)
		}
	}
}

// jobTemplate checks the steps down to the parts that Seatrial has, and the parts against a TrainJob.
func (v *validator) jobTemplate(path string, m Manifest) {
	if m == nil {
		return
	}
	spec := v.only(path+".spec", v.only(path, map[string]any(m), "spec")["spec"], "workload", "workloadMetadata")
	v.only(path+".spec.workload", spec["workload"], "trainJob")
	v.only(path+".spec.workloadMetadata", spec["workloadMetadata"], "labels")
	v.misfits(JobTemplateMisfits(path, m))
}

// only checks that value is a mapping with none but the given keys, and returns it; nil when it is missing or no mapping.
func (v *validator) only(path string, value any, keys ...string) map[string]any {
	m, is := value.(map[string]any)
	if !is && value != nil {
		v.add(path, "is no mapping of fields; %s would do", strings.Join(keys, " or "))
	}
	for _, key := range sortedKeys(m) {
		if !slices.Contains(keys, key) {
			v.add(Field(path, key), "is no part of the job template that Seatrial has; %s would do", strings.Join(keys, " or "))
		}
	}
	return m
}

// operations of RFC 6902, and whether each takes a value or a second path.
var operations = map[string]string{"add": "value", "replace": "value", "test": "value", "remove": "", "move": "from", "copy": "from"}

// operation checks one operation of RFC 6902. Whether its path exists is seen when it is applied.
func (v *validator) operation(path string, o Manifest) {
	op, _ := o["op"].(string)
	needs, known := operations[op]
	if !known {
		v.add(path+".op", "is %q; %s", shorten(op), oneOf(op, sortedKeys(operations)))
		return
	}
	for _, key := range sortedKeys(o) {
		if key != "op" && key != "path" && key != "from" && key != "value" {
			v.add(Field(path, key), "is no part of an operation; op, path, from and value are")
		}
	}
	v.pointer(path+".path", o["path"])
	if needs == "from" {
		v.pointer(path+".from", o["from"])
	}
	if _, has := o["value"]; needs == "value" && !has {
		v.add(path+".value", "is missing; %s takes one", op)
	}
}

func (v *validator) pointer(path string, value any) {
	switch text, is := value.(string); {
	case !is:
		v.add(path, "is missing; a path such as /spec/workload/trainJob/trainer/args/- would do")
	case !strings.HasPrefix(text, "/spec/"):
		v.add(path, "is %q; a path that begins with /spec/workload or /spec/workloadMetadata would do", shorten(text))
	}
}

func (v *validator) orchestrationOverride(path string, o *OrchestrationOverride) {
	if o == nil {
		return
	}
	v.targetAt(path+".target", o.Target)
	v.placement(path+".placement", o.Placement)
	if o.Iterations != nil && (*o.Iterations < 1 || *o.Iterations > maxRepeats) {
		v.add(path+".iterations", "is %d; 1 to %d would do", *o.Iterations, maxRepeats)
	}
	v.topology(path+".topology", o.Topology)
	if e := o.Execution; e != nil {
		if e.MaxConcurrent != nil && *e.MaxConcurrent < 0 {
			v.add(path+".execution.maxConcurrent", "is %d; 0 (no bound) or more would do", *e.MaxConcurrent)
		}
		if e.RetryFailedGroups != nil && (*e.RetryFailedGroups < 0 || *e.RetryFailedGroups > 10) {
			v.add(path+".execution.retryFailedGroups", "is %d; a whole number from 0 to 10 would do", *e.RetryFailedGroups)
		}
		if d, err := time.ParseDuration(e.TimeoutPerJob); e.TimeoutPerJob != "" && (err != nil || d < time.Second || d > maxTimeout) {
			v.add(path+".execution.timeoutPerJob", "is %q; a duration such as 30m or 1h30m, at most 8760h, would do", shorten(e.TimeoutPerJob))
		}
	}
}
