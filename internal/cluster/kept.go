package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

const (
	// labelKept marks the ConfigMaps that hold the reports of a workflow which may be gone.
	labelKept = "seatrial.dev/report"
	keptKey   = "reports.json.gz"
	// maxKept leaves room in the 1 MiB that a ConfigMap may have.
	maxKept = 900 << 10
)

// KeepFits says whether reports are small enough to be kept in a ConfigMap.
func KeepFits(reports []v1alpha1.Report) bool {
	packed, err := pack(reports)
	return err == nil && len(packed) <= maxKept
}

// KeepReports leaves reports in a ConfigMap without an owner, one for each workflow, a workflow of the same name that came before having
// another one. A later call for the same workflow, after `argo retry`, replaces them.
func (c *Cluster) KeepReports(ctx context.Context, owner Owner, reports []v1alpha1.Report) error {
	packed, err := pack(reports)
	if err != nil {
		return err
	}
	names := resolve.Names{Workflow: owner.Name}
	labels := names.Labels()
	delete(labels, resolve.LabelGroup)
	delete(labels, resolve.LabelScope)
	delete(labels, resolve.LabelRun)
	labels[labelKept] = "kept"
	kept := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "report-" + resolve.Hash(owner.UID) + "-" + owner.Name, Namespace: owner.Namespace, Labels: labels},
		BinaryData: map[string][]byte{keptKey: packed},
	}
	api := c.kube.CoreV1().ConfigMaps(owner.Namespace)
	_, err = api.Create(ctx, kept, metav1.CreateOptions{FieldManager: "seatrial"})
	if apierrors.IsAlreadyExists(err) {
		var patch []byte
		if patch, err = json.Marshal(map[string]any{"binaryData": kept.BinaryData}); err == nil {
			_, err = api.Patch(ctx, kept.Name, mergePatch, patch, metav1.PatchOptions{FieldManager: "seatrial"})
		}
	}
	if err != nil {
		return fmt.Errorf("keeping the report of %s: %w", owner.Name, err)
	}
	return nil
}

// KeptReports returns the reports that the last workflow of a name left behind; none without an error when there is nothing.
func (c *Cluster) KeptReports(ctx context.Context, namespace, name string) ([]v1alpha1.Report, error) {
	list, err := c.kube.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: labelKept + "=kept," + resolve.LabelWorkflow + "=" + name})
	if err != nil {
		return nil, fmt.Errorf("listing the kept reports of %s: %w", name, err)
	}
	if len(list.Items) == 0 {
		return nil, nil
	}
	last := slices.MaxFunc(list.Items, func(a, b corev1.ConfigMap) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	var reports []v1alpha1.Report
	has, err := decode(last.BinaryData, keptKey, &reports)
	if err == nil && !has {
		err = fmt.Errorf("it has no %s", keptKey)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the report that %s left in the ConfigMap %s: %w", name, last.Name, err)
	}
	return reports, nil
}
