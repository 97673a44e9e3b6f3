package cli

import (
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

// registryProblems says that the flags are neither all given nor none.
func registryProblems(r cluster.Registry) v1alpha1.Problems {
	if r == (cluster.Registry{}) || r.Server != "" && r.Username != "" && r.Password != "" {
		return nil
	}
	return v1alpha1.Problems{{Text: "--workload-registry, --workload-registry-username and --workload-registry-password must all be set together and non-empty"}}
}

// withPullSecret adds a pull secret to those of the spec.
func (s *submission) withPullSecret(r cluster.Registry, spec *v1alpha1.WorkloadRunSpec) error {
	if r == (cluster.Registry{}) {
		return nil
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
