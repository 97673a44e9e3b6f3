package cli

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/manifests"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// reviewsAtOnce is how many questions about rights are open at a time.
const reviewsAtOnce = 8

// rights asks for each service account of a namespace whether it may do what the manifests let it do.
// A run only meets a missing right where it needs it, a log's for instance once its jobs are done.
func rights(ctx context.Context, k *cluster.Cluster, namespace string) ([]finding, error) {
	grants, err := manifests.Grants()
	if err != nil {
		return nil, err
	}
	var findings []finding
	for _, grant := range grants {
		findings = append(findings, granted(ctx, k, namespace, grant))
	}
	return findings, nil
}

func granted(ctx context.Context, k *cluster.Cluster, namespace string, g manifests.Grant) finding {
	f := finding{what: fmt.Sprintf("rights of ServiceAccount %s in %s", g.Account, namespace)}
	remedy := applyNamespace
	if g.Everywhere {
		f.what = fmt.Sprintf("rights of ServiceAccount %s of %s in the whole cluster", g.Account, namespace)
		remedy = applyCluster + ", and " + applyNamespace
	}
	actions := actions(g)
	refused := make([]bool, len(actions))
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(reviewsAtOnce)
	for i, action := range actions {
		asking.Go(func() error {
			may, err := k.May(ctx, namespace, g.Account, action)
			refused[i] = !may
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		f.is = plain.Line(err.Error())
		return f
	}
	f.state = ok
	var not []string
	for i, action := range actions {
		if !refused[i] {
			continue
		}
		not = append(not, action.Verb+" "+action.Resource)
		// Without the others of the whole cluster a run does its work, and says what it could not see.
		if !g.Everywhere || action.Resource == "nodes" {
			f.state, f.remedy = missing, remedy
		}
	}
	if not != nil {
		f.is = "may not " + strings.Join(not, ", ")
		if f.state == ok {
			f.state, f.remedy = unseen, remedy+" if the report should count the GPUs in use and know those of DRA"
		}
	}
	return f
}

// actions are the single verbs and resources of a grant's rules.
func actions(g manifests.Grant) []cluster.Action {
	var all []cluster.Action
	for _, rule := range g.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, cluster.Action{Verb: verb, Group: group, Resource: resource, Everywhere: g.Everywhere})
				}
			}
		}
	}
	return all
}
