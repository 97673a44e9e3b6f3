package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/proc"
)

// argoObjects are what the workflow controller wants to find: its namespace and its configuration, all defaults.
const argoObjects = `{"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"` + plan.ArgoNamespace + `"}},
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"workflow-controller-configmap","namespace":"` + plan.ArgoNamespace + `"}}]}`

// controllers brings JobSet, Trainer and Argo up: their objects first, all CRDs established, then the programs.
func (s *starter) controllers(ctx context.Context, requeue time.Duration) error {
	authority, err := os.ReadFile(s.layout.PKI("ca.crt"))
	if err != nil {
		return fmt.Errorf("reading the authority: %w", err)
	}
	if _, err := s.kubectl(ctx, nil, "apply", "--server-side", "-f", filepath.Join(s.layout.Manifests, "argo.yaml")); err != nil {
		return err
	}
	if _, err := s.kubectl(ctx, strings.NewReader(argoObjects), "apply", "--server-side", "-f", "-"); err != nil {
		return err
	}
	outside := []plan.Controller{s.layout.JobSet(), s.layout.Trainer()}
	for _, controller := range outside {
		if err := s.applyOutside(ctx, controller, authority); err != nil {
			return err
		}
	}
	if _, err := s.kubectl(ctx, nil, "wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"); err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	for _, controller := range outside {
		group.Go(func() error {
			if err := s.startAndAwait(groupCtx, controller.Component); err != nil {
				return err
			}
			return s.awaitWebhook(groupCtx, controller)
		})
	}
	group.Go(func() error { return s.startAndAwait(groupCtx, s.layout.Argo(requeue)) })
	return group.Wait()
}

func (s *starter) applyOutside(ctx context.Context, controller plan.Controller, authority []byte) error {
	file, err := os.Open(controller.Manifest)
	if err != nil {
		return fmt.Errorf("installing %s: %w", controller.Name, err)
	}
	defer func() { _ = file.Close() }()
	list, err := plan.Outside(file, controller.Ports, authority)
	if err != nil {
		return fmt.Errorf("installing %s: %w", controller.Name, err)
	}
	// Twice: the first time, objects of kinds that the same list defines may come too early.
	return retry(ctx, 30*time.Second, time.Second, func() error {
		_, err := s.kubectl(ctx, bytes.NewReader(list), "apply", "--server-side", "-f", "-")
		return err
	})
}

// awaitWebhook waits until the API server reaches the controller's webhooks: a controller that is up may still be out of reach.
func (s *starter) awaitWebhook(ctx context.Context, controller plan.Controller) error {
	err := retry(ctx, webhookPatience, time.Second, func() error {
		_, err := s.kubectl(ctx, strings.NewReader(controller.Sample), "create", "--dry-run=server", "-f", "-")
		return err
	})
	if err != nil {
		return fmt.Errorf("waiting for the webhooks of %s: %w", controller.Name, err)
	}
	return nil
}

// restartArgo starts the workflow controller again with another requeue time.
func (s *starter) restartArgo(ctx context.Context, requeue time.Duration) error {
	argo := s.layout.Argo(requeue)
	if err := proc.Stop([]proc.Identity{s.record.process(argo.Name)}, 10*time.Second); err != nil {
		return err
	}
	if err := s.record.change(func(state *State) { state.Requeue = requeue.String() }); err != nil {
		return err
	}
	return s.startAndAwait(ctx, argo)
}
