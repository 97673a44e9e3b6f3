package v1alpha1

import (
	"fmt"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// LogProfiles are the names that a measurement may refer to.
var LogProfiles = []string{"nccl-bandwidth"}

// maxTimeout is a year. Three times as long, Seatrial's last bound, still fits into the nanoseconds that Kubernetes counts.
const maxTimeout = 365 * 24 * time.Hour

// Validate returns everything that is wrong with a run, with paths but without file and line; nil means that it is sound.
// It is the one copy of these rules: the command line, render and discover call it.
func Validate(run *WorkloadRun) Problems {
	v := &validator{}
	if run.APIVersion != APIVersion {
		v.add("apiVersion", "is %q; %s would do", run.APIVersion, APIVersion)
	}
	if run.Kind != "" && run.Kind != RunKind {
		v.add("kind", "is %q; %s would do", run.Kind, RunKind)
	}
	v.name("metadata.name", run.Metadata.Name)
	v.spec(&run.Spec)
	v.runtimeNames(run)
	return v.problems
}

// ValidateSpec is Validate for the part that parameters can make up.
func ValidateSpec(spec *WorkloadRunSpec) Problems {
	v := &validator{}
	v.spec(spec)
	return v.problems
}

type validator struct{ problems Problems }

func (v *validator) add(path, format string, args ...any) {
	v.problems = append(v.problems, Problem{Path: path, Text: fmt.Sprintf(format, args...)})
}

func (v *validator) name(path, name string) {
	if name == "" {
		v.add(path, "is missing; a name such as nccl-pairs would do")
		return
	}
	// A Workflow's name may have 63 characters (argo.md §2.1); a dot would be lost in the names of a group's objects.
	if errs := validation.IsDNS1123Label(name); len(errs) > 0 {
		v.add(path, "%q is not a name; lower-case letters, digits and dashes, at most 63, would do", name)
	}
}

func (v *validator) required(path, value, example string) {
	if strings.TrimSpace(value) == "" {
		v.add(path, "is missing; %s would do", example)
	}
}

func (v *validator) spec(spec *WorkloadRunSpec) {
	v.required("spec.image", spec.Image, "an image such as nvcr.io/nvidia/pytorch:26.01-py3")
	v.framework(spec.Framework)
	switch {
	case spec.NumNodes == 0: // the decoded spec cannot tell the two apart
		v.add("spec.numNodes", "is missing or 0; the nodes of one group, at least 1, would do")
	case spec.NumNodes < 0:
		v.add("spec.numNodes", "is %d; the nodes of one group, at least 1, would do", spec.NumNodes)
	}
	if spec.GPUsPerNode != nil && *spec.GPUsPerNode < 1 {
		v.add("spec.gpusPerNode", "is %d; at least 1 would do, or leave it out to take what the nodes advertise", *spec.GPUsPerNode)
	}
	v.targetAt("spec.target", spec.Target)
	v.config(spec.Config)
	v.env(spec.Env)
	for i, secret := range spec.ImagePullSecrets {
		if errs := validation.IsDNS1123Subdomain(secret.Name); len(errs) > 0 {
			v.add(fmt.Sprintf("spec.imagePullSecrets[%d].name", i), "%q is not the name of a Secret", secret.Name)
		}
	}
	v.orchestration(spec.Orchestration)
	v.measurement(spec.BandwidthMeasurement)
	for _, key := range sortedKeys(spec.Thresholds) {
		if _, err := ParseThreshold(key, spec.Thresholds[key]); err != nil {
			v.add(field("spec.thresholds", key), "%v", err)
		}
	}
	v.overrides(spec.Overrides)
}

func (v *validator) framework(f Framework) {
	switch {
	case f.MPI == nil && f.Exec == nil:
		v.add("spec.framework", "is missing; one of mpi and exec would do")
		return
	case f.MPI != nil && f.Exec != nil:
		v.add("spec.framework", "has both mpi and exec; one of them would do")
	}
	if f.MPI != nil {
		v.required("spec.framework.mpi.mpirunPath", f.MPI.MPIRunPath, "a path such as /usr/local/mpi/bin/mpirun")
		v.required("spec.framework.mpi.binary", f.MPI.Binary, "a path such as /usr/local/bin/all_reduce_perf_mpi")
	}
	if f.Exec != nil && len(f.Exec.Command) == 0 {
		v.add("spec.framework.exec.command", `is empty; a command such as ["/config/check.sh"] would do`)
	}
}

// targetAt checks the target at path.
func (v *validator) targetAt(path string, t *Target) {
	if t == nil {
		return
	}
	for _, key := range sortedKeys(t.NodeSelector) {
		if errs := validation.IsQualifiedName(key); len(errs) > 0 {
			v.add(field(path+".nodeSelector", key), "is not a label key")
		}
		if errs := validation.IsValidLabelValue(t.NodeSelector[key]); len(errs) > 0 {
			v.add(field(path+".nodeSelector", key), "%q is not a label value", t.NodeSelector[key])
		}
	}
	for i, e := range t.MatchExpressions {
		path := element(path+".matchExpressions", i)
		if errs := validation.IsQualifiedName(e.Key); len(errs) > 0 {
			v.add(path+".key", "%q is not a label key", e.Key)
		}
		switch e.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			if len(e.Values) == 0 {
				v.add(path+".values", "is empty; %s needs at least one value", e.Operator)
			}
		case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
			if len(e.Values) > 0 {
				v.add(path+".values", "is set; %s takes none", e.Operator)
			}
		default:
			v.add(path+".operator", "is %q; In, NotIn, Exists or DoesNotExist would do", e.Operator)
		}
	}
}

func (v *validator) config(c *Config) {
	if c == nil {
		return
	}
	for _, key := range sortedKeys(c.Inline) {
		if errs := validation.IsConfigMapKey(key); len(errs) > 0 {
			v.add(field("spec.config.inline", key), "is not a file name; letters, digits, -, _ and . would do")
		}
	}
}

func (v *validator) env(env []corev1.EnvVar) {
	for i, e := range env {
		// A name with = would turn into another variable in `mpirun -x NAME=value`.
		if errs := validation.IsEnvVarName(e.Name); len(errs) > 0 {
			v.add(fmt.Sprintf("spec.env[%d].name", i), "%q is not the name of a variable", e.Name)
		}
		if e.Value != "" && e.ValueFrom != nil {
			v.add(fmt.Sprintf("spec.env[%d]", i), "has both value and valueFrom; one of them would do")
		}
		if e.ValueFrom != nil && *e.ValueFrom == (corev1.EnvVarSource{}) {
			v.add(fmt.Sprintf("spec.env[%d].valueFrom", i), "is empty; a source such as secretKeyRef would do")
		}
	}
}

func (v *validator) orchestration(o *Orchestration) {
	if o == nil {
		return
	}
	if o.MaxConcurrent != nil && *o.MaxConcurrent < 0 {
		v.add("spec.orchestration.maxConcurrent", "is %d; 0 (no bound) or more would do", *o.MaxConcurrent)
	}
	if o.TimeoutPerJob != "" {
		if d, err := time.ParseDuration(o.TimeoutPerJob); err != nil || d < time.Second || d > maxTimeout {
			v.add("spec.orchestration.timeoutPerJob", "is %q; a duration such as 30m or 1h30m, at most 8760h, would do", o.TimeoutPerJob)
		}
	}
}

func (v *validator) measurement(m *BandwidthMeasurement) {
	if m == nil {
		return
	}
	for _, known := range LogProfiles {
		if m.LogProfileRef == known {
			return
		}
	}
	v.add("spec.bandwidthMeasurement.logProfileRef", "is %q; one of %s would do", m.LogProfileRef, strings.Join(LogProfiles, ", "))
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
