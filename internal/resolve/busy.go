package resolve

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Busy is how many GPUs of each node the pods of others hold; nodes without any are left out. GPUs that are claimed through DRA
// are not in it: a pod does not say how many its claim has.
type Busy map[string]int64

// Add counts a pod that has a node and has not ended, unless it is of the workflow of that name in that namespace.
func (b Busy) Add(p *corev1.Pod, namespace, workflow string) {
	ended := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	if p.Spec.NodeName == "" || ended || p.Namespace == namespace && p.Labels[LabelWorkflow] == workflow && workflow != "" {
		return
	}
	if n := gpusOf(&p.Spec); n > 0 {
		b[p.Spec.NodeName] += n
	}
}

// gpusOf is how many GPUs the scheduler reckons for a pod: those of its containers and sidecars together, or more where an init
// container takes more before them (Kubernetes: "Pod resource requests").
func gpusOf(spec *corev1.PodSpec) int64 {
	of := func(c corev1.Container) int64 {
		q, has := c.Resources.Requests[ResourceGPU]
		if !has {
			q = c.Resources.Limits[ResourceGPU]
		}
		return q.Value()
	}
	var before, sidecars, together int64
	for _, c := range spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars += of(c)
			continue
		}
		before = max(before, sidecars+of(c))
	}
	for _, c := range spec.Containers {
		together += of(c)
	}
	return max(before, together+sidecars)
}

// Reason says of a busy node why it is left out.
func (b Busy) Reason(node string) string {
	return fmt.Sprintf("busy: %d of its GPUs are in use by pods that are not ours", b[node])
}

// busyNamed is how many busy nodes a warning names.
const busyNamed = 8

// Warning names those of the nodes that are busy, by name; "" when none is.
func (b Busy) Warning(nodes []Node) string {
	text, found := "", 0
	names := make([]string, 0, len(nodes))
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	for _, name := range names {
		if b[name] == 0 {
			continue
		}
		if found++; found <= busyNamed {
			text += fmt.Sprintf(", %d of %s", b[name], name)
		}
	}
	if found == 0 {
		return ""
	}
	if more := found - busyNamed; more > 0 {
		text += fmt.Sprintf(", and of %d nodes more", more)
	}
	return "GPUs are in use by pods that are not ours: " + text[2:] + "; what shares a node with them waits for its GPUs, or measures less (busyNodes: " + string(v1alpha1.BusyExclude) + " leaves such nodes out)"
}
