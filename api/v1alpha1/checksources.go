package v1alpha1

import (
	"maps"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// The API server checks the values below when a Job makes its pods, long after it took the TrainingRuntime that has them
// (Kubernetes 1.34, validation of core/v1).

// needed checks what a source cannot be without.
func (v *validator) needed(at string, s corev1.VolumeSource) {
	if s.Secret != nil {
		v.required(at+".secret.secretName", s.Secret.SecretName, "the name of a Secret in the run's namespace")
	}
	if s.ConfigMap != nil {
		v.required(at+".configMap.name", s.ConfigMap.Name, "the name of a ConfigMap in the run's namespace")
	}
	if s.CSI != nil {
		v.required(at+".csi.driver", s.CSI.Driver, "the name of a CSI driver")
	}
	if s.NFS != nil {
		v.required(at+".nfs.server", s.NFS.Server, "the address of a server")
		if !path.IsAbs(s.NFS.Path) {
			v.add(at+".nfs.path", "is %q; a path from / on would do", s.NFS.Path)
		}
	}
}

// valueFrom checks where a variable's value comes from.
func (v *validator) valueFrom(at string, from *corev1.EnvVarSource) {
	switch given := sources(*from); len(given) {
	case 0:
		v.add(at, "is empty; a source such as secretKeyRef would do")
	case 1:
	default:
		v.add(at, "has %s; one source would do", strings.Join(given, " and "))
	}
	if r := from.SecretKeyRef; r != nil {
		v.required(at+".secretKeyRef.name", r.Name, "the name of a Secret in the run's namespace")
		v.required(at+".secretKeyRef.key", r.Key, "a key of the Secret")
	}
	if r := from.ConfigMapKeyRef; r != nil {
		v.required(at+".configMapKeyRef.name", r.Name, "the name of a ConfigMap in the run's namespace")
		v.required(at+".configMapKeyRef.key", r.Key, "a key of the ConfigMap")
	}
	if r := from.ResourceFieldRef; r != nil {
		v.required(at+".resourceFieldRef.resource", r.Resource, "a resource such as limits.cpu")
	}
	if r := from.FieldRef; r != nil {
		v.podField(at+".fieldRef.fieldPath", r.FieldPath)
	}
}

// podFields are those of a pod that a variable may take its value from.
var podFields = []string{
	"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
	"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
}

func (v *validator) podField(at, field string) {
	if slices.Contains(podFields, field) {
		return
	}
	for _, of := range []string{"metadata.labels", "metadata.annotations"} {
		rest, is := strings.CutPrefix(field, of+"['")
		if key, closed := strings.CutSuffix(rest, "']"); is && closed && len(validation.IsQualifiedName(strings.ToLower(key))) == 0 {
			return
		}
	}
	if near := Closest(field, podFields); near != "" {
		v.add(at, "is %q; did you mean %s?", field, near)
		return
	}
	v.add(at, "is %q; one such as metadata.name, spec.nodeName, status.podIP or metadata.labels['KEY'] would do", field)
}

// settings checks the words and numbers of an init container of which there are few.
func (v *validator) settings(at string, c *corev1.Container) {
	if c.RestartPolicy != nil && *c.RestartPolicy != corev1.ContainerRestartPolicyAlways {
		v.add(at+".restartPolicy", "is %q; Always would do, for a container that runs beside the workload", *c.RestartPolicy)
	}
	switch c.ImagePullPolicy {
	case "", corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever:
	default:
		v.add(at+".imagePullPolicy", "is %q; Always, IfNotPresent or Never would do", c.ImagePullPolicy)
	}
	for i, p := range c.Ports {
		if len(validation.IsValidPortNum(int(p.ContainerPort))) > 0 {
			v.add(element(at+".ports", i)+".containerPort", "is %d; 1 to 65535 would do", p.ContainerPort)
		}
	}
}

func (v *validator) propagation(at string, m *corev1.MountPropagationMode) {
	if m == nil {
		return
	}
	switch *m {
	case corev1.MountPropagationNone, corev1.MountPropagationHostToContainer, corev1.MountPropagationBidirectional:
	default:
		v.add(at, "is %q; None, HostToContainer or Bidirectional would do", *m)
	}
}

// devices checks an extended resource, such as GPUs: it comes in whole ones and cannot be overcommitted, so what is asked for is
// the limit.
func (v *validator) devices(at string, r *corev1.ResourceRequirements) {
	extended := func(name string) bool {
		domain, _, has := strings.Cut(name, "/")
		return has && domain != "kubernetes.io" && !strings.HasSuffix(domain, ".kubernetes.io")
	}
	for _, list := range []struct {
		at    string
		asked corev1.ResourceList
	}{{at + ".limits", r.Limits}, {at + ".requests", r.Requests}} {
		for _, name := range sortedNames(list.asked) {
			if q := list.asked[name]; extended(string(name)) && q.MilliValue()%1000 != 0 {
				v.add(Field(list.at, string(name)), "is %s; a whole number would do", q.String())
			}
		}
	}
	for _, name := range sortedNames(r.Requests) {
		if !extended(string(name)) {
			continue
		}
		request := r.Requests[name]
		limit, has := r.Limits[name]
		switch path := Field(at+".requests", string(name)); {
		case !has:
			v.add(path, "is %s without a limit; %s.limits with the same number would do", request.String(), at)
		case request.Cmp(limit) < 0:
			v.add(path, "is %s, less than the limit of %s; the same number in both would do", request.String(), limit.String())
		}
	}
}

func sortedNames(list corev1.ResourceList) []corev1.ResourceName {
	return slices.Sorted(maps.Keys(list))
}
