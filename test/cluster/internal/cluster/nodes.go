package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/host"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
)

// nodes starts every node and waits until each is ready and has its GPUs.
func (s *starter) nodes(ctx context.Context, want Want) error {
	group, groupCtx := errgroup.WithContext(ctx)
	for i := 1; i <= want.Nodes; i++ {
		group.Go(func() error { return s.node(groupCtx, i, want.Provider) })
	}
	return group.Wait()
}

// node starts the i-th node.
func (s *starter) node(ctx context.Context, i int, provider string) error {
	name := plan.NodeName(i)
	for path, text := range s.layout.NodeFiles(i, provider) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fmt.Errorf("writing the files of %s: %w", name, err)
		}
	}
	if err := host.MakeCgroup(s.layout.CgroupName(name)); err != nil {
		return err
	}
	if err := s.startAndAwait(ctx, s.layout.Containerd(name)); err != nil {
		return err
	}
	for _, archive := range []string{"pause.tar", "argoexec.tar"} {
		if err := s.importImage(ctx, name, filepath.Join(s.layout.Images, archive)); err != nil {
			return err
		}
	}
	return s.kubelet(ctx, i)
}

// kubelet starts the kubelet of the i-th node, on a node that is made, and waits until the node is well.
func (s *starter) kubelet(ctx context.Context, i int) error {
	name := plan.NodeName(i)
	if err := s.startAndAwait(ctx, s.layout.Kubelet(i)); err != nil {
		return err
	}
	// GPUs are an extended resource that the API server is told of; the kubelet keeps it and counts it as allocatable at its next report.
	patch := fmt.Sprintf(`{"status":{"capacity":{%q:%q}}}`, plan.GPUResource, strconv.Itoa(plan.GPUsPerNode))
	err := retry(ctx, nodePatience, 500*time.Millisecond, func() error {
		_, err := s.kubectl(ctx, nil, "patch", "node", name, "--subresource=status", "--type=merge", "-p", patch)
		return err
	})
	if err != nil {
		return fmt.Errorf("giving %s its GPUs: %w", name, err)
	}
	return retry(ctx, nodePatience, time.Second, func() error {
		facts, err := s.nodeFacts(ctx)
		if err != nil {
			return err
		}
		for _, fact := range facts {
			if fact.Name == name {
				return fact.trouble()
			}
		}
		return fmt.Errorf("node %s is not there", name)
	})
}

// NodeFact is what the API server says of a node.
type NodeFact struct {
	Name  string
	Ready bool
	GPUs  int // allocatable
}

func (f NodeFact) trouble() error {
	switch {
	case !f.Ready:
		return fmt.Errorf("node %s is not ready", f.Name)
	case f.GPUs != plan.GPUsPerNode:
		return fmt.Errorf("node %s has %d GPUs, not %d", f.Name, f.GPUs, plan.GPUsPerNode)
	}
	return nil
}

func (c *Cluster) nodeFacts(ctx context.Context) ([]NodeFact, error) {
	list, err := c.kubectl(ctx, nil, "get", "nodes", "-o", "json", "--request-timeout=5s")
	if err != nil {
		return nil, err
	}
	return parseNodes(list)
}

// parseNodes reads `kubectl get nodes -o json`. A node that does not say that it is ready is not.
func parseNodes(list []byte) ([]NodeFact, error) {
	var parsed struct {
		Items []struct {
			Metadata struct{ Name string }
			Status   struct {
				Conditions  []struct{ Type, Status string }
				Allocatable map[string]string
			}
		}
	}
	if err := json.Unmarshal(list, &parsed); err != nil {
		return nil, fmt.Errorf("reading the list of nodes: %w", err)
	}
	out := make([]NodeFact, 0, len(parsed.Items))
	for _, item := range parsed.Items {
		fact := NodeFact{Name: item.Metadata.Name}
		for _, condition := range item.Status.Conditions {
			if condition.Type == "Ready" {
				fact.Ready = condition.Status == "True"
			}
		}
		if text := item.Status.Allocatable[plan.GPUResource]; text != "" {
			count, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				return nil, fmt.Errorf("reading the GPUs of node %s: %w", fact.Name, err)
			}
			fact.GPUs = count
		}
		out = append(out, fact)
	}
	return out, nil
}
