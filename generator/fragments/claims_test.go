package fragments_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// A claim of no device is none: DRA refuses a request with count 0.
func TestNoNICsAreNoClaim(t *testing.T) {
	m := machine{platform: "nscale", architecture: "gb300"}
	for nics, claimed := range map[int32]bool{0: false, 8: true} {
		for _, framework := range v1alpha1.Frameworks {
			spec := specOf(framework)
			spec.MlnxPerNode = ptr.To(nics)
			d, err := resolve.Discover(m.nodes(), nil, nil, resolve.AskOf(spec, v1alpha1.Options{}))
			require.NoError(t, err)
			applied, _, err := resolve.Fragments(all(t), d.Facts, framework, spec.NumNodes)
			require.NoError(t, err)
			objects, err := resolve.Objects(resolve.Group{
				Names: resolve.Names{Workflow: "run", Run: "run", Group: "group-0", Attempt: 1}, Namespace: "seatrial",
				Spec: spec, Nodes: d.Eligible, Facts: d.Facts, Fragments: applied,
			})
			require.NoError(t, err)
			text := ""
			for _, o := range objects {
				b, err := yaml.Marshal(o.Object)
				require.NoError(t, err)
				text += string(b)
			}
			require.NotContains(t, text, "count: 0")
			require.Contains(t, text, "deviceClassName: gpu.nvidia.com")
			if claimed {
				require.Contains(t, text, "deviceClassName: rdma.nscale.com")
				require.Contains(t, text, "- name: rdma\n")
			} else {
				require.NotContains(t, text, "rdma", "neither the claim nor a pod's reference to it")
			}
		}
	}
}
