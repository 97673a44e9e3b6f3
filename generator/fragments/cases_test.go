package fragments_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator/fragments"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// machine is one kind of node of one platform.
type machine struct {
	platform, architecture string
	// with are resources that the nodes advertise, name to count; nil for none that matter.
	with map[string]string
	note string
}

// machines are every platform and architecture that has a fragment, and one of each platform that stands for the rest.
var machines = []machine{
	{"aws", "h100", nil, ""}, {"aws", "h100", map[string]string{"vpc.amazonaws.com/efa": "32"}, "efa"},
	{"aws", "gb200", nil, ""}, {"aws", "gb200", map[string]string{"vpc.amazonaws.com/efa": "4"}, "efa"},
	{"aws", "gb300", nil, ""},
	{"gcp", "h100", nil, ""}, {"gcp", "gb200", nil, ""}, {"gcp", "gb300", nil, ""}, {"gcp", "rtxpro6000", nil, ""},
	{"azure", "h100", nil, ""}, {"azure", "a100", nil, ""}, {"azure", "h200", nil, ""}, {"azure", "gb200", nil, ""},
	{"oci", "h100", nil, ""}, {"oci", "gb200", nil, ""}, {"oci", "gb300", nil, ""},
	{"togetherai", "b200", nil, ""},
	{"mistral", "gb300", nil, ""},
	{"forge", "l40", nil, ""}, {"forge", "gb200", nil, ""},
	{"nscale", "b200", nil, ""}, {"nscale", "gb300", nil, ""}, {"nscale", "h100", map[string]string{"nscale.com/rdmashare": "8"}, "rdmashare"},
	{"onprem", "h100", nil, ""}, {"onprem", "gb200", map[string]string{"rdma/ib": "8"}, ""}, {"onprem", "gb300", nil, "no-nic"}, {"onprem", "b300", map[string]string{"nvidia.com/mlnxnics": "8"}, ""},
}

func (m machine) name(framework string) string {
	parts := []string{m.platform, m.architecture}
	if m.note != "" {
		parts = append(parts, m.note)
	}
	return strings.Join(append(parts, framework), "-")
}

// providerIDs are such as each platform's nodes have.
var providerIDs = map[string]string{
	"aws": "aws:///us-east-1a/i-0", "gcp": "gce://p/z/n", "azure": "azure:///s", "oci": "ocid1.instance.oc1.x", "mistral": "metal3://ns/h",
	"togetherai": "kubevirt://vm", "nscale": "nscale://n", "onprem": "", "forge": "",
}

var products = map[string]string{
	"h100": "NVIDIA-H100-80GB-HBM3", "h200": "NVIDIA-H200", "a100": "NVIDIA-A100-SXM4-80GB", "b200": "NVIDIA-B200", "b300": "NVIDIA-B300-SXM6-AC",
	"gb200": "NVIDIA-GB200", "gb300": "NVIDIA-GB300", "l40": "NVIDIA-L40", "rtxpro6000": "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
}

func (m machine) nodes() []corev1.Node {
	var nodes []corev1.Node
	for i := range 2 {
		name := fmt.Sprintf("node-%d", i)
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			resolve.LabelGPUPresent: "true", resolve.LabelGPUProduct: products[m.architecture], corev1.LabelHostname: name,
		}}}
		n.Spec.ProviderID = providerIDs[m.platform]
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		n.Status.Allocatable = corev1.ResourceList{}
		for name, count := range m.with {
			n.Status.Allocatable[corev1.ResourceName(name)] = resource.MustParse(count)
		}
		switch m.platform {
		case "forge":
			n.Labels["nke.nvidia.com/site-name"] = "site"
		case "togetherai":
			n.Labels["node-role.together.ai/worker"] = ""
		case "nscale":
			if m.note == "rdmashare" {
				n.Spec.ProviderID = "openstack:///n"
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func specOf(framework string) *v1alpha1.WorkloadRunSpec {
	spec := &v1alpha1.WorkloadRunSpec{Image: "nvcr.io/nvidia/pytorch:26.01-py3", NumNodes: 2}
	switch framework {
	case v1alpha1.FrameworkMPI:
		spec.Framework.MPI = &v1alpha1.MPI{MPIRunPath: "/usr/local/mpi/bin/mpirun", Binary: "/usr/local/bin/all_reduce_perf_mpi", Args: []string{"-b", "8", "-e", "32G", "-f", "2"}}
	case v1alpha1.FrameworkTorch:
		spec.Framework.Torch = &v1alpha1.Torch{Script: "/workspace/train.py"}
	default:
		spec.Framework.Exec = &v1alpha1.Exec{Command: []string{"/workspace/check.sh"}}
	}
	return spec
}

// resolved is what a run on two machines comes to.
type resolved struct {
	facts   resolve.Facts
	applied []v1alpha1.NamedFragment
	objects []*unstructured.Unstructured
}

func (m machine) resolve(t testing.TB, framework string, all []v1alpha1.NamedFragment) resolved {
	t.Helper()
	spec := specOf(framework)
	d, err := resolve.Discover(m.nodes(), nil, nil, resolve.AskOf(spec, v1alpha1.Options{}))
	require.NoError(t, err)
	require.Equal(t, m.platform, d.Platform)
	require.Equal(t, m.architecture, d.Architecture)
	applied, _, err := resolve.Fragments(all, d.Facts, framework, spec.NumNodes)
	require.NoError(t, err)
	built, err := resolve.Build(resolve.Group{
		Names:     resolve.Names{Workflow: "run", Run: "run", Group: "group-0", Attempt: 1},
		Namespace: "seatrial", Spec: spec, Nodes: d.Eligible, Facts: d.Facts, Fragments: applied,
	})
	require.NoError(t, err, m.name(framework))
	return resolved{d.Facts, applied, built.Objects}
}

func (r resolved) names() string {
	var names []string
	for _, f := range r.applied {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// command is the TrainJob's command line.
func (r resolved) command(t testing.TB) []string {
	t.Helper()
	job := trainer.TrainJob{}
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(r.objects[len(r.objects)-1].Object, &job))
	return slices.Concat(job.Spec.Trainer.Command, job.Spec.Trainer.Args)
}

// env is what a rank, or without mpirun the container, gets.
func (r resolved) env(t testing.TB) []string {
	t.Helper()
	var env []string
	if args := strings.Join(r.command(t), " "); strings.Contains(args, "mpirun") {
		fields := strings.Fields(args)
		for i := range fields {
			if fields[i] == "-x" {
				env = append(env, fields[i+1])
			}
		}
		slices.Sort(env)
		return env
	}
	for _, e := range r.worker(t).Containers[0].Env {
		env = append(env, e.Name+"="+e.Value)
	}
	slices.Sort(env)
	return env
}

// worker is the pod of a node.
func (r resolved) worker(t testing.TB) corev1.PodSpec {
	t.Helper()
	r0 := trainer.TrainingRuntime{}
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(r.objects[len(r.objects)-2].Object, &r0))
	return r0.Spec.Template.Spec.ReplicatedJobs[0].Template.Spec.Template.Spec
}

func all(t testing.TB) []v1alpha1.NamedFragment {
	t.Helper()
	list, err := fragments.All()
	require.NoError(t, err)
	return list
}
