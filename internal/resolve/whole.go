package resolve

import (
	"fmt"
	"slices"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// needs is what Trainer must find in a generated TrainingRuntime, else it makes no job, or one that runs nothing.
type needs struct {
	policy bool
	// jobs are the names of the replicated jobs, ancestor that of the one into which Trainer puts the command.
	jobs     []string
	ancestor string
}

// needsOf reads them off a TrainingRuntime as it was generated.
func needsOf(r *trainer.TrainingRuntimeSpec) needs {
	n := needs{policy: r.MLPolicy != nil}
	for _, job := range r.Template.Spec.ReplicatedJobs {
		n.jobs = append(n.jobs, job.Name)
		if job.Template.Labels[ancestorLabel] != "" {
			n.ancestor = job.Name
		}
	}
	return n
}

// lacks says what the TrainingRuntime among objects has no longer, or not yet; each in words of its own, and none when it is whole.
func (n needs) lacks(objects []*unstructured.Unstructured) ([]string, error) {
	r, err := trainingRuntime(objects)
	if err != nil {
		return nil, err
	}
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if n.policy && r.Spec.MLPolicy == nil {
		add("leaves the TrainingRuntime without spec.mlPolicy; Trainer starts no ranks without it")
	}
	jobs := r.Spec.Template.Spec.ReplicatedJobs
	for _, name := range n.jobs {
		at := slices.IndexFunc(jobs, func(j jobset.ReplicatedJob) bool { return j.Name == name })
		if at < 0 {
			add("leaves the TrainingRuntime without its replicated job %s", name)
			continue
		}
		if !slices.ContainsFunc(containers(jobs[at]), func(c corev1.Container) bool { return c.Name == containerNode }) {
			add("leaves the replicated job %s without its container %s", name, containerNode)
		}
		if name == n.ancestor && jobs[at].Template.Labels[ancestorLabel] == "" {
			add("leaves the replicated job %s without the label %s, by which Trainer finds where the command goes", name, ancestorLabel)
		}
	}
	for _, job := range jobs {
		if len(containers(job)) == 0 && !slices.Contains(n.jobs, job.Name) {
			add("makes a replicated job %s without a container; %s", job.Name, didYouMean(job.Name, n.jobs, "containers of its own"))
		}
		pod := job.Template.Spec.Template.Spec
		for _, c := range pod.Containers {
			if c.Image == "" {
				add("makes a container %s of the replicated job %s that has no image; %s", c.Name, job.Name, didYouMean(c.Name, []string{containerNode}, "an image"))
			}
		}
		for _, c := range pod.InitContainers {
			if c.Image == "" {
				add("makes an init container %s of the replicated job %s that has no image; %s", c.Name, job.Name, didYouMean(c.Name, withImage(pod.InitContainers), "an image"))
			}
		}
	}
	return all, nil
}

// didYouMean names the one that was meant, or says what a new one takes.
func didYouMean(name string, known []string, takes string) string {
	if near := v1alpha1.Closest(name, known); near != "" && near != name {
		return "did you mean " + near + "?"
	}
	return takes + " would do"
}

func withImage(list []corev1.Container) []string {
	var names []string
	for _, c := range list {
		if c.Image != "" {
			names = append(names, c.Name)
		}
	}
	return names
}

func containers(job jobset.ReplicatedJob) []corev1.Container {
	return job.Template.Spec.Template.Spec.Containers
}

// trainingRuntime is the one among objects.
func trainingRuntime(objects []*unstructured.Unstructured) (*trainer.TrainingRuntime, error) {
	r := &trainer.TrainingRuntime{}
	for _, o := range objects {
		if o.GetKind() != trainer.TrainingRuntimeKind {
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, r); err != nil {
			return nil, fmt.Errorf("reading the TrainingRuntime: %w", err)
		}
	}
	return r, nil
}
