package cli

import (
	"context"
	"fmt"

	"github.com/seed-95c1acfe/seatrial/generator"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/version"
)

// condition is the outcome of one check. Its zero value is unchecked.
type condition uint8

const (
	// unchecked: it could not be asked, most often for want of a right.
	unchecked condition = iota
	// missing: a run cannot work.
	missing
	// unseen: nothing in the cluster shows it either way; a run will.
	unseen
	// ok: it is there.
	ok
)

var conditionNames = [...]string{unchecked: "unknown", missing: "missing", unseen: "unseen", ok: "ok"}

// finding is one line of `seatrial check`.
type finding struct {
	state condition
	// what is checked; is says what was found, remedy what to do about it; the latter two may be empty.
	what, is, remedy string
}

// String reads `missing  what: is; remedy`.
func (f finding) String() string {
	text := fmt.Sprintf("%-8s %s", conditionNames[f.state], f.what)
	if f.is != "" {
		text += ": " + f.is
	}
	if f.remedy != "" {
		text += "; " + f.remedy
	}
	return text
}

// applyCluster and applyNamespace are the two halves of the installation.
const (
	applyCluster   = "kubectl apply -k manifests/cluster"
	applyNamespace = "kubectl apply -k manifests/namespace (or an overlay of it)"
)

// inspect asks whether a cluster can run WorkloadRuns of some frameworks in a namespace, and then, where that namespace is there, the
// further questions. An error means that it does not answer.
func inspect(ctx context.Context, k *cluster.Cluster, namespace string, frameworks []string, further ...inspection) ([]finding, error) {
	if err := k.Reachable(); err != nil {
		return nil, err
	}
	// 1. What Seatrial builds on.
	findings := []finding{
		served(k, "Argo Workflows", "argoproj.io/v1alpha1", "workflows", "install Argo Workflows "+version.Argo),
		pluginsEnabled(ctx, k),
		served(k, "Kubeflow Trainer", "trainer.kubeflow.org/v1alpha1", "trainjobs", "install Kubeflow Trainer 2.0 or later"),
		served(k, "JobSet", "jobset.x-k8s.io/v1alpha2", "jobsets", "install the JobSet that your Trainer asks for"),
		// 2. What is installed once.
		pluginOnce(ctx, k, namespace),
	}
	// 3. What each namespace needs.
	space := hasNamespace(ctx, k, namespace)
	findings = append(findings, space)
	if space.state == missing {
		return findings, nil // what would be in it is missing too
	}
	for _, account := range []string{generator.WorkflowAccount, generator.PluginAccount} {
		findings = append(findings, tokenSecret(ctx, k, namespace, account))
	}
	for _, framework := range frameworks {
		findings = append(findings, template(ctx, k, namespace, generator.TemplateName(framework)))
	}
	for _, ask := range further {
		more, err := ask(ctx, k, namespace)
		if err != nil {
			return nil, err
		}
		findings = append(findings, more...)
	}
	return findings, nil
}

// inspection asks something of a namespace that is there.
type inspection = func(ctx context.Context, k *cluster.Cluster, namespace string) ([]finding, error)
