package v1alpha1

import (
	"fmt"
	"path"
	"reflect"
	"slices"
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
	if given := sources(s); len(given) > 1 {
		v.add(at, "has %s; one source would do", strings.Join(given, " and "))
	}
	v.needed(at, s)
	if s.PersistentVolumeClaim != nil {
		v.required(at+".persistentVolumeClaim.claimName", s.PersistentVolumeClaim.ClaimName, "the name of a claim in the run's namespace")
	}
	if s.HostPath != nil && (!path.IsAbs(s.HostPath.Path) || slices.Contains(strings.Split(s.HostPath.Path, "/"), "..")) {
		v.add(at+".hostPath.path", "is %q; a path from / on, without .., would do", s.HostPath.Path)
	}
	if s.HostPath != nil && s.HostPath.Type != nil && !slices.Contains(hostPathTypes, *s.HostPath.Type) {
		v.add(at+".hostPath.type", "is %q; Directory, DirectoryOrCreate, File, FileOrCreate, Socket, CharDevice or BlockDevice would do", string(*s.HostPath.Type))
	}
}

var hostPathTypes = []corev1.HostPathType{
	corev1.HostPathUnset, corev1.HostPathDirectory, corev1.HostPathDirectoryOrCreate, corev1.HostPathFile, corev1.HostPathFileOrCreate,
	corev1.HostPathSocket, corev1.HostPathCharDev, corev1.HostPathBlockDev,
}

// below checks a path within a volume.
func (v *validator) below(at, sub string) {
	if path.IsAbs(sub) || slices.Contains(strings.Split(sub, "/"), "..") {
		v.add(at, "is %q; a path within the volume, without .., would do", sub)
	}
}

// oneOfVolumes says which volume was meant.
func oneOfVolumes(name string, known map[string]bool) string {
	if near := Closest(name, sortedKeys(known)); near != "" {
		return "did you mean " + near + "?"
	}
	return "one that is there would do"
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
			v.add(at+".name", "is %q, which is no volume of spec.volumes; %s", m.Name, oneOfVolumes(m.Name, known))
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
		v.below(at+".subPath", m.SubPath)
		v.propagation(at+".mountPropagation", m.MountPropagation)
		if m.SubPath != "" && m.SubPathExpr != "" {
			v.add(at, "has both subPath and subPathExpr; one of them would do")
		}
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
		v.image(at+".image", c.Image, "an image such as the run's own")
		v.settings(at, &c)
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
			v.add(at+".name", "%q is not the name of a variable; letters, digits, _, - and . would do, no digit first", e.Name)
		}
		if e.Value != "" && e.ValueFrom != nil {
			v.add(at, "has both value and valueFrom; one of them would do")
		}
		if e.ValueFrom != nil {
			v.valueFrom(at+".valueFrom", e.ValueFrom)
		}
	}
}

// sources are the names of the members that are set, of a struct of pointers.
func sources(of any) []string {
	var given []string
	all := reflect.ValueOf(of)
	for i := range all.NumField() {
		if !all.Field(i).IsNil() {
			name, _, _ := strings.Cut(all.Type().Field(i).Tag.Get("json"), ",")
			given = append(given, name)
		}
	}
	return given
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
		v.resourceName(at+".limits", string(name))
	}
	requests := map[string]resource.Quantity{}
	for name, q := range r.Requests {
		requests[string(name)] = q
		v.quantity(at+".requests", string(name), q)
		v.resourceName(at+".requests", string(name))
	}
	for _, name := range sortedKeys(requests) {
		limit, has := limits[name]
		request := requests[name]
		if has && request.Cmp(limit) > 0 {
			v.add(Field(at+".requests", name), "is %s, more than the limit of %s", request.String(), limit.String())
		}
	}
	v.devices(at, r)
}

// resourceName checks what Kubernetes asks of a container's resource: one of its own, or a domain and a name.
func (v *validator) resourceName(at, name string) {
	switch {
	case name == string(corev1.ResourceCPU) || name == string(corev1.ResourceMemory) || name == string(corev1.ResourceEphemeralStorage):
	case strings.HasPrefix(name, corev1.ResourceHugePagesPrefix):
	case !strings.Contains(name, "/") || len(validation.IsQualifiedName(name)) > 0:
		v.add(Field(at, name), "is no resource of a container; cpu, memory, ephemeral-storage or one such as nvidia.com/gpu would do")
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
			v.add(fmt.Sprintf("spec.imagePullSecrets[%d].name", i), "%q is not the name of a Secret; lower-case letters, digits, dashes and dots would do", secret.Name)
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
