package resolve

import (
	"fmt"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// kaiScheduler is the only name that changes how a job starts. It admits a gang whole, so a launcher that is created after
// its workers are ready would be waited for by the workers' own admission. Run:ai's scheduler has another name and keeps the order.
const kaiScheduler = "kai-scheduler"

// kai says whether the launcher has to wait for its workers itself.
func (g Group) kai() bool {
	return g.Spec.GangScheduler != nil && g.Spec.GangScheduler.SchedulerName == kaiScheduler
}

// queueLabels are the label that names the queue, for the TrainJob, every Job and every pod; nil without a gang scheduler.
func (g Group) queueLabels() map[string]string {
	if g.Spec.GangScheduler == nil {
		return nil
	}
	key, queue := g.Spec.GangScheduler.QueueLabel()
	return map[string]string{key: queue}
}

// keepGang checks that overrides left the gang whole: a pod of another scheduler or queue would be waited for for ever. The
// TrainJob's label is put back where an override dropped it.
func keepGang(objects []*unstructured.Unstructured, gang *v1alpha1.GangScheduler) error {
	if gang == nil {
		return nil
	}
	key, queue := gang.QueueLabel()
	for _, o := range objects {
		switch o.GetKind() {
		case trainer.TrainJobKind:
			if own, has := o.GetLabels()[key]; has && own != queue {
				return wrong("spec.gangScheduler", "its queue is %q, and an override sets the label %s of the TrainJob to %q; drop one of the two", queue, key, own)
			}
			if err := addLabels(o.Object, map[string]string{key: queue}, "metadata", "labels"); err != nil {
				return err
			}
		case trainer.TrainingRuntimeKind:
			if err := keepRuntimeGang(o, gang); err != nil {
				return err
			}
		}
	}
	return nil
}

func keepRuntimeGang(o *unstructured.Unstructured, gang *v1alpha1.GangScheduler) error {
	var r trainer.TrainingRuntime
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &r); err != nil {
		return fmt.Errorf("reading the TrainingRuntime: %w", err)
	}
	key, queue := gang.QueueLabel()
	for _, job := range r.Spec.Template.Spec.ReplicatedJobs {
		for where, labels := range map[string]map[string]string{
			"template.metadata.labels": job.Template.Labels, "template.spec.template.metadata.labels": job.Template.Spec.Template.Labels,
		} {
			if own := labels[key]; own != queue {
				return wrong("spec.gangScheduler", "its queue is %q, and an override makes the label %s of replicatedJob %s %q (%s); drop one of the two", queue, key, job.Name, own, where)
			}
		}
		if own := job.Template.Spec.Template.Spec.SchedulerName; own != gang.SchedulerName {
			return wrong("spec.gangScheduler", "its schedulerName is %q, and an override makes that of replicatedJob %s %q; drop one of the two", gang.SchedulerName, job.Name, own)
		}
	}
	return nil
}
