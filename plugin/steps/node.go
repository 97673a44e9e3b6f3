package steps

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

// silentAfter is when pods that do not go raise the question whether their nodes are still there. A node of which nothing is heard
// is not ready after 50 s (kube-controller-manager, --node-monitor-grace-period, since 1.32).
const silentAfter = 75 * time.Second

// unreadyNode is what a node's condition says when it is not ready; "" when it is.
func unreadyNode(n *corev1.Node) string {
	c := resolve.NotReady(n)
	if c == nil {
		return ""
	}
	return fmt.Sprintf("the node is not ready since %s: %s: %s", c.LastTransitionTime.UTC().Format(time.RFC3339), c.Reason, c.Message)
}

// unwell says of each node that is not ready what its condition says. It only explains: when nobody can say, none is.
func (r *run) unwell(ctx context.Context) map[string]string {
	nodes, err := r.nodes.within(ctx, r.s.clock.Now(), 5*r.fresh())
	if err != nil {
		r.s.log.Warn("reading the nodes' conditions", "error", err)
		return nil
	}
	return nodes
}

// withNodes adds to the evidence of a failure the nodes that are not ready. A launcher may run on any node: when that one is lost and is
// none of the group's, nothing is known of the group.
func (r *run) withNodes(ctx context.Context, g partition.Group, seen observation, end score.Evidence) score.Evidence {
	switch end.Ending {
	case score.Exited, score.JobFailed, score.TimedOut:
	default:
		return end
	}
	unwell := r.unwell(ctx)
	own := g.Nodes
	if len(own) == 0 {
		own = seen.chosen()
	}
	for _, node := range own {
		if why := unwell[node]; why != "" {
			end.Blamed = append(end.Blamed, v1alpha1.NodeReason{Name: node, Reason: why})
		}
	}
	for _, p := range seen.role(launcher) {
		if why := unwell[p.Spec.NodeName]; why != "" && !slices.Contains(own, p.Spec.NodeName) {
			return score.Evidence{Ending: score.Lost, Message: fmt.Sprintf("the launcher ran on %s, which is none of the group's nodes: %s", p.Spec.NodeName, why)}
		}
	}
	return end
}

// blameSilent adds to a failed group's result the nodes whose pods do not go and which are not ready: a node that was lost takes
// its job down before anybody misses it.
func (r *run) blameSilent(ctx context.Context, g partition.Group, pods []corev1.Pod) {
	r.nodes.stale()
	unwell := r.unwell(ctx)
	_, err := r.update(ctx, g.Name, func(s *record.Group) error {
		if s.Result == nil || s.Result.Verdict != v1alpha1.Fail {
			return cluster.ErrUnchanged
		}
		before := len(s.Result.Blamed)
		for _, p := range pods {
			node := p.Spec.NodeName
			known := slices.ContainsFunc(s.Result.Blamed, func(b v1alpha1.NodeReason) bool { return b.Name == node })
			if why := unwell[node]; why != "" && !known && slices.Contains(s.Result.Nodes, node) {
				s.Result.Blamed = append(s.Result.Blamed, v1alpha1.NodeReason{Name: node, Reason: why})
			}
		}
		if len(s.Result.Blamed) == before {
			return cluster.ErrUnchanged
		}
		s.Result = fit(g.Name, s, s.Result)
		return nil
	})
	if err != nil {
		r.s.log.Warn("recording a silent node", "group", g.Name, "error", err)
	}
}
