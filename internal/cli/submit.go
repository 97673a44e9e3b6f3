package cli

import (
	"context"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
)

// companion is an object that has to be there before the workflow and goes with it.
type companion struct {
	what, name string
	// create makes it. made is false when it was there already.
	create func(context.Context) (made bool, err error)
	// adopted: it goes with the workflow even when it was there already.
	adopted bool
	adopt   func(context.Context, string, cluster.Owner) error
	remove  func(ctx context.Context, namespace, name string) error
}

// companions are the pull secret, for which the user's login is needed, and the spec that is too long for a parameter.
func (s *submission) companions(k *cluster.Cluster) []companion {
	var all []companion
	if s.pullSecret != "" {
		all = append(all, companion{
			what: "pull secret", name: s.pullSecret, adopt: k.AdoptSecret, remove: k.DeleteSecret,
			create: func(ctx context.Context) (bool, error) {
				return k.PullSecret(ctx, s.namespace, s.pullSecret, s.registry)
			},
		})
	}
	if s.specText != "" {
		m := s.specMap()
		all = append(all, companion{
			what: "spec", name: m.Name, adopted: true, adopt: k.AdoptConfigMap, remove: k.DeleteConfigMap,
			create: func(ctx context.Context) (bool, error) { return k.CreateConfigMap(ctx, m) },
		})
	}
	return all
}

// submit makes the workflow, and before it what goes with it. That is taken back when the workflow cannot be made.
func (a *app) submit(ctx context.Context, k *cluster.Cluster, s *submission) (cluster.Workflow, error) {
	var made, adopted []companion
	takeBack := func() {
		for _, c := range made {
			if err := c.remove(context.WithoutCancel(ctx), s.namespace, c.name); err != nil {
				a.note("warning: %v", err)
			}
		}
	}
	for _, c := range s.companions(k) {
		isNew, err := c.create(ctx)
		if err != nil {
			takeBack()
			return cluster.Workflow{}, err
		}
		if isNew {
			made = append(made, c)
		}
		if isNew || c.adopted {
			adopted = append(adopted, c)
		}
	}
	w, err := k.CreateWorkflow(ctx, s.namespace, s.workflow())
	if err != nil {
		takeBack()
		return w, err
	}
	for _, c := range adopted {
		if err := c.adopt(ctx, c.name, w.Owner); err != nil {
			a.note("warning: the %s will outlive the workflow: %v", c.what, err)
		}
	}
	return w, nil
}
