package v1alpha1

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

// pods checks what goes into the pods. Nobody else looks at it before the pods are made: a TrainingRuntime takes anything that
// has the right types, and a job whose pods are refused waits until its timeout.
func (v *validator) pods(spec *WorkloadRunSpec) {
	t := takenBy(spec)
	v.env("spec.env", spec.Env)
	known := v.volumes(spec.Volumes, t)
	v.mounts("spec.volumeMounts", spec.VolumeMounts, known, &t)
	v.initContainers(spec.InitContainers, known)
	v.resources("spec.resources", spec.Resources)
	v.secrets(spec.ImagePullSecrets)
}

// volumes returns the names that a mount may use.
func (v *validator) volumes(volumes []corev1.Volume, t taken) map[string]bool {
	known := map[string]bool{}
	for name := range t.mountable {
		known[name] = true
	}
	seen := map[string]bool{}
	for i, volume := range volumes {
		at := fmt.Sprintf("spec.volumes[%d]", i)
		what, is := t.volumes[volume.Name]
		switch {
		case is:
			v.add(at+".name", "is %q, taken by %s; another name would do", volume.Name, what)
		case len(validation.IsDNS1123Label(volume.Name)) > 0:
			v.add(at+".name", "%q is not a name; lower-case letters, digits and dashes, at most 63, would do", volume.Name)
		case seen[volume.Name]:
			v.add(at+".name", "is %q, as an earlier volume is; another name would do", volume.Name)
		}
		seen[volume.Name], known[volume.Name] = true, true
		v.source(at, volume.VolumeSource)
	}
	return known
}

func (v *validator) source(at string, s corev1.VolumeSource) {
	var given []string
	all := reflect.ValueOf(s)
	for i := range all.NumField() {
		if !all.Field(i).IsNil() {
			name, _, _ := strings.Cut(all.Type().Field(i).Tag.Get("json"), ",")
			given = append(given, name)
		}
	}
	if len(given) > 1 {
		v.add(at, "has %s; one source would do", strings.Join(given, " and "))
	}
	if s.PersistentVolumeClaim != nil {
		v.required(at+".persistentVolumeClaim.claimName", s.PersistentVolumeClaim.ClaimName, "the name of a claim in the run's namespace")
	}
	if s.HostPath != nil && !path.IsAbs(s.HostPath.Path) {
		v.add(at+".hostPath.path", "is %q; a path from / on would do", s.HostPath.Path)
	}
}

// mounts checks the mounts of one container. t is nil where the container has none of the built-in mounts.
func (v *validator) mounts(list string, mounts []corev1.VolumeMount, known map[string]bool, t *taken) {
	seen := map[string]bool{}
	for i, m := range mounts {
		at := fmt.Sprintf("%s[%d]", list, i)
		switch {
		case known[m.Name]:
		case m.Name == VolumeConfig:
			v.add(at+".name", "is %q, which only spec.config creates; give spec.config, or another volume", m.Name)
		default:
			v.add(at+".name", "is %q, which is no volume of spec.volumes", m.Name)
		}
		clean := path.Clean(m.MountPath)
		switch {
		case !path.IsAbs(m.MountPath) || strings.Contains(m.MountPath, ":"):
			v.add(at+".mountPath", "is %q; a path from / on, without a colon, would do", m.MountPath)
			continue
		case seen[clean]:
			v.add(at+".mountPath", "is %q, as an earlier mount is; another path would do", m.MountPath)
		}
		seen[clean] = true
		if t == nil {
			continue
		}
		if where, what := t.path(m.MountPath); where == clean {
			v.add(at+".mountPath", "is %q, taken by %s; another path would do", m.MountPath, what)
		} else if where != "" {
			v.add(at+".mountPath", "is %q, below %s, taken by %s; another path would do", m.MountPath, where, what)
		}
	}
}

func (v *validator) initContainers(containers []corev1.Container, known map[string]bool) {
	seen := map[string]bool{}
	for i, c := range containers {
		at := fmt.Sprintf("spec.initContainers[%d]", i)
		switch {
		case c.Name == ContainerNode:
			v.add(at+".name", "is %q, the name of the workload container; another name would do", c.Name)
		case len(validation.IsDNS1123Label(c.Name)) > 0:
			v.add(at+".name", "%q is not a name; lower-case letters, digits and dashes, at most 63, would do", c.Name)
		case seen[c.Name]:
			v.add(at+".name", "is %q, as an earlier init container is; another name would do", c.Name)
		}
		seen[c.Name] = true
		v.required(at+".image", c.Image, "an image such as the run's own")
		v.env(at+".env", c.Env)
		v.mounts(at+".volumeMounts", c.VolumeMounts, known, nil)
		v.resources(at+".resources", &c.Resources)
	}
}

func (v *validator) env(list string, env []corev1.EnvVar) {
	for i, e := range env {
		at := fmt.Sprintf("%s[%d]", list, i)
		// A name with = would turn into another variable in `mpirun -x NAME=value`.
		if errs := validation.IsEnvVarName(e.Name); len(errs) > 0 {
			v.add(at+".name", "%q is not the name of a variable", e.Name)
		}
		if e.Value != "" && e.ValueFrom != nil {
			v.add(at, "has both value and valueFrom; one of them would do")
		}
		if e.ValueFrom != nil && *e.ValueFrom == (corev1.EnvVarSource{}) {
			v.add(at+".valueFrom", "is empty; a source such as secretKeyRef would do")
		}
	}
}

// resources checks what would keep every pod from being made. Extended resources, such as GPUs, cannot be overcommitted.
func (v *validator) resources(at string, r *corev1.ResourceRequirements) {
	if r == nil {
		return
	}
	limits := map[string]resource.Quantity{}
	for name, q := range r.Limits {
		limits[string(name)] = q
		v.quantity(at+".limits", string(name), q)
	}
	requests := map[string]resource.Quantity{}
	for name, q := range r.Requests {
		requests[string(name)] = q
		v.quantity(at+".requests", string(name), q)
	}
	for _, name := range sortedKeys(requests) {
		limit, has := limits[name]
		request := requests[name]
		if has && request.Cmp(limit) > 0 {
			v.add(Field(at+".requests", name), "is %s, more than the limit of %s", request.String(), limit.String())
		}
	}
}

func (v *validator) quantity(at, name string, q resource.Quantity) {
	if q.Sign() < 0 {
		v.add(Field(at, name), "is %s; 0 or more would do", q.String())
	}
}

func (v *validator) secrets(secrets []corev1.LocalObjectReference) {
	for i, secret := range secrets {
		if errs := validation.IsDNS1123Subdomain(secret.Name); len(errs) > 0 {
			v.add(fmt.Sprintf("spec.imagePullSecrets[%d].name", i), "%q is not the name of a Secret", secret.Name)
		}
	}
}

func (v *validator) config(c *Config) {
	if c == nil {
		return
	}
	if c.Inline != nil && c.ConfigMapRef != nil {
		v.add("spec.config", "has both inline and configMapRef; one of them would do")
	}
	for _, key := range sortedKeys(c.Inline) {
		if errs := validation.IsConfigMapKey(key); len(errs) > 0 {
			v.add(Field("spec.config.inline", key), "is not a file name; letters, digits, -, _ and . would do")
		}
	}
	if c.ConfigMapRef != nil {
		v.objectName("spec.config.configMapRef.name", c.ConfigMapRef.Name, "the name of a ConfigMap in the run's namespace")
	}
}
