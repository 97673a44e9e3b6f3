package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
)

// registryFlags adds the three flags of a registry's login.
func registryFlags(v *pflag.FlagSet, r *cluster.Registry) {
	v.StringVar(&r.Server, "workload-registry", "", "registry of the image; a pull secret is made for it, and every pod uses it")
	v.StringVar(&r.Username, "workload-registry-username", "", "who logs in to it")
	v.StringVar(&r.Password, "workload-registry-password", "", "password or token of the login")
}

// pullSecretPrefix begins the name of the pull secret that run makes.
const pullSecretPrefix = "seatrial-pull-"

// withPullSecret adds a pull secret to those of the spec. The flags are all given or none.
func (s *submission) withPullSecret(r cluster.Registry, spec *v1alpha1.WorkloadRunSpec) error {
	if r == (cluster.Registry{}) {
		return nil
	}
	if r.Server == "" || r.Username == "" || r.Password == "" {
		return misusef("--workload-registry, --workload-registry-username and --workload-registry-password must all be set together and non-empty")
	}
	s.registry, s.pullSecret = r, pullSecretPrefix+s.name
	all := append([]corev1.LocalObjectReference{}, spec.ImagePullSecrets...)
	text, err := json.Marshal(append(all, corev1.LocalObjectReference{Name: s.pullSecret}))
	if err != nil {
		return fmt.Errorf("writing the pull secrets: %w", err)
	}
	s.parameters["imagePullSecrets"] = string(text)
	return nil
}

// submit makes the pull secret and the workflow. The secret goes with the workflow, and is taken back when that cannot be made.
func (a *app) submit(ctx context.Context, k *cluster.Cluster, s *submission) (cluster.Workflow, error) {
	made := false
	if s.pullSecret != "" {
		var err error
		if made, err = k.PullSecret(ctx, s.namespace, s.pullSecret, s.registry); err != nil {
			return cluster.Workflow{}, err
		}
	}
	w, err := k.CreateWorkflow(ctx, s.namespace, s.workflow())
	switch {
	case err == nil && made:
		if err := k.AdoptSecret(ctx, s.pullSecret, w.Owner); err != nil {
			a.note("warning: the pull secret will outlive the workflow: %v", err)
		}
	case err != nil && made:
		if err := k.DeleteSecret(context.WithoutCancel(ctx), s.namespace, s.pullSecret); err != nil {
			a.note("warning: %v", err)
		}
	}
	return w, err
}
