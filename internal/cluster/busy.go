package cluster

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// Busy returns the GPUs that pods hold, but for those of one workflow. Where the pods of all namespaces cannot be listed it says
// why, which is no error: the look is a courtesy to those who share the cluster.
func (c *Cluster) Busy(ctx context.Context, but Owner) (busy resolve.Busy, unknown string, err error) {
	busy = resolve.Busy{}
	err = c.EachRunningPod(ctx, func(p *corev1.Pod) { busy.Add(p, but.Namespace, but.Name) })
	switch {
	case apierrors.IsForbidden(err):
		return nil, "the pods of all namespaces may not be listed (ClusterRole seatrial-nodes, pods)", nil
	case apierrors.IsResourceExpired(err):
		return nil, "the list of all pods took too long, and the API server forgot where it was", nil
	}
	return busy, "", err
}
