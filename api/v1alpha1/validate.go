package v1alpha1

import (
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"time"
	"unicode"

	"github.com/distribution/reference"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	pathFramework = "spec.framework"
	pathTorch     = "spec.framework.torch"
)

// maxTimeout is a year. Three times as long, Seatrial's last bound, still fits into the nanoseconds that Kubernetes counts.
const maxTimeout = 365 * 24 * time.Hour

// maxNumNodes bounds the nodes of one group, each of which is named in the group's objects: the largest clusters on offer have
// 65,000 nodes (GKE's limits).
const maxNumNodes = 65_000

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
	v.metadata(run.Metadata)
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
	for i, arg := range args {
		if text := reflect.ValueOf(arg); text.Kind() == reflect.String { // the words of the user's, and of ours, which are shorter
			args[i] = clip(text.String(), 160)
		}
	}
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

// metadata checks what becomes the Workflow's: the API server would refuse it when other things are there already.
func (v *validator) metadata(m Metadata) {
	v.name("metadata.name", m.Name)
	if m.Namespace != "" && len(validation.IsDNS1123Label(m.Namespace)) > 0 {
		v.add("metadata.namespace", "%q is not a namespace; lower-case letters, digits and dashes, at most 63, would do", m.Namespace)
	}
	for _, key := range sortedKeys(m.Labels) {
		v.label("metadata.labels", key, m.Labels[key])
	}
	for _, key := range sortedKeys(m.Annotations) {
		if len(validation.IsQualifiedName(strings.ToLower(key))) > 0 {
			v.add(Field("metadata.annotations", key), "is not the key of an annotation; one such as example.com/owner would do")
		}
	}
}

// image checks that there is one that a container runtime could pull: a pod with another would wait for it until its timeout.
func (v *validator) image(path, image, example string) {
	v.required(path, image, example)
	if strings.TrimSpace(image) == "" {
		return
	}
	if strings.ContainsFunc(image, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		v.add(path, "is %q; an image without blanks and control characters would do", image)
	} else if _, err := reference.ParseNormalizedNamed(image); err != nil {
		v.add(path, "is %q: %v; %s would do", image, err, example)
	}
}

func (v *validator) required(path, value, example string) {
	if strings.TrimSpace(value) == "" {
		v.add(path, "is missing; %s would do", example)
	}
}

func (v *validator) spec(spec *WorkloadRunSpec) {
	v.image("spec.image", spec.Image, "an image such as nvcr.io/nvidia/pytorch:26.01-py3")
	v.framework(spec.Framework)
	switch {
	case spec.NumNodes == 0: // the decoded spec cannot tell the two apart
		v.add("spec.numNodes", "is missing or 0; the nodes of one group, at least 1, would do")
	case spec.NumNodes < 0:
		v.add("spec.numNodes", "is %d; the nodes of one group, at least 1, would do", spec.NumNodes)
	case spec.NumNodes > maxNumNodes:
		v.add("spec.numNodes", "is %d, more than any cluster has; the nodes of one group, at most %d, would do", spec.NumNodes, maxNumNodes)
	}
	if spec.GPUsPerNode != nil && *spec.GPUsPerNode < 1 {
		v.add("spec.gpusPerNode", "is %d; at least 1 would do, or leave it out to take what the nodes advertise", *spec.GPUsPerNode)
	}
	if spec.MlnxPerNode != nil && *spec.MlnxPerNode < 0 {
		v.add("spec.mlnxPerNode", "is %d; 0 (no NICs) or more would do", *spec.MlnxPerNode)
	}
	v.nicResource(spec.NICResourceName)
	v.targetAt("spec.target", spec.Target)
	v.config(spec.Config)
	v.pods(spec)
	v.checkpoint(spec.Checkpoint)
	v.orchestration(spec.Orchestration)
	v.gang(spec.GangScheduler)
	v.workloadMetadata(spec.WorkloadMetadata, spec.GangScheduler)
	v.bandwidth(spec.BandwidthMeasurement)
	v.goodput(spec.GoodputMeasurement)
	for _, key := range sortedKeys(spec.Thresholds) {
		if _, err := parseThreshold(key, spec.Thresholds[key]); err != nil {
			v.add(Field("spec.thresholds", key), "%v", err)
		}
	}
	v.overrides(spec.Overrides)
}

func (v *validator) framework(f Framework) {
	var given []string
	if f.Torch != nil {
		given = append(given, FrameworkTorch)
	}
	if f.MPI != nil {
		given = append(given, FrameworkMPI)
	}
	if f.Exec != nil {
		given = append(given, FrameworkExec)
	}
	switch len(given) {
	case 0:
		v.add(pathFramework, "is missing; one of torch, mpi and exec would do")
	case 1:
	default:
		v.add(pathFramework, "has %s; one of them would do", strings.Join(given, " and "))
	}
	if t := f.Torch; t != nil {
		v.torch(t)
	}
	if f.MPI != nil {
		v.required("spec.framework.mpi.mpirunPath", f.MPI.MPIRunPath, "a path such as /usr/local/mpi/bin/mpirun")
		v.required("spec.framework.mpi.binary", f.MPI.Binary, "a path such as /usr/local/bin/all_reduce_perf_mpi")
		if i := f.MPI.MPIImplementation; i != "" && i != OpenMPI {
			v.add("spec.framework.mpi.mpiImplementation", "is %q; %s would do, the only one whose arguments Seatrial writes", i, OpenMPI)
		}
		v.items("spec.framework.mpi.args", len(f.MPI.Args))
		v.items("spec.framework.mpi.mpiArgs", len(f.MPI.MPIArgs))
	}
	if f.Exec != nil {
		if len(f.Exec.Command) == 0 {
			v.add("spec.framework.exec.command", `is empty; a command such as ["/config/check.sh"] would do`)
		} else {
			v.required("spec.framework.exec.command[0]", f.Exec.Command[0], "a program such as /config/check.sh")
		}
		v.items("spec.framework.exec.command", len(f.Exec.Command))
		v.items("spec.framework.exec.args", len(f.Exec.Args))
	}
}

func (v *validator) torch(t *Torch) {
	switch {
	case t.Script != "" && t.Module != "":
		v.add(pathTorch, "has both script and module; one of them would do")
	case strings.TrimSpace(t.Script+t.Module) == "":
		v.add(pathTorch, "has neither script nor module; a script such as /workspace/train.py would do")
	}
	v.items("spec.framework.torch.args", len(t.Args))
}

// MaxCommandLine is how many items a job's whole command line may have: Trainer 2.x caps command and args at 128 each.
const MaxCommandLine = 2 * 128

func (v *validator) items(path string, count int) {
	if count > MaxCommandLine {
		v.add(path, "has %d items, and a command line may have %d; put them into a script in spec.config.inline", count, MaxCommandLine)
	}
}

// nicForm is that of an extended resource: a domain, a slash and a name of at most 63 characters.
var nicForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

func (v *validator) nicResource(name *string) {
	if name == nil {
		return
	}
	const path = "spec.nicResourceName"
	if len(*name) > 253 || !nicForm.MatchString(*name) {
		v.add(path, "is %q; a resource such as rdma/rdma_shared_device_a would do", shorten(*name))
		return
	}
	domain, _, _ := strings.Cut(*name, "/")
	for _, reserved := range []string{"kubernetes.io", "k8s.io"} {
		if domain == reserved || strings.HasSuffix(domain, "."+reserved) {
			v.add(path, "is %q, in the reserved domain %s; a resource such as rdma/rdma_shared_device_a would do", *name, reserved)
			return
		}
	}
}

// sizeForm is a storage size: a number and, optionally, a binary suffix.
var sizeForm = regexp.MustCompile(`^[0-9]+(Ki|Mi|Gi|Ti|Pi|Ei)?$`)

func (v *validator) checkpoint(c *Checkpoint) {
	if c == nil {
		return
	}
	if !sizeForm.MatchString(c.StorageSize) || strings.Trim(c.StorageSize, "0KMGTPEi") == "" {
		v.add("spec.checkpoint.storageSize", "is %q; a size such as 100Gi would do", shorten(c.StorageSize))
	}
	if c.StorageClassName != nil && *c.StorageClassName != "" { // "" asks for a volume without a class
		if errs := validation.IsDNS1123Subdomain(*c.StorageClassName); len(errs) > 0 {
			v.add("spec.checkpoint.storageClassName", "%q is not the name of a StorageClass; lower-case letters, digits, dashes and dots would do", *c.StorageClassName)
		}
	}
	if c.MaxRestarts != nil && *c.MaxRestarts != 0 {
		v.add("spec.checkpoint.maxRestarts", "is %d; 0 would do: the first exit of a job decides, and retryFailedGroups runs a group again (docs/deviations.md)", *c.MaxRestarts)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
