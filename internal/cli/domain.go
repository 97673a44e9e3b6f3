package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// domainKeys are the labels of a topology domain where neither flag nor file names one (nvcre-workloadrun.md §8.4).
var domainKeys = map[string]string{
	"aws": "topology.k8s.aws/network-node-layer-1", "gcp": "cloud.google.com/gce-topology-block", "azure": "kubernetes.azure.com/ppg",
}

// inDomain restricts the run to the topology domain of --topology-domain, as one group of all its nodes.
func (s *submission) inDomain(ctx context.Context, k *cluster.Cluster) error {
	if s.domain == "" {
		return nil
	}
	nodes, err := k.Nodes(ctx, resolve.LabelGPUPresent+"=true")
	if err != nil {
		return err
	}
	key := s.topologyKey
	if key == "" {
		found, err := resolve.Discover(nodes, nil, s.target, resolve.Ask{Platform: s.parameters["platform"]})
		if err != nil && found.Platform == "" {
			return fmt.Errorf("finding the platform's topology key: %w; --topology-key would do", err)
		}
		if key = domainKeys[found.Platform]; key == "" {
			return misusef("--topology-domain needs --topology-key on platform %q", found.Platform)
		}
	}
	target := v1alpha1.Target{}
	if s.target != nil {
		target = *s.target
	}
	target.MatchExpressions = append(slices.Clone(target.MatchExpressions),
		corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{s.domain}})
	found := resolve.Select(nodes, &target)
	if len(found.Eligible) == 0 {
		return misusef("--topology-domain %s: no usable node of the target has %s=%s", s.domain, key, s.domain)
	}
	text, err := json.Marshal(target.MatchExpressions)
	if err != nil {
		return fmt.Errorf("writing the target: %w", err)
	}
	s.parameters["matchExpressions"], s.parameters["numNodes"] = string(text), strconv.Itoa(len(found.Eligible))
	return nil
}
