package resolve

import (
	"fmt"
	"maps"
	"slices"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// lastBound times timeoutPerJob is the activeDeadlineSeconds of every Job: the last bound, for the case that nobody is
// left to watch. Seatrial's own timeout comes long before it.
const lastBound = 3

// maxItems is Trainer 2.x's cap on the length of a TrainJob's command and args, each.
const maxItems = v1alpha1.MaxCommandLine / 2

// Group is one group of nodes with all that its objects are made of.
type Group struct {
	Names     Names
	Namespace string
	Spec      *v1alpha1.WorkloadRunSpec
	// Nodes are pinned by their hostname. With the placement Unpinned they are those of the target, among which the scheduler
	// chooses.
	Nodes []Node
	Facts
	// Fragments are those that match the run, in their order.
	Fragments []v1alpha1.NamedFragment

	// fx is what the fragments come to; Build fills it in.
	fx effects
}

// Workers is the number of ranks' nodes.
func (g Group) Workers() int32 {
	if g.Spec.Unpinned() {
		return g.Spec.GroupSize()
	}
	return int32(len(g.Nodes))
}

// Built is what a group comes to.
type Built struct {
	// Objects are in the order in which they must be created: what a TrainJob refers to comes first. They hold everything but
	// owner references.
	Objects []*unstructured.Unstructured
	// Warnings are about the run, not about this group.
	Warnings []string
}

// Objects returns the group's objects.
func Objects(in Group) ([]*unstructured.Unstructured, error) {
	built, err := Build(in)
	return built.Objects, err
}

// Build makes the group's objects and says what is odd about how.
func Build(in Group) (Built, error) {
	if err := in.check(); err != nil {
		return Built{}, err
	}
	var err error
	if in.fx, err = in.effects(); err != nil {
		return Built{}, err
	}
	// 1. The framework's objects, under their template names.
	objects, whole, err := generate(in)
	if err != nil {
		return Built{}, err
	}
	// 2. What the platform adds to them.
	if objects, err = lay(objects, in, whole); err != nil {
		return Built{}, err
	}
	// 3. What the run says about them.
	objects, odd, err := override(objects, in, whole)
	if err != nil {
		return Built{}, err
	}
	if err := keepGang(objects, in.Spec.GangScheduler); err != nil {
		return Built{}, err
	}
	// 4. Names and labels of this group.
	if err := goLive(objects, in); err != nil {
		return Built{}, err
	}
	for _, o := range objects {
		if err := stamp(o, in.Names.Labels()); err != nil {
			return Built{}, err
		}
	}
	if err := nameable(objects); err != nil {
		return Built{}, err
	}
	return Built{Objects: objects, Warnings: append(warnings(in.Spec, in.Facts), odd...)}, nil
}

// check refuses what would make objects that no scheduler can place.
func (g Group) check() error {
	if g.Workers() < 1 {
		return fmt.Errorf("building the objects of %s: it has no nodes", g.Names.Group)
	}
	for _, n := range g.Nodes {
		if n.Hostname == "" && !g.Spec.Unpinned() {
			return fmt.Errorf("building the objects of %s: node %q has no hostname to be pinned by", g.Names.Group, n.Name)
		}
	}
	if g.GPUs < 1 {
		return fmt.Errorf("building the objects of %s: it takes %d GPUs of a node", g.Names.Group, g.GPUs)
	}
	return nil
}

// generate makes the objects under their template names, `<run>-runtime` and so on, which is what overrides refer to. whole is what
// nobody may take from them.
func generate(in Group) (objects []*unstructured.Unstructured, whole needs, err error) {
	runtimeSpec, trainJob, err := framework(in)
	if err != nil {
		return nil, whole, err
	}
	var typed []runtime.Object
	if in.Spec.Config != nil && in.Spec.Config.ConfigMapRef == nil {
		typed = append(typed, &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: in.meta(in.Names.Run + suffixConfig),
			Data:       in.Spec.Config.Inline,
		})
	}
	if in.Spec.Checkpoint != nil {
		typed = append(typed, checkpointClaim(in))
	}
	typed = append(typed, &trainer.TrainingRuntime{
		TypeMeta:   metav1.TypeMeta{APIVersion: trainer.GroupVersion.String(), Kind: trainer.TrainingRuntimeKind},
		ObjectMeta: in.meta(in.Names.Run + suffixRuntime),
		Spec:       runtimeSpec,
	}, &trainer.TrainJob{
		TypeMeta:   metav1.TypeMeta{APIVersion: trainer.GroupVersion.String(), Kind: trainer.TrainJobKind},
		ObjectMeta: in.jobMeta(),
		Spec:       trainJob,
	})
	for _, o := range typed {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return nil, whole, fmt.Errorf("converting a %T: %w", o, err)
		}
		delete(fields, "status")
		pruneCreationTimestamps(fields)
		objects = append(objects, &unstructured.Unstructured{Object: fields})
	}
	return objects, needsOf(&runtimeSpec), nil
}

const (
	suffixRuntime    = "-runtime"
	suffixConfig     = "-config"
	suffixCheckpoint = "-checkpoint-pvc"
)

func (g Group) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: g.Namespace}
}

// jobMeta is that of the TrainJob, which alone has the labels of spec.workloadMetadata.
func (g Group) jobMeta() metav1.ObjectMeta {
	meta := g.meta(g.Names.Run)
	labels := map[string]string{}
	if g.Spec.WorkloadMetadata != nil {
		maps.Copy(labels, g.Spec.WorkloadMetadata.Labels)
	}
	maps.Copy(labels, g.queueLabels())
	if len(labels) > 0 {
		meta.Labels = labels
	}
	return meta
}

func framework(in Group) (trainer.TrainingRuntimeSpec, trainer.TrainJobSpec, error) {
	var spec trainer.TrainingRuntimeSpec
	var command, args []string
	switch f := in.Spec.Framework; {
	case f.Torch != nil:
		spec, command, args = torchRuntime(in), []string{"torchrun"}, torchrunArgs(f.Torch)
	case f.MPI != nil:
		spec, command, args = mpiRuntime(in), []string{f.MPI.MPIRunPath}, mpirunArgs(in)
	case f.Exec != nil:
		spec, command, args = torchRuntime(in), f.Exec.Command, f.Exec.Args
	default:
		return spec, trainer.TrainJobSpec{}, fmt.Errorf("spec.framework: is missing; one of torch, mpi and exec would do")
	}
	command, args = in.before(command, args)
	command, args, err := withinCaps(command, args)
	if err != nil {
		return spec, trainer.TrainJobSpec{}, wrong(longest(in.Spec), "%v", err)
	}
	return spec, trainer.TrainJobSpec{
		RuntimeRef: trainer.RuntimeRef{
			Name:     in.Names.Run + suffixRuntime,
			APIGroup: ptr.To(trainer.GroupVersion.Group),
			Kind:     ptr.To(trainer.TrainingRuntimeKind),
		},
		Trainer: &trainer.Trainer{
			Image: ptr.To(in.Spec.Image), Command: command, Args: args,
			NumNodes: ptr.To(in.Workers()), NumProcPerNode: ptr.To(in.GPUs),
		},
	}, nil
}

// longest is the field that gives a command line the most items: mpirun takes two for every variable, -x and NAME=value.
func longest(spec *v1alpha1.WorkloadRunSpec) string {
	f := spec.Framework
	switch {
	case f.MPI != nil && 2*len(spec.Env) > max(len(f.MPI.Args), len(f.MPI.MPIArgs)):
		return "spec.env"
	case f.MPI != nil && len(f.MPI.MPIArgs) > len(f.MPI.Args):
		return "spec.framework.mpi.mpiArgs"
	case f.Exec != nil && len(f.Exec.Command) > len(f.Exec.Args):
		return "spec.framework.exec.command"
	}
	return "spec.framework." + f.Name() + ".args"
}

// withinCaps moves the border between command and args, which are one command line in the end, until both fit.
func withinCaps(command, args []string) ([]string, []string, error) {
	all := slices.Concat(command, args)
	if len(all) > 2*maxItems {
		return nil, nil, fmt.Errorf("the command line has %d items with them, and %d would do, which is what Trainer takes; put them into a script in spec.config.inline", len(all), 2*maxItems)
	}
	border := max(min(len(command), maxItems), len(all)-maxItems)
	return all[:border:border], all[border:], nil
}

// pruneCreationTimestamps drops the nulls that typed objects leave at every metadata.
func pruneCreationTimestamps(value any) {
	switch v := value.(type) {
	case map[string]any:
		if v["creationTimestamp"] == nil {
			delete(v, "creationTimestamp")
		}
		for _, child := range v {
			pruneCreationTimestamps(child)
		}
	case []any:
		for _, child := range v {
			pruneCreationTimestamps(child)
		}
	}
}
