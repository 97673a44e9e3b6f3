package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"

	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

const mergePatch = types.MergePatchType

// jobResources and podResources are the kinds that a run may create, in the order in which its clean-up deletes them: what
// refers to the others goes first, and what pods use goes when the pods are gone. The plugin's Role names the same ones.
var (
	jobResources = []schema.GroupVersionResource{trainJobs, trainingRuntimes}
	podResources = []schema.GroupVersionResource{claimTemplates, computeDomains, services, volumeClaims, configMaps}
	resources    = slices.Concat(jobResources, podResources)
)

var (
	trainJobs        = schema.GroupVersionResource{Group: "trainer.kubeflow.org", Version: "v1alpha1", Resource: "trainjobs"}
	trainingRuntimes = schema.GroupVersionResource{Group: "trainer.kubeflow.org", Version: "v1alpha1", Resource: "trainingruntimes"}
	configMaps       = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	volumeClaims     = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
	services         = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	claimTemplates   = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaimtemplates"}
	computeDomains   = schema.GroupVersionResource{Group: "resource.nvidia.com", Version: "v1beta1", Resource: "computedomains"}
)

var resourceOfKind = map[string]schema.GroupVersionResource{
	"TrainJob": trainJobs, "TrainingRuntime": trainingRuntimes, "ConfigMap": configMaps, "PersistentVolumeClaim": volumeClaims,
	"Service": services, "ResourceClaimTemplate": claimTemplates, "ComputeDomain": computeDomains,
}

// AllKinds are the kinds of objects that a run may create.
var AllKinds = slices.Sorted(maps.Keys(resourceOfKind))

// ErrTerminating says that an object of that name is on its way out; creating it works once it is gone.
var ErrTerminating = errors.New("an object of this name is still being deleted")

// Create creates an object that owner owns, or leaves an object of that name alone when it is owner's and of the same scope.
// It never updates: a TrainJob is immutable, and an update would bring back what a clean-up deletes.
func (c *Cluster) Create(ctx context.Context, object *unstructured.Unstructured, owner Owner) error {
	resource, known := resourceOfKind[object.GetKind()]
	if !known {
		return fmt.Errorf("creating %s %s: Seatrial creates no objects of that kind", object.GetKind(), object.GetName())
	}
	object = object.DeepCopy()
	object.SetNamespace(owner.Namespace)
	object.SetOwnerReferences([]metav1.OwnerReference{owner.reference()})
	api := c.dynamic.Resource(resource).Namespace(owner.Namespace)
	_, err := api.Create(ctx, object, metav1.CreateOptions{FieldManager: "seatrial"})
	if !apierrors.IsAlreadyExists(err) {
		if err != nil {
			return fmt.Errorf("creating %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		return nil
	}
	found, err := api.Get(ctx, object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) { // it went away between the two requests
		return fmt.Errorf("creating %s %s: %w", object.GetKind(), object.GetName(), ErrTerminating)
	}
	if err != nil {
		return fmt.Errorf("reading %s %s, which exists: %w", object.GetKind(), object.GetName(), err)
	}
	switch {
	case found.GetDeletionTimestamp() != nil:
		return fmt.Errorf("creating %s %s: %w", object.GetKind(), object.GetName(), ErrTerminating)
	case !owner.Owns(found) || found.GetLabels()[resolve.LabelScope] != object.GetLabels()[resolve.LabelScope]:
		return fmt.Errorf("creating %s %s: one of that name exists that is not this run's; delete it or give the run another name", object.GetKind(), object.GetName())
	}
	return nil
}

func (o Owner) reference() metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "argoproj.io/v1alpha1", Kind: "Workflow", Name: o.Name, UID: types.UID(o.UID)}
}

// Owns says whether an object is one of the Workflow's.
func (o Owner) Owns(object metav1.Object) bool {
	for _, r := range object.GetOwnerReferences() {
		if string(r.UID) == o.UID {
			return true
		}
	}
	return false
}

// TrainJobs lists a run's TrainJobs by name, without their specs.
func (c *Cluster) TrainJobs(ctx context.Context, namespace, selector string) (map[string]*trainer.TrainJob, error) {
	var jobs map[string]*trainer.TrainJob
	list := func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return c.dynamic.Resource(trainJobs).Namespace(namespace).List(ctx, o)
	}
	err := eachItem(ctx, selector, list, func() { jobs = map[string]*trainer.TrainJob{} }, func(o runtime.Object) error {
		u, is := o.(*unstructured.Unstructured)
		if !is {
			return nil
		}
		job := &trainer.TrainJob{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, job); err != nil {
			return fmt.Errorf("reading TrainJob %s: %w", u.GetName(), err)
		}
		job.Spec, job.ManagedFields = trainer.TrainJobSpec{}, nil
		jobs[job.Name] = job
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing TrainJobs in %s: %w", namespace, err)
	}
	return jobs, nil
}

// Delete deletes the objects of owner that match a selector, those that refer to others first. What is gone is no error.
// The run record is kept. Pods go with the TrainJob that owns them.
func (c *Cluster) Delete(ctx context.Context, owner Owner, selector string) error {
	return errors.Join(c.DeleteJobs(ctx, owner, selector), c.DeleteUsed(ctx, owner, selector, AllKinds))
}

// DeleteJobs is the first half of Delete: jobs and their runtimes, so that the pods begin to go.
func (c *Cluster) DeleteJobs(ctx context.Context, owner Owner, selector string) error {
	return c.deleteEach(ctx, owner, selector, jobResources)
}

// DeleteJob deletes the job of one group and its runtime. It asks for them by name: hundreds of groups that end together would
// each let the API server go through all of them.
func (c *Cluster) DeleteJob(ctx context.Context, owner Owner, names resolve.Names) error {
	var problems []error
	for i, name := range []string{names.Base(), names.Runtime()} { // in the order of jobResources
		resource := jobResources[i]
		o, err := c.dynamic.Resource(resource).Namespace(owner.Namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			problems = append(problems, fmt.Errorf("reading %s %s: %w", resource.Resource, name, err))
		default:
			problems = append(problems, c.deleteOwned(ctx, owner, resource, o))
		}
	}
	return errors.Join(problems...)
}

// DeleteUsed is the second half of Delete: what pods use, for when they are gone. A ComputeDomain or a claim that goes before
// the pods takes the devices from under them (CUDA error 719).
// kinds names those that there may be: a request for each kind and group that cannot be there would be most of a large clean-up.
func (c *Cluster) DeleteUsed(ctx context.Context, owner Owner, selector string, kinds []string) error {
	var resources []schema.GroupVersionResource
	for _, resource := range podResources {
		if slices.ContainsFunc(kinds, func(kind string) bool { return resourceOfKind[kind] == resource }) {
			resources = append(resources, resource)
		}
	}
	return c.deleteEach(ctx, owner, selector, resources)
}

func (c *Cluster) deleteEach(ctx context.Context, owner Owner, selector string, resources []schema.GroupVersionResource) error {
	var problems []error
	for _, resource := range resources {
		api := c.dynamic.Resource(resource).Namespace(owner.Namespace)
		list, err := api.List(ctx, metav1.ListOptions{LabelSelector: selector})
		if apierrors.IsNotFound(err) { // a cluster without that kind, such as ComputeDomain
			continue
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("listing %s: %w", resource.Resource, err))
			continue
		}
		for i := range list.Items {
			problems = append(problems, c.deleteOwned(ctx, owner, resource, &list.Items[i]))
		}
	}
	return errors.Join(problems...)
}

// deleteOwned deletes an object as it was read, if it is the owner's, no part of the run record, and not on its way out already.
func (c *Cluster) deleteOwned(ctx context.Context, owner Owner, resource schema.GroupVersionResource, o *unstructured.Unstructured) error {
	if !owner.Owns(o) || o.GetLabels()[labelRecord] != "" || o.GetDeletionTimestamp() != nil {
		return nil
	}
	background, uid := metav1.DeletePropagationBackground, o.GetUID()
	err := c.dynamic.Resource(resource).Namespace(owner.Namespace).Delete(ctx, o.GetName(),
		metav1.DeleteOptions{PropagationPolicy: &background, Preconditions: &metav1.Preconditions{UID: &uid}})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("deleting %s %s: %w", resource.Resource, o.GetName(), err)
	}
	return nil
}
